/**
 * The form of one value that is changed where it stands. It is saved with the version that was seen when it was opened: what somebody else
 * has changed since then is shown before anything is written.
 */
import type { ActionBody } from "@lineup/api/dashboard/actions";
import type { Player } from "@lineup/api/players";
import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { PLAYER_TEXTS } from "../texts/player-texts.ts";
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

export function EditorButtons({ isBusy, onCancel }: { readonly isBusy: boolean; readonly onCancel: () => void }) {
  return (
    <Group gap={6}>
      <Button type="submit" size="xs" loading={isBusy}>
        {COMMON_TEXTS.save}
      </Button>
      <Button size="xs" variant="default" onClick={onCancel}>
        {COMMON_TEXTS.cancel}
      </Button>
    </Group>
  );
}
