import { CloseButton, TextInput, type TextInputProps } from "@mantine/core";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { useLazyText } from "../ui/use-lazy-text.ts";

export interface LazyTextFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
  readonly w?: TextInputProps["w"];
}

/** A text that filters: what is typed is told a moment after the last key. */
export function LazyTextField({ label, value, onChange, placeholder, w }: LazyTextFieldProps) {
  const [typed, change] = useLazyText(value, onChange);
  return (
    <TextInput
      label={label}
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      rightSection={
        typed === "" ? null : (
          <CloseButton size="sm" aria-label={`${COMMON_TEXTS.clear}: ${label}`} onClick={() => change("")} />
        )
      }
      {...(placeholder !== undefined && { placeholder })}
      {...(w !== undefined && { w })}
    />
  );
}
