/** Team and role belong together: the role must be one of the team's game. A change of either is a move in the roster, with one step back. */
import type { Player } from "@lineup/api/players";
import { isRoleOf } from "@lineup/api/roles";
import { Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useOrganization } from "../client/session.ts";
import { type RecordSet, recordsKey } from "../records/record-cache.ts";
import { RoleSelect, TeamSelect } from "../records/record-fields.tsx";
import { useRecordWrite } from "../records/use-record-write.ts";
import { useRecords } from "../records/use-records.ts";
import { PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { focusField } from "../ui/editable-fact.tsx";
import { EditorButtons } from "../ui/editor-buttons.tsx";
import { FormError } from "../ui/form-error.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { moveBody, stepBack } from "./player-tasks.ts";

interface TeamRoleEditorProps {
  readonly player: Player;
  readonly close: () => void;
}

export function TeamRoleEditor(props: TeamRoleEditorProps) {
  const roster = useRecords("assignment");
  const teams = useRecords("team");
  if (!roster.isComplete || !teams.isComplete) return <LinesSkeleton lines={2} />;
  return <TeamRoleForm {...props} />;
}

function TeamRoleForm({ player, close }: TeamRoleEditorProps) {
  const { id: orgId } = useOrganization();
  const client = useQueryClient();
  const teams = useRecords("team");
  const roster = useRecords("assignment");
  // As it was when the form was opened: what others do meanwhile is shown before anything is written.
  const [seen] = useState(() => ({ player, open: roster.all?.find(({ playerId }) => playerId === player.id) }));
  const [teamId, setTeamId] = useState(player.teamId);
  const [role, setRole] = useState<string | null>(player.role);
  const [isTried, setIsTried] = useState(false);
  const game = teamId === null ? "Other" : (teams.byId.get(teamId)?.game ?? "Other");
  const isFit = role !== null && isRoleOf(game, role);
  const write = useRecordWrite("movePlayer", {
    says: TEXTS.moved,
    failure: "shown",
    // What the move has changed is here by then; without an entry in the roster, the player has the version that counts.
    undo: ({ entry }) => {
      const moved = client.getQueryData<RecordSet<"player">>(recordsKey(orgId, "player"))?.byId.get(player.id);
      const updatedAt = entry?.updatedAt ?? moved?.updatedAt;
      return updatedAt === undefined ? undefined : stepBack(orgId, seen.player, seen.open, updatedAt);
    },
    onDone: close,
  });
  const form = useRef<HTMLFormElement>(null);
  // The roster may have come after the form was asked for.
  useEffect(() => focusField(form.current), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (!isFit) return;
    if (teamId === player.teamId && role === player.role) return close();
    write.mutate(
      { path: { orgId, recordId: player.id }, body: moveBody(seen.player, seen.open, { teamId, role }) },
      { onError: ({ current }) => current !== undefined && close() },
    );
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap={6}>
        <TeamSelect value={teamId} onChange={setTeamId} />
        <RoleSelect game={game} value={role} onChange={setRole} error={isTried && !isFit ? TEXTS.missingRole : null} />
        <FormError failure={write.error?.current === undefined ? write.error : null} />
        <EditorButtons isBusy={write.isPending} onCancel={close} />
      </Stack>
    </form>
  );
}
