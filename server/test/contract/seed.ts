/**
 * A small organization for the contract tests: every game, players with and without a team, contracts and schedule entries
 * in every state, and nulls, ties and odd characters wherever a list can be sorted or searched.
 */
import { RESOURCES, type SomeResource } from "@lineup/api/endpoints";
import type { Player } from "@lineup/api/players";
import type { Prospect } from "@lineup/api/prospects";
import type { Game } from "@lineup/api/roles";
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { Team } from "@lineup/api/teams";
import type { StoredContract } from "../../src/resources/contracts/contract-store.ts";
import type { OrgStore } from "../../src/store/org-store.ts";
import type { Store } from "../../src/store/store.ts";
import { insertSample, type SampleIds, sampleRecord } from "../sample-records.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import {
  assignmentRow,
  DAY_MS,
  HOUR_MS,
  insertContracts,
  insertEntries,
  insertPlayers,
  insertProspects,
  insertTeams,
  makeContract,
  makeEntry,
  makePlayer,
  makeProspect,
  makeTeam,
  SEED_NOW,
} from "./seed-records.ts";

export interface Seed {
  readonly orgId: string;
  readonly teams: Readonly<Record<Game, Team>>;
  readonly players: readonly [Player, ...Player[]];
  readonly contracts: readonly [StoredContract, ...StoredContract[]];
  readonly entries: readonly [ScheduleEntry, ...ScheduleEntry[]];
  readonly prospects: readonly [Prospect, ...Prospect[]];
}

/** Fills an organization. `mark` ends up in its external ids, so that those of two organizations differ where wanted. */
export async function seedOrganization(store: Store, orgId: string, mark = "seed"): Promise<Seed> {
  const teams = seedTeams(mark);
  const players = seedPlayers(teams, mark);
  const contracts = seedContracts(teams, players, mark);
  const entries = seedEntries(teams, mark);
  const prospects = seedProspects(teams, players, mark);
  await store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await insertTeams(org, Object.values(teams));
    await insertPlayers(org, players);
    const [first] = players;
    const past = assignmentRow(first, teams.Other.id, SEED_NOW - 300 * DAY_MS, SEED_NOW - 200 * DAY_MS);
    await org.insertInto("assignments", [{ ...past, role: "Coach", kind: "staff" as const }]).execute();
    await insertContracts(org, contracts);
    await insertEntries(org, entries);
    await insertProspects(org, prospects);
    for (const resource of RESOURCES) await insertOthers(org, resource, { teams: teams.LoL.id, players: first.id });
  });
  return { orgId, teams, players, contracts, entries, prospects };
}

/** A few of a resource that has no records of its own here. */
async function insertOthers(org: OrgStore, resource: SomeResource, ids: SampleIds): Promise<void> {
  const found = await org
    .selectFrom(resource.table)
    .select("id" as never)
    .limit(1)
    .execute();
  if (found.length > 0) return;
  for (const externalIds of [{ board: "other-1" }, {}, {}]) {
    await insertSample(org, resource, { ...sampleRecord(resource, ids), externalIds });
  }
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
