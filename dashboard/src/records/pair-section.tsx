/** Names and values that people add themselves, such as statistics: a small list, changed as a whole. */
import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPencil, IconPlus, IconX } from "@tabler/icons-react";
import { type FormEvent, useRef, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { PAIR_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { EditorButtons } from "../ui/editor-buttons.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { FormError } from "../ui/form-error.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { findPairFault, type Pair, type PairField } from "./pairs.ts";
import { useRecordWrite } from "./use-record-write.ts";

interface PairFieldProps<R> {
  readonly record: R;
  readonly field: PairField<R>;
  /** What changes such a record; its body takes what the field writes. */
  readonly update: "updatePlayer" | "updateProspect" | "updateContract";
}

export interface PairSectionProps<R> extends PairFieldProps<R> {
  readonly mayManage: boolean;
  readonly heading?: 2 | 3;
}

interface Versioned {
  readonly id: string;
  readonly updatedAt: number;
}

export function PairSection<R extends Versioned>({ mayManage, heading = 2, ...props }: PairSectionProps<R>) {
  const { record, field } = props;
  const [isOpen, setIsOpen] = useState(false);
  const pairs = field.read(record);
  const edit = mayManage && !isOpen && (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconPencil size={14} aria-hidden />}
      aria-label={TEXTS.editPairs(field.title)}
      onClick={() => setIsOpen(true)}
    >
      {TEXTS.change}
    </Button>
  );
  return (
    <SectionCard title={field.title} heading={heading} actions={edit || undefined}>
      {isOpen ? (
        <PairForm {...props} close={() => setIsOpen(false)} />
      ) : pairs.length === 0 ? (
        <Text size="sm" c="dimmed">
          {field.empty}
        </Text>
      ) : (
        <FactList facts={pairs.map(({ name, value }) => ({ name, value }))} />
      )}
    </SectionCard>
  );
}

interface PairFormProps<R> extends PairFieldProps<R> {
  readonly close: () => void;
}

function PairForm<R extends Versioned>({ record, field, update, close }: PairFormProps<R>) {
  const { id: orgId } = useOrganization();
  const [seen] = useState(record);
  const lines = usePairLines(field.read(record));
  const [fault, setFault] = useState<string | null>(null);
  const write = useRecordWrite(update as "updatePlayer", {
    says: TEXTS.saved(field.title),
    failure: "shown",
    undo: ({ updatedAt }) => ({
      name: update as "updatePlayer",
      input: { path: { orgId, recordId: record.id }, body: { ...field.toUndo(seen, lines.pairs), updatedAt } },
    }),
    onDone: close,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = findPairFault(lines.pairs);
    setFault(found);
    if (found !== null) return;
    write.mutate(
      {
        path: { orgId, recordId: record.id },
        body: { ...field.toPatch(seen, lines.pairs), updatedAt: seen.updatedAt },
      },
      { onError: ({ current }) => current !== undefined && close() },
    );
  };
  return (
    // Escape takes back these lines alone, and not the panel that they stand in.
    <form onSubmit={submit} noValidate data-changed onKeyDown={({ key }) => key === "Escape" && close()}>
      <Stack gap="xs">
        {lines.all.map(({ id, name, value }, index) => (
          <Group key={id} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={`${field.nameLabel} ${index + 1}`}
              placeholder={field.nameLabel}
              value={name}
              onChange={(event) => lines.change(id, { name: event.currentTarget.value })}
              autoComplete="off"
              data-mantine-stop-propagation="true"
              autoFocus={lines.isLast(id)}
              flex={1}
            />
            <TextInput
              aria-label={`${field.valueLabel} ${index + 1}`}
              placeholder={field.valueLabel}
              value={value}
              onChange={(event) => lines.change(id, { value: event.currentTarget.value })}
              autoComplete="off"
              data-mantine-stop-propagation="true"
              flex={1}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={TEXTS.removePair(name)}
              onClick={() => lines.remove(id)}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button size="xs" variant="light" leftSection={<IconPlus size={14} aria-hidden />} onClick={lines.add}>
            {TEXTS.addPair}
          </Button>
        </Group>
        {fault !== null && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fault}
          </Text>
        )}
        <FormError failure={write.error?.current === undefined ? write.error : null} />
        <EditorButtons isBusy={write.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}

interface PairLine extends Pair {
  readonly id: number;
}

/** The lines of the form; there is always one to type into at first. */
function usePairLines(initial: readonly Pair[]) {
  const next = useRef(initial.length + 1);
  const [all, setAll] = useState<readonly PairLine[]>(() =>
    (initial.length === 0 ? [{ name: "", value: "" }] : initial).map((pair, id) => ({ ...pair, id })),
  );
  return {
    all,
    pairs: all.map(({ name, value }) => ({ name: name.trim(), value: value.trim() })),
    isLast: (id: number) => all.at(-1)?.id === id,
    add: () => setAll([...all, { id: next.current++, name: "", value: "" }]),
    remove: (id: number) => setAll(all.filter((line) => line.id !== id)),
    change: (id: number, part: Partial<Pair>) =>
      setAll(all.map((line) => (line.id === id ? { ...line, ...part } : line))),
  };
}
