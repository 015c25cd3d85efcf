/**
 * Asks before a record is deleted, and says what goes with it; where it cannot be deleted, why, and what to do instead.
 * DeleteRecordDialog { kind, record, name, onClose, onDeleted? }
 */
import { List, Text } from "@mantine/core";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { RECORD_TEXTS as TEXTS } from "../texts/record-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { PageSkeleton } from "../ui/skeletons.tsx";
import { useRecordWrite } from "./use-record-write.ts";

const ACTIONS = {
  player: ["previewPlayerDeletion", "deletePlayer"],
  team: ["previewTeamDeletion", "deleteTeam"],
  event: ["previewEventDeletion", "deleteEvent"],
  prospect: ["previewProspectDeletion", "deleteProspect"],
  contract: ["previewContractDeletion", "deleteContract"],
} as const;

export interface DeleteRecordDialogProps {
  readonly kind: keyof typeof ACTIONS;
  readonly record: { readonly id: string; readonly updatedAt: number };
  /** As people call it. */
  readonly name: string;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

export function DeleteRecordDialog({ kind, record: opened, name, onClose, onDeleted }: DeleteRecordDialogProps) {
  // The one that was asked about, whatever others make of it meanwhile.
  const [record] = useState(opened);
  const { id: orgId } = useOrganization();
  const [previewName, deleteName] = ACTIONS[kind];
  const path = { orgId, recordId: record.id };
  const preview = useAction(previewName, { path }, { staleTime: 0 });
  const remove = useRecordWrite(deleteName, {
    says: TEXTS.deleted(name),
    failure: "shown",
    onDone: () => {
      onClose();
      onDeleted?.();
    },
  });
  const title = TEXTS.deleteTitle(name);
  if (preview.data === undefined || preview.data.refusal !== null) {
    return (
      <PlainDialog isOpen onClose={onClose} title={title}>
        {preview.data?.refusal && <Text>{preview.data.refusal}</Text>}
        {preview.data === undefined &&
          (preview.error === null ? <PageSkeleton /> : <LoadFault failure={preview.error} onRetry={preview.refetch} />)}
      </PlainDialog>
    );
  }
  const { deletes, changes } = preview.data;
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirmLabel={TEXTS.delete}
      onConfirm={() => remove.mutate({ path, body: { updatedAt: record.updatedAt } })}
      onClose={onClose}
      isBusy={remove.isPending}
      failure={remove.error}
    >
      <Text>{TEXTS.deleteBody}</Text>
      <List mt="xs">
        {deletes.map(({ kind: each, count }) => (
          <List.Item key={each}>{TEXTS.goesAlong(count, each)}</List.Item>
        ))}
        {changes.map(({ kind: each, count }) => (
          <List.Item key={each}>{TEXTS.changesAlong(count, each)}</List.Item>
        ))}
      </List>
    </ConfirmDialog>
  );
}
