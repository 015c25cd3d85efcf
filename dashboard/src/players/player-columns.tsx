/** The columns of the list of players. */
import type { Player } from "@lineup/api/players";
import type { Team } from "@lineup/api/teams";
import { nameCountry } from "../records/country-names.ts";
import { nameTeam } from "../records/name-team.ts";
import { PLAYERS_TEXTS } from "../texts/player-texts.ts";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import type { RecordColumn } from "../ui/record-columns.ts";
import { StatusWord } from "../ui/status-word.tsx";
import { CONTRACT_STATUSES, lookOfContract, lookOfStatus, PLAYER_STATUSES } from "./player-looks.ts";

const { columns } = PLAYERS_TEXTS;

export const HIDDEN_COLUMNS = ["game", "nationality", "externalIds", "updatedAt", "id"] as const;

export function makePlayerColumns(orgId: string, teams: ReadonlyMap<string, Team>): readonly RecordColumn<Player>[] {
  const teamOf = ({ teamId }: Player) => (teamId === null ? undefined : teams.get(teamId));
  return [
    {
      key: "ign",
      header: columns.ign,
      isHeading: true,
      width: 140,
      sortValue: ({ ign }) => ign,
      cell: ({ id, ign }) => (
        <TextLink inherit to="/orgs/$orgId/data/players/$playerId" params={{ orgId, playerId: id }} fw={600}>
          {ign}
        </TextLink>
      ),
    },
    {
      key: "realName",
      header: columns.realName,
      width: 160,
      sortValue: ({ realName }) => realName,
      cell: ({ realName }) => realName,
    },
    {
      key: "team",
      header: columns.team,
      width: 150,
      sortValue: (player) => teamOf(player)?.name ?? null,
      cell: ({ teamId }) =>
        teamId === null ? <Dim>{PLAYERS_TEXTS.noTeam}</Dim> : nameTeam(teams, teamId, PLAYERS_TEXTS.noTeam),
    },
    {
      key: "game",
      header: columns.game,
      width: 100,
      sortValue: (player) => teamOf(player)?.game ?? null,
      cell: (player) => teamOf(player)?.game,
    },
    { key: "role", header: columns.role, width: 120, sortValue: ({ role }) => role, cell: ({ role }) => role },
    {
      key: "status",
      header: columns.status,
      width: 110,
      sortValue: ({ status }) => PLAYER_STATUSES.indexOf(status),
      cell: ({ status }) => <StatusWord {...lookOfStatus(status)} />,
    },
    {
      key: "contractStatus",
      header: columns.contractStatus,
      width: 140,
      sortValue: ({ contractStatus }) => CONTRACT_STATUSES.indexOf(contractStatus),
      cell: ({ contractStatus }) => <StatusWord {...lookOfContract(contractStatus)} />,
    },
    {
      key: "nationality",
      header: columns.nationality,
      width: 130,
      sortValue: ({ nationality }) => nationality && nameCountry(nationality),
      cell: ({ nationality }) => nationality && nameCountry(nationality),
    },
    {
      key: "joinDate",
      header: columns.joinDate,
      width: 110,
      sortValue: ({ joinDate }) => joinDate,
      cell: ({ joinDate }) => <ExactTime at={joinDate} as="utc-day" isStop={false} />,
    },
    {
      key: "externalIds",
      header: columns.externalIds,
      width: 190,
      cell: ({ externalIds }) =>
        Object.entries(externalIds)
          .map(([system, id]) => `${system}: ${id}`)
          .join(", "),
    },
    {
      key: "updatedAt",
      header: columns.updatedAt,
      width: 110,
      sortValue: ({ updatedAt }) => updatedAt,
      cell: ({ updatedAt }) => <ExactTime at={updatedAt} as="day-time" isStop={false} />,
    },
    { key: "id", header: columns.id, width: 280, cell: ({ id }) => <code>{id}</code> },
  ];
}

function Dim({ children }: { readonly children: string }) {
  return <span style={{ color: "var(--mantine-color-dimmed)" }}>{children}</span>;
}
