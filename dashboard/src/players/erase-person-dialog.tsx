import type { Player } from "@lineup/api/players";
import { List, Stack, Text } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { ERASE_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";

export interface ErasePersonDialogProps {
  readonly person: Pick<Player, "id" | "ign">;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

/** Takes everything about a person out for good. It asks for the name, and says what goes. */
export function ErasePersonDialog({ person, onClose, onErased }: ErasePersonDialogProps) {
  const { id: orgId } = useOrganization();
  const path = { orgId, recordId: person.id };
  const preview = useAction("previewErasure", { path }, { staleTime: 0 });
  const erase = useRecordWrite("erasePerson", {
    says: ({ isSwept }) => TEXTS.done(isSwept),
    failure: "shown",
    onDone: onErased,
  });
  const title = TEXTS.title(person.ign);
  if (preview.data === undefined) {
    return (
      <PlainDialog isOpen onClose={onClose} title={title}>
        {preview.error === null ? (
          <LinesSkeleton lines={3} />
        ) : (
          <LoadFault failure={preview.error} onRetry={preview.refetch} />
        )}
      </PlainDialog>
    );
  }
  const { people, assignments, contracts } = preview.data;
  return (
    <ConfirmDialog
      isOpen
      title={title}
      confirmLabel={TEXTS.submit}
      typedName={person.ign}
      onConfirm={() => erase.mutate({ path })}
      onClose={onClose}
      isBusy={erase.isPending}
      failure={erase.error}
    >
      <Stack gap="xs">
        <Text size="sm">{TEXTS.body}</Text>
        <Text size="sm" fw={600}>
          {TEXTS.people}
        </Text>
        <List size="sm">
          {people.map(({ id, kind, name }) => (
            <List.Item key={id}>
              {name} ({TEXTS[kind]})
            </List.Item>
          ))}
          {assignments > 0 && <List.Item>{TEXTS.assignments(assignments)}</List.Item>}
          {contracts > 0 && <List.Item>{TEXTS.contracts(contracts)}</List.Item>}
        </List>
      </Stack>
    </ConfirmDialog>
  );
}
