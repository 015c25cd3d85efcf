/** Records of every kind with plain values, and how they get into an organization: through the stores' own columns. */
import type { Contract } from "@lineup/api/contracts";
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import { kindOfRole, startsByDefault } from "@lineup/api/roles";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import { contractColumns } from "../../src/resources/contracts/contract-store.ts";
import { playerColumns } from "../../src/resources/players/player-store.ts";
import { prospectColumns } from "../../src/resources/prospects/prospect-store.ts";
import { scheduleEntryColumns } from "../../src/resources/schedule/schedule-store.ts";
import { teamColumns } from "../../src/resources/teams/team-store.ts";
import { saveExternalIds } from "../../src/store/external-ids.ts";
import { makeId } from "../../src/store/ids.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import type { ExternalIdKind } from "../../src/store/schema.ts";

/** The moment that the tests' clocks start at. */
export const SEED_NOW = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export type StoredContract = Omit<Contract, "playerIgn" | "daysRemaining">;

const RECORD = { externalIds: {}, createdAt: SEED_NOW - 90 * DAY_MS, updatedAt: SEED_NOW - 60 * DAY_MS };

export function makeTeam(fields: Partial<Team> = {}): Team {
  return {
    id: makeId("team"),
    name: "Aurora",
    tag: null,
    game: "LoL",
    division: "main",
    region: null,
    logoUrl: null,
    status: "active",
    playerCount: 0,
    ...RECORD,
    ...fields,
  };
}

export function makePlayer(fields: Partial<Player> = {}): Player {
  return {
    id: makeId("player"),
    ign: "Vex",
    realName: "",
    role: "Player",
    teamId: null,
    contractStatus: "unsigned",
    joinDate: SEED_NOW - 80 * DAY_MS,
    status: "active",
    nationality: null,
    imageUrl: null,
    stats: null,
    ...RECORD,
    ...fields,
  };
}

export function makeContract(playerId: string, fields: Partial<StoredContract> = {}): StoredContract {
  return {
    id: makeId("contract"),
    playerId,
    teamId: null,
    kind: "player",
    status: "active",
    startDate: SEED_NOW - 70 * DAY_MS,
    endDate: null,
    signedAt: null,
    terminatedAt: null,
    autoRenew: false,
    noticePeriodDays: null,
    ...RECORD,
    ...fields,
  };
}

export function makeEntry(fields: Partial<ScheduleEntry> = {}): ScheduleEntry {
  return {
    id: makeId("event"),
    kind: "event",
    title: "Media day",
    teamId: null,
    game: "Other",
    status: "scheduled",
    startsAt: SEED_NOW + DAY_MS,
    endsAt: null,
    previousStartsAt: null,
    timezone: null,
    opponent: null,
    competition: null,
    stage: null,
    bestOf: null,
    location: null,
    streamUrl: null,
    result: null,
    ...RECORD,
    ...fields,
  };
}

export function makeProspect(fields: Partial<Prospect> = {}): Prospect {
  return {
    id: makeId("prospect"),
    ign: "Nyx",
    realName: "",
    game: "Other",
    role: null,
    stage: "identified",
    stageChangedAt: SEED_NOW - 60 * DAY_MS,
    priority: "medium",
    rating: null,
    currentTeam: null,
    nationality: null,
    region: null,
    source: null,
    assignedTo: null,
    notes: null,
    targetTeamId: null,
    playerId: null,
    contractEndDate: null,
    lastContactAt: null,
    tags: [],
    ...RECORD,
    ...fields,
  };
}

export async function insertTeams(org: OrgStore, teams: readonly Team[]): Promise<void> {
  await org.insertInto("teams", teams.map(teamColumns)).execute();
  await saveAll(org, "team", teams);
}

/** With an open assignment for whoever has a team. */
export async function insertPlayers(org: OrgStore, players: readonly Player[]): Promise<void> {
  await org.insertInto("players", players.map(playerColumns)).execute();
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
  await org.insertInto("contracts", contracts.map(contractColumns)).execute();
  await saveAll(org, "contract", contracts);
}

export async function insertEntries(org: OrgStore, entries: readonly ScheduleEntry[]): Promise<void> {
  await org.insertInto("schedule_entries", entries.map(scheduleEntryColumns)).execute();
  await saveAll(org, "event", entries);
}

export async function insertProspects(org: OrgStore, prospects: readonly Prospect[]): Promise<void> {
  await org.insertInto("prospects", prospects.map(prospectColumns)).execute();
  await saveAll(org, "prospect", prospects);
}

type Identified = { readonly id: string; readonly externalIds: Readonly<Record<string, string>> };

async function saveAll(org: OrgStore, kind: ExternalIdKind, records: readonly Identified[]): Promise<void> {
  for (const record of records) await saveExternalIds(org, kind, record.id, {}, record.externalIds);
}
