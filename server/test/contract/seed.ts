/**
 * A small organization for the contract tests, written straight through the stores' columns: every game, players with and
 * without a team, contracts and schedule entries in every state, and nulls, ties and odd characters wherever a list can
 * be sorted or searched. The moment `SEED_NOW` is the one that the tests' clocks start at.
 */
import type { Contract } from "@lineup/api/contracts";
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import { type Game, kindOfRole, startsByDefault } from "@lineup/api/roles";
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
import type { Store } from "../../src/store/store.ts";

export const SEED_NOW = Date.UTC(2026, 0, 1);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

type StoredContract = Omit<Contract, "playerIgn" | "daysRemaining">;

export interface Seed {
  readonly orgId: string;
  readonly teams: Readonly<Record<Game, Team>>;
  readonly players: readonly [Player, ...Player[]];
  readonly contracts: readonly [StoredContract, ...StoredContract[]];
  readonly entries: readonly [ScheduleEntry, ...ScheduleEntry[]];
  readonly prospects: readonly [Prospect, ...Prospect[]];
}

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

/** Fills an organization. `mark` ends up in its external ids, so that those of two organizations differ where wanted. */
export async function seedOrganization(store: Store, orgId: string, mark = "seed"): Promise<Seed> {
  const teams = seedTeams(mark);
  const players = seedPlayers(teams, mark);
  const contracts = seedContracts(teams, players, mark);
  const entries = seedEntries(teams, mark);
  const prospects = seedProspects(teams, players, mark);
  await store.writeOrg(orgId, async (org) => {
    await insertTeams(org, Object.values(teams));
    await insertPlayers(org, players);
    const [first] = players;
    const past = assignmentRow(first, teams.Other.id, SEED_NOW - 300 * DAY_MS, SEED_NOW - 200 * DAY_MS);
    await org.insertInto("assignments", [{ ...past, role: "Coach", kind: "staff" as const }]).execute();
    await insertContracts(org, contracts);
    await insertEntries(org, entries);
    await insertProspects(org, prospects);
  });
  return { orgId, teams, players, contracts, entries, prospects };
}

function seedTeams(mark: string): Record<Game, Team> {
  return {
    LoL: makeTeam({
      name: "Aurora",
      tag: "AUR",
      region: "EU",
      logoUrl: "https://example.com/aurora.png",
      playerCount: 3,
      externalIds: { board: `${mark}-lol` },
    }),
    Valorant: makeTeam({ name: "Straße 100%", game: "Valorant", region: "EU", playerCount: 2 }),
    CS2: makeTeam({ name: "aurora", tag: "AU_2", game: "CS2", division: "academy", playerCount: 1 }),
    Other: makeTeam({ name: "İzmir", tag: "\\o/", game: "Other", division: "other", status: "inactive" }),
  };
}

function seedPlayers(teams: Record<Game, Team>, mark: string): [Player, ...Player[]] {
  const at = (days: number) => SEED_NOW - days * DAY_MS;
  return [
    makePlayer({
      ign: "Vex",
      realName: "Elin Sandberg",
      role: "Mid",
      teamId: teams.LoL.id,
      contractStatus: "active",
      nationality: "SE",
      imageUrl: "https://example.com/vex.png",
      stats: { kda: 4.2, winRate: "61%" },
      externalIds: { board: `${mark}-vex`, steam: "1" },
      updatedAt: at(5),
    }),
    makePlayer({
      ign: "vex",
      role: "Top",
      teamId: teams.LoL.id,
      status: "benched",
      updatedAt: at(5),
      joinDate: at(70),
    }),
    makePlayer({ ign: "Åsa", realName: "Åsa Öberg", role: "Coach", teamId: teams.LoL.id, nationality: "SE" }),
    makePlayer({ ign: "100%", role: "Duelist", teamId: teams.Valorant.id, contractStatus: "in_negotiation" }),
    makePlayer({ ign: "a_b", realName: "Weiß", role: "Substitute", teamId: teams.Valorant.id, nationality: "DE" }),
    makePlayer({ ign: "back\\slash", role: "AWPer", teamId: teams.CS2.id, contractStatus: "expired" }),
    makePlayer({ ign: "İlk", realName: "Işık", status: "inactive", contractStatus: "terminated", updatedAt: at(1) }),
    makePlayer({ ign: "😀", role: "Manager", joinDate: at(70), nationality: "DE", updatedAt: SEED_NOW }),
    makePlayer({ ign: "ｚ", role: "Captain", imageUrl: "https://example.com/z.png" }),
  ];
}

function seedContracts(teams: Record<Game, Team>, players: [Player, ...Player[]], mark: string) {
  const [first, second = first, third = first] = players;
  const in_ = (days: number) => SEED_NOW + days * DAY_MS;
  const contracts: [StoredContract, ...StoredContract[]] = [
    makeContract(first.id, {
      teamId: teams.LoL.id,
      endDate: in_(20),
      signedAt: in_(-71),
      noticePeriodDays: 30,
      autoRenew: true,
      externalIds: { board: `${mark}-c1` },
    }),
    makeContract(first.id, { status: "draft", kind: "loan", endDate: in_(10) }),
    makeContract(second.id, { status: "pending", kind: "trial", startDate: in_(1) }),
    makeContract(second.id, { endDate: in_(-3), noticePeriodDays: 14, teamId: teams.LoL.id }),
    makeContract(second.id, { endDate: null, signedAt: in_(-71) }),
    makeContract(third.id, { status: "expired", endDate: in_(-40), kind: "staff" }),
    makeContract(third.id, { status: "terminated", endDate: in_(40), terminatedAt: in_(-9), kind: "staff" }),
    makeContract(third.id, { endDate: in_(200), teamId: teams.CS2.id }),
    makeContract(third.id, { endDate: in_(0.5), teamId: teams.CS2.id, updatedAt: in_(-1) }),
  ];
  return contracts;
}

function seedEntries(teams: Record<Game, Team>, mark: string): [ScheduleEntry, ...ScheduleEntry[]] {
  const at = (hours: number) => SEED_NOW + hours * HOUR_MS;
  return [
    makeEntry({
      kind: "match",
      title: "Final",
      teamId: teams.LoL.id,
      game: "LoL",
      startsAt: at(48),
      endsAt: at(52),
      timezone: "Europe/Berlin",
      opponent: "Borealis",
      competition: "Winter Cup",
      stage: "Final",
      bestOf: 5,
      location: "Malmö",
      streamUrl: "https://example.com/live",
      externalIds: { board: `${mark}-e1` },
    }),
    makeEntry({ title: "Running late", startsAt: at(-5), game: "CS2", teamId: teams.CS2.id }),
    makeEntry({ title: "Long over", startsAt: at(-7) }),
    makeEntry({ title: "Ended by its own end", startsAt: at(-2), endsAt: at(-1) }),
    makeEntry({ title: "Long session", kind: "practice", startsAt: at(-9), endsAt: at(1), location: "Malmö" }),
    makeEntry({ title: "Live", kind: "match", status: "live", startsAt: at(-30), bestOf: 3, opponent: "Borealis" }),
    makeEntry({ title: "Put off", kind: "scrim", status: "postponed", startsAt: at(-90), previousStartsAt: at(-100) }),
    makeEntry({
      title: "Won",
      kind: "match",
      status: "completed",
      startsAt: at(-72),
      bestOf: 3,
      result: { own: 2, opponent: 1 },
      updatedAt: at(-1),
    }),
    makeEntry({ title: "Called off", status: "cancelled", startsAt: at(72), timezone: "Asia/Seoul" }),
  ];
}

function seedProspects(teams: Record<Game, Team>, players: [Player, ...Player[]], mark: string) {
  const prospects: [Prospect, ...Prospect[]] = [
    makeProspect({
      ign: "Nyx",
      realName: "Nora Weiß",
      game: "Valorant",
      role: "Duelist",
      stage: "trial",
      priority: "high",
      rating: 8.5,
      currentTeam: "Borealis",
      nationality: "Norway",
      region: "EU",
      source: "ladder",
      assignedTo: "Mara",
      notes: "Calm.\nReads the map.",
      targetTeamId: teams.Valorant.id,
      contractEndDate: SEED_NOW + 30 * DAY_MS,
      lastContactAt: SEED_NOW - DAY_MS,
      tags: ["aim", "calm"],
      externalIds: { board: `${mark}-p1` },
      updatedAt: SEED_NOW - DAY_MS,
    }),
    makeProspect({ ign: "nyx", stage: "contacted", rating: 8.5, assignedTo: "Mara" }),
    makeProspect({ ign: "100%er", stage: "offered", rating: 10, priority: "low", region: "EU" }),
    makeProspect({ ign: "1000er", stage: "rejected", rating: 0, priority: "low", notes: "" }),
    makeProspect({ ign: "Sign", stage: "signed", playerId: players[0].id, game: "LoL", role: "Mid" }),
    makeProspect({ ign: "Éclair", game: "CS2", role: "AWPer", notes: "Long talks", assignedTo: "Ben, Mara" }),
  ];
  return prospects;
}
