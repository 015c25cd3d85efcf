/** Somebody else has changed the record: what they wrote beside what you wrote, field by field, and the choice between them. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { RequestFailure } from "../client/request-failure.ts";
import { labelField, type NameOf, showValue } from "../compliance/field-changes.ts";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormError } from "../ui/form-error.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { type ComparedField, compareFields } from "./compared-fields.ts";
import { type Conflict, endConflict } from "./conflicts.ts";
import { useTeamNames } from "./use-team-names.ts";

function makeColumns(nameOf: NameOf): readonly Column<ComparedField>[] {
  const show = (field: string, value: unknown) =>
    value === undefined ? TEXTS.unchanged : showValue(field, value, nameOf);
  return [
    { key: "field", header: TEXTS.field, isHeading: true, cell: ({ field }) => labelField(field) },
    { key: "seen", header: TEXTS.seen, isTyped: true, cell: ({ field, seen }) => show(field, seen) },
    { key: "theirs", header: TEXTS.theirs, isTyped: true, cell: ({ field, theirs }) => show(field, theirs) },
    { key: "yours", header: TEXTS.yours, isTyped: true, cell: ({ field, yours }) => show(field, yours) },
  ];
}

export function ConflictDialog({ conflict }: { readonly conflict: Conflict }) {
  const [failure, setFailure] = useState<RequestFailure | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [current, setCurrent] = useState(conflict.current);
  const nameOf = useTeamNames();
  const close = () => endConflict(conflict);
  const saveMine = async () => {
    setBusy(true);
    try {
      await conflict.retry(Number(current.updatedAt));
      close();
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      // Once more: what stands now is compared anew.
      if (error.current !== undefined) setCurrent(error.current);
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <PlainDialog isOpen onClose={close} title={TEXTS.conflictTitle} size="xl" isFirm>
      <Stack gap="md">
        <Text size="sm">{TEXTS.conflictBody}</Text>
        <DataTable
          label={TEXTS.conflictTable}
          columns={makeColumns(nameOf)}
          rows={compareFields(conflict.seen, current, conflict.input.body ?? {})}
          rowKey={({ field }) => field}
        />
        <FormError failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={isBusy}>
            {TEXTS.keepTheirs}
          </Button>
          <Button onClick={() => void saveMine()} loading={isBusy}>
            {TEXTS.saveMine}
          </Button>
        </Group>
      </Stack>
    </PlainDialog>
  );
}
