/**
 * The page's search: `/` leads to it, Escape clears it. SearchField { label, hint?, value, onChange, w? }
 *   value     what is searched for now, usually from the address
 *   onChange  told a moment after the last key; undefined when the field is empty
 */
import { CloseButton, Kbd, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import type { KeyboardEvent } from "react";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { useLazyText } from "./use-lazy-text.ts";

export interface SearchFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

export function SearchField({ label, hint, value, onChange }: SearchFieldProps) {
  const [typed, change] = useLazyText(value, onChange);
  const clearByKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || typed === "") return;
    event.stopPropagation();
    change("");
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={hint ?? label}
      data-page-search
      aria-keyshortcuts="/"
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={clearByKey}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed === "" ? (
          <Kbd size="xs" aria-hidden visibleFrom="sm">
            /
          </Kbd>
        ) : (
          <CloseButton size="sm" aria-label={COMMON_TEXTS.clear} onClick={() => change("")} />
        )
      }
      w={{ base: "100%", xs: 300 }}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
