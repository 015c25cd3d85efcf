import { Button, Group, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";

export interface FindRequestProps {
  /** The id that was looked for. */
  readonly id: string | undefined;
  readonly onFind: (id: string) => void;
}

/** Where a request id is pasted: what integrators quote to support. */
export function FindRequest({ id, onFind }: FindRequestProps) {
  const [typed, setTyped] = useState(id ?? "");
  useEffect(() => setTyped(id ?? ""), [id]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = typed.trim();
    if (wanted !== "") onFind(wanted);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" mb="sm" wrap="nowrap" align="flex-end">
        <TextInput
          label={TEXTS.find}
          placeholder={TEXTS.findHint}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          data-page-search
          aria-keyshortcuts="/"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          flex={1}
          maw={420}
        />
        <Button type="submit" variant="default">
          {TEXTS.findSubmit}
        </Button>
      </Group>
    </form>
  );
}
