import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONTRACT_KINDS, CONTRACT_STATES } from "@lineup/api/contracts";
import { CONTRACT_STATUSES, PLAYER_STATUSES } from "@lineup/api/players";
import { PROSPECT_STAGES } from "@lineup/api/prospects";
import { GAMES, kindOfRole } from "@lineup/api/roles";
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from "@lineup/api/schedule";
import { DAY_MS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { openTestStore } from "../../test/test-store.ts";
import { createOrganization } from "../access/organizations.ts";
import { selectContracts, selectExpiringContracts } from "../resources/contracts/contract-store.ts";
import { selectPlayers } from "../resources/players/player-store.ts";
import { prospectStore } from "../resources/prospects/prospect-store.ts";
import { selectRoster } from "../resources/roster/roster-store.ts";
import { selectSchedule } from "../resources/schedule/schedule-store.ts";
import { teamStore } from "../resources/teams/team-store.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { loadSample, sampleTables } from "./sample-organization.ts";

const NOW = Date.UTC(2026, 1, 28, 9, 17);

let folder: string;
let store: Store;
let org: OrgStore;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-sample-"));
  store = await openTestStore(folder);
  const { id } = await createOrganization(store, { name: "Northwind Esports" }, TEST_ORIGIN, NOW);
  await loadSample(store, id, NOW);
  org = store.org(id);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function sorted(values: Iterable<unknown>): unknown[] {
  return [...new Set(values)].sort();
}

describe("the sample organization", () => {
  test("has four teams: one of each game and one Other", async () => {
    const { items } = await teamStore.list(org, {}).readPage(undefined);
    expect(sorted(items.map((team) => team.game))).toEqual([...GAMES].sort());
    expect(items.length).toBe(4);
    expect(items.every((team) => team.playerCount >= 7)).toBe(true);
  });

  test("has forty players and staff, of every status, with and without a team", async () => {
    const { items } = await selectPlayers(org, {}).readPage(undefined);
    expect(items.length).toBe(40);
    expect(new Set(items.map((player) => player.ign)).size).toBe(40);
    expect(sorted(items.map((player) => player.status))).toEqual([...PLAYER_STATUSES].sort());
    expect(sorted(items.map((player) => player.contractStatus))).toEqual([...CONTRACT_STATUSES].sort());
    expect(items.filter((player) => player.teamId === null).length).toBe(5);
    const roles = new Set(items.map((player) => player.role));
    for (const role of ["Coach", "Analyst", "Manager", "Substitute"]) expect(roles).toContain(role);
    expect(items.every((player) => player.joinDate < NOW)).toBe(true);
  });

  test("has a roster with starters, substitutes, one captain a team, and history", async () => {
    const { items } = await selectRoster(org, {}).readPage(undefined);
    expect(items.length).toBe(35);
    expect(items.filter((entry) => entry.isCaptain).length).toBe(4);
    expect(items.filter((entry) => entry.kind === "staff" && entry.isStarter)).toEqual([]);
    expect(items.every((entry) => entry.kind === kindOfRole(entry.role))).toBe(true);
    const past = await org.selectFrom("assignments").selectAll().where("left_at", "is not", null).execute();
    expect(past.length).toBeGreaterThanOrEqual(7);
  });

  test("has contracts in every state and of every kind, with ends spread over the coming year", async () => {
    const { items } = await selectContracts(org, {}, NOW).readPage(undefined);
    expect(sorted(items.map((contract) => contract.status))).toEqual([...CONTRACT_STATES].sort());
    expect(sorted(items.map((contract) => contract.kind))).toEqual([...CONTRACT_KINDS].sort());
    const counts: number[] = [];
    for (const days of [7, 30, 60, 90, 365]) {
      counts.push((await selectExpiringContracts(org, { days }, NOW).readPage(undefined)).items.length);
    }
    expect(counts[0]).toBeGreaterThanOrEqual(2);
    for (let index = 1; index < counts.length; index++) {
      expect(counts[index]).toBeGreaterThanOrEqual((counts[index - 1] ?? 0) + 2);
    }
  });

  test("has players whose contract status is that of their contracts", async () => {
    const players = (await selectPlayers(org, {}).readPage(undefined)).items;
    const contracts = (await selectContracts(org, {}, NOW).readPage(undefined)).items;
    for (const player of players.filter(({ contractStatus }) => contractStatus === "active")) {
      const stored = contracts.filter((contract) => contract.playerId === player.id);
      expect(
        stored.some(({ status }) => status === "active" || status === "expired"),
        player.ign,
      ).toBe(true);
    }
  });

  test("has a season, past and to come, with the odd ones too", async () => {
    const { items } = await selectSchedule(org, { from: 0 }, NOW).readPage(undefined);
    expect(sorted(items.map((entry) => entry.status))).toEqual([...SCHEDULE_STATUSES].sort());
    expect(sorted(items.map((entry) => entry.kind))).toEqual([...SCHEDULE_KINDS].sort());
    expect(items.length).toBeGreaterThan(100);
    for (const entry of items) {
      if (entry.status === "completed") expect(entry.endsAt).toBeLessThan(NOW);
      if (entry.status === "scheduled") expect(entry.startsAt).toBeGreaterThan(NOW);
      expect(entry.result !== null, entry.title).toBe(entry.status === "completed" && entry.kind === "match");
    }
    expect(items.filter((entry) => entry.status === "postponed")).toMatchObject([
      { previousStartsAt: expect.any(Number) },
    ]);
    const upcoming = await selectSchedule(org, {}, NOW).readPage(undefined);
    expect(upcoming.items[0]?.status).toBe("live");
  });

  test("has twenty-five prospects in all stages, two of them players by now", async () => {
    const { items } = await prospectStore.list(org, {}).readPage(undefined);
    expect(items.length).toBe(25);
    expect(sorted(items.map((prospect) => prospect.stage))).toEqual([...PROSPECT_STAGES].sort());
    expect(items.filter((prospect) => prospect.playerId !== null).map((prospect) => prospect.stage)).toEqual([
      "signed",
      "signed",
    ]);
  });
});

test("the sample is the same every time but for its dates, whatever time of day it is made", async () => {
  expect(sampleTables(NOW)).toEqual(sampleTables(NOW));
  const shape = (now: number) =>
    JSON.stringify(sampleTables(now), (_, value) => (typeof value === "number" && value > 1e9 ? "moment" : value));
  expect(shape(NOW)).toBe(shape(NOW + 400 * DAY_MS));
  for (const time of [0, 1, DAY_MS / 2, DAY_MS - 1]) {
    const now = Date.UTC(2027, 5, 1) + time;
    const { id } = await createOrganization(store, { name: `At ${time}` }, TEST_ORIGIN, now);
    await loadSample(store, id, now);
    const { items } = await selectExpiringContracts(store.org(id), { days: 7 }, now).readPage(undefined);
    expect(items.length).toBeGreaterThanOrEqual(2);
  }
});
