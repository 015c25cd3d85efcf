/** Records of every kind with plain values, and how they get into an organization: through the stores' own columns. */
import { contractResource } from "@lineup/api/contracts";
import { type Player, playerResource } from "@lineup/api/players";
import { type Prospect, prospectResource } from "@lineup/api/prospects";
import { fillIn } from "@lineup/api/resource";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import { type ScheduleEntry, scheduleResource } from "@lineup/api/schedule";
import { type Team, teamResource } from "@lineup/api/teams";
import { contractStore, type StoredContract } from "../../src/resources/contracts/contract-store.ts";
import { playerStore } from "../../src/resources/players/player-store.ts";
import { prospectStore } from "../../src/resources/prospects/prospect-store.ts";
import { scheduleStore } from "../../src/resources/schedule/schedule-store.ts";
import { teamStore } from "../../src/resources/teams/team-store.ts";
import { saveExternalIds } from "../../src/store/external-ids.ts";
import { makeId } from "../../src/store/ids.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import type { ExternalIdKind } from "../../src/store/schema.ts";

/** The moment that the tests' clocks start at. */
export const SEED_NOW = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const TIMES = { createdAt: SEED_NOW - 90 * DAY_MS, updatedAt: SEED_NOW - 60 * DAY_MS };

export function makeTeam(fields: Partial<Team> = {}): Team {
  return fillIn(teamResource, { id: makeId("team"), name: "Aurora", game: "LoL", ...TIMES, ...fields }, SEED_NOW);
}

export function makePlayer(fields: Partial<Player> = {}): Player {
  const joinDate = SEED_NOW - 80 * DAY_MS;
  return fillIn(
    playerResource,
    { id: makeId("player"), ign: "Vex", role: "Player", joinDate, ...TIMES, ...fields },
    SEED_NOW,
  );
}

export function makeContract(playerId: string, fields: Partial<StoredContract> = {}): StoredContract {
  const terms = { status: "active", startDate: SEED_NOW - 70 * DAY_MS };
  return fillIn(contractResource, { id: makeId("contract"), playerId, ...terms, ...TIMES, ...fields }, SEED_NOW);
}

export function makeEntry(fields: Partial<ScheduleEntry> = {}): ScheduleEntry {
  const entry = { id: makeId("event"), title: "Media day", startsAt: SEED_NOW + DAY_MS };
  return fillIn(scheduleResource, { ...entry, ...TIMES, ...fields }, SEED_NOW);
}

export function makeProspect(fields: Partial<Prospect> = {}): Prospect {
  const stageChangedAt = SEED_NOW - 60 * DAY_MS;
  return fillIn(
    prospectResource,
    { id: makeId("prospect"), ign: "Nyx", stageChangedAt, ...TIMES, ...fields },
    SEED_NOW,
  );
}

export async function insertTeams(org: OrgStore, teams: readonly Team[]): Promise<void> {
  await org.insertInto("teams", teams.map(teamStore.toRow)).execute();
  await saveAll(org, "team", teams);
}

/** With an open assignment for anyone who has a team. */
export async function insertPlayers(org: OrgStore, players: readonly Player[]): Promise<void> {
  await org.insertInto("players", players.map(playerStore.toRow)).execute();
  await saveAll(org, "player", players);
  const placed = players.flatMap((player) =>
    player.teamId === null ? [] : [assignmentRow(player, player.teamId, player.joinDate, null)],
  );
  if (placed.length > 0) await org.insertInto("assignments", placed).execute();
}

export function assignmentRow(player: Player, teamId: string, joinedAt: number, leftAt: number | null) {
  return {
    id: makeId("assignment"),
    player_id: player.id,
    team_id: teamId,
    role: player.role,
    kind: kindOfRole(player.role),
    is_starter: Number(startsByDefault(player.role)),
    is_captain: Number(player.ign === "Vex"),
    joined_at: joinedAt,
    left_at: leftAt,
    import_id: null,
    created_at: player.createdAt,
    updated_at: player.updatedAt,
  };
}

export async function insertContracts(org: OrgStore, contracts: readonly StoredContract[]): Promise<void> {
  await org.insertInto("contracts", contracts.map(contractStore.toRow)).execute();
  await saveAll(org, "contract", contracts);
}

export async function insertEntries(org: OrgStore, entries: readonly ScheduleEntry[]): Promise<void> {
  await org.insertInto("schedule_entries", entries.map(scheduleStore.toRow)).execute();
  await saveAll(org, "event", entries);
}

export async function insertProspects(org: OrgStore, prospects: readonly Prospect[]): Promise<void> {
  await org.insertInto("prospects", prospects.map(prospectStore.toRow)).execute();
  await saveAll(org, "prospect", prospects);
}

type Identified = { readonly id: string; readonly externalIds: Readonly<Record<string, string>> };

async function saveAll(org: OrgStore, kind: ExternalIdKind, records: readonly Identified[]): Promise<void> {
  for (const record of records) await saveExternalIds(org, kind, record.id, {}, record.externalIds);
}
