/**
 * The form of one value that is changed where it stands. It is saved with the version that was seen when it was opened: what somebody else
 * has changed since then is shown before anything is written.
 */
import type { ActionBody } from "@lineup/api/dashboard/actions";
import type { Player } from "@lineup/api/players";
import { Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { PLAYER_TEXTS } from "../texts/player-texts.ts";
import { EditorButtons } from "../ui/editor-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";

export type PlayerPatch = Omit<ActionBody<"updatePlayer">, "updatedAt">;

export interface ValueEditorProps<T> {
  readonly player: Player;
  readonly name: string;
  readonly initial: T;
  readonly toPatch: (value: T) => PlayerPatch;
  readonly children: (value: T, change: (value: T) => void) => ReactNode;
  readonly close: () => void;
}

export function ValueEditor<T>({ player, name, initial, toPatch, children, close }: ValueEditorProps<T>) {
  const { id: orgId } = useOrganization();
  const [seenAt] = useState(player.updatedAt);
  const [value, setValue] = useState(initial);
  const write = useRecordWrite("updatePlayer", {
    says: PLAYER_TEXTS.saved(name),
    undo: "fields",
    failure: "shown",
    onDone: close,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value === initial) return close();
    write.mutate(
      { path: { orgId, recordId: player.id }, body: { ...toPatch(value), updatedAt: seenAt } },
      // Both versions are shown then, and what was typed is one of them.
      { onError: ({ current }) => current !== undefined && close() },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap={6}>
        {children(value, setValue)}
        <FormError failure={write.error?.current === undefined ? write.error : null} />
        <EditorButtons isBusy={write.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
