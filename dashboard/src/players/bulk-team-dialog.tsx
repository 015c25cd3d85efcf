import type { Player } from "@lineup/api/players";
import { type Game, isRoleOf } from "@lineup/api/roles";
import { NativeSelect, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { RoleSelect } from "../records/record-fields.tsx";
import { useRecords } from "../records/use-records.ts";
import { BULK_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { BulkFrame } from "./bulk-frame.tsx";
import { movePlayerTo } from "./player-tasks.ts";
import { NO_TEAM } from "./players-search.ts";

export interface BulkTeamDialogProps {
  readonly orgId: string;
  readonly players: readonly Player[];
  readonly onClose: () => void;
}

/** Moves many players to one team, each in a role that its game knows. */
export function BulkTeamDialog({ orgId, players, onClose }: BulkTeamDialogProps) {
  const teams = useRecords("team");
  const roster = useRecords("assignment");
  const openOf = useMemo(() => new Map((roster.all ?? []).map((entry) => [entry.playerId, entry])), [roster.all]);
  const [chosen, setChosen] = useState("");
  const [roles, setRoles] = useState<ReadonlyMap<string, string>>(new Map());
  const [roleOfAll, setRoleOfAll] = useState<string | null>(null);
  const teamId = chosen === NO_TEAM ? null : chosen;
  const game: Game = teamId === null ? "Other" : (teams.byId.get(teamId)?.game ?? "Other");
  const toMove = chosen === "" ? [] : players.filter((player) => player.teamId !== teamId);
  const roleOf = (player: Player) =>
    isRoleOf(game, player.role) ? player.role : (roles.get(player.id) ?? roleOfAll ?? undefined);
  const misfits = toMove.filter((player) => !isRoleOf(game, player.role));
  const isReady = chosen !== "" && roster.isComplete && toMove.every((player) => roleOf(player) !== undefined);
  const tasks = isReady
    ? toMove.map((player) =>
        movePlayerTo(orgId, player, openOf.get(player.id), { teamId, role: roleOf(player) ?? player.role }),
      )
    : null;
  const choose = (next: string) => {
    setChosen(next);
    // Roles of one game are not those of another.
    setRoles(new Map());
    setRoleOfAll(null);
  };
  return (
    <BulkFrame orgId={orgId} title={TEXTS.teamTitle(players.length)} onClose={onClose} tasks={tasks}>
      <DestinationSelect value={chosen} onChange={choose} />
      {chosen !== "" && toMove.length < players.length && (
        <Text size="sm">{TEXTS.alreadySo(players.length - toMove.length)}</Text>
      )}
      {misfits.length > 0 && (
        <MisfitRoles
          misfits={misfits}
          game={game}
          gameWord={teamId === null ? TEXTS.withoutTeam : game}
          roles={roles}
          roleOfAll={roleOfAll}
          onRole={(id, role) => setRoles(new Map(roles).set(id, role))}
          onRoleOfAll={setRoleOfAll}
        />
      )}
      {chosen !== "" && !roster.isComplete && <LinesSkeleton lines={1} />}
    </BulkFrame>
  );
}

function DestinationSelect({ value, onChange }: { readonly value: string; readonly onChange: (to: string) => void }) {
  const { all = [] } = useRecords("team");
  const active = all
    .filter(({ status }) => status === "active")
    .map(({ id, name, game }) => ({ value: id, label: `${name} (${game})` }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <NativeSelect
      label={TEXTS.toTeam}
      data={[{ value: "", label: TEXTS.chooseTeam }, ...active, { value: NO_TEAM, label: TEXTS.toNoTeam }]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus
    />
  );
}

interface MisfitRolesProps {
  readonly misfits: readonly Player[];
  readonly game: Game;
  readonly gameWord: string;
  readonly roles: ReadonlyMap<string, string>;
  readonly roleOfAll: string | null;
  readonly onRole: (id: string, role: string) => void;
  readonly onRoleOfAll: (role: string | null) => void;
}

const SHOWN_MAX = 40;

function MisfitRoles({ misfits, game, gameWord, roles, roleOfAll, onRole, onRoleOfAll }: MisfitRolesProps) {
  return (
    <Stack gap="xs">
      <Text size="sm">{TEXTS.misfits(misfits.length, gameWord)}</Text>
      {misfits.length > 1 && (
        <RoleSelect label={TEXTS.sameForAll} game={game} value={roleOfAll} onChange={onRoleOfAll} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
        {misfits.slice(0, SHOWN_MAX).map(({ id, ign, role }) => (
          <RoleSelect
            key={id}
            label={TEXTS.roleOf(ign)}
            description={role}
            game={game}
            value={roles.get(id) ?? roleOfAll}
            onChange={(chosen) => chosen !== null && onRole(id, chosen)}
          />
        ))}
      </SimpleGrid>
      {misfits.length > SHOWN_MAX && <Text size="sm">{TEXTS.moreMisfits(misfits.length - SHOWN_MAX)}</Text>}
    </Stack>
  );
}
