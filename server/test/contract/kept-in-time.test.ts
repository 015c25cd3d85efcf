/** Answers that time changes are kept until it does: not read again before, and never told after. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg } from "../test-server.ts";
import { freshKeyCaller, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import * as seed from "./seed-records.ts";

const { DAY_MS, HOUR_MS } = seed;

let stage: Stage;
let api: Stage["api"];
let orgId: string;
let playerId: string;
let contractId: string;
let start: number;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

beforeEach(async () => {
  orgId = await makeOrg(stage.server);
  api = freshKeyCaller(stage.server, orgId);
  start = stage.clock.wallMs();
  const player = seed.makePlayer();
  playerId = player.id;
  const soon = seed.makeContract(player.id, { endDate: start + 2 * DAY_MS + HOUR_MS });
  const later = seed.makeContract(player.id, { endDate: start + 31 * DAY_MS + 2 * HOUR_MS });
  const entries = [-HOUR_MS, 40 * DAY_MS].map((inMs) => seed.makeEntry({ startsAt: start + inMs }));
  contractId = soon.id;
  await stage.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await seed.insertPlayers(org, [player]);
    await seed.insertContracts(org, [soon, later]);
    await seed.insertEntries(org, entries);
  });
});

async function readHits(): Promise<number> {
  const metrics = await (await fetch(`${stage.server.origin}/metrics`)).text();
  return Number(/lineup_answer_cache_reads\{outcome="hit"\} (\d+)/.exec(metrics)?.[1]);
}

const days = (list: readonly LooseItem[]) => list.map(({ daysRemaining }) => daysRemaining);
const count = (list: readonly LooseItem[]) => list.length;
const inHours = (list: readonly LooseItem[]) => list.map(({ startsAt }) => (Number(startsAt) - start) / HOUR_MS);
const statusAndDays = ({ status, daysRemaining }: LooseItem) => [status, daysRemaining];

it.each([
  ["the days of the first contract", "/contracts", HOUR_MS, days, [3, 32], [2, 32]],
  ["the days of another", "/contracts", 2 * HOUR_MS, days, [2, 32], [2, 31]],
  ["a contract that comes into the list", "/contracts/expiring", DAY_MS + 2 * HOUR_MS, days, [1], [1, 30]],
  ["a contract that leaves it", "/contracts/expiring", 2 * DAY_MS + HOUR_MS, days, [1, 30], [30]],
  ["a filter that begins to match", "/contracts?status=expired", 2 * DAY_MS + HOUR_MS, count, 0, 1],
  ["one contract", "/contracts/{id}", 2 * DAY_MS + HOUR_MS, statusAndDays, ["active", 1], ["expired", null]],
  ["an entry that is over", "/schedule", 5 * HOUR_MS, inHours, [-1, 960], [960]],
  ["an entry that is over, on a page", "/schedule?limit=1", 5 * HOUR_MS, inHours, [-1], [960]],
] as const)(
  "%s: %s is kept up to the moment at which it changes, and not at it",
  async (_, path, inMs, read, before, after) => {
    const target = path.replace("{id}", contractId);
    const shown = async () => (read as (data: LooseItem) => unknown)((await api("GET", target)).body.data);
    const { clock } = stage;
    clock.advance(inMs - 2);
    expect(await shown()).toEqual(before);
    clock.advance(1);
    const hits = await readHits();
    expect(await shown()).toEqual(before);
    expect(await readHits()).toBe(hits + 1);
    clock.advance(1);
    expect(await shown()).toEqual(after);
    expect(await readHits()).toBe(hits + 1);
    expect(await shown()).toEqual(after);
    expect(await readHits()).toBe(hits + 2);
    // Somebody sets the clock back: what is so a millisecond later is not so now.
    clock.jumpWall(-1);
    expect(await shown()).toEqual(before);
  },
);

/** No more at once than a statement takes values for. */
function batchesOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / 500) }, (_, index) => all.slice(index * 500, (index + 1) * 500));
}

it("reads the contracts of an organization with very many for each request, and tells their days rightly", async () => {
  const many = Array.from({ length: 5_000 }, () => seed.makeContract(playerId, { endDate: start + 90 * DAY_MS }));
  await stage.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (const some of batchesOf(many)) await seed.insertContracts(org, some);
  });
  const hits = await readHits();
  const shown = async (path: string) => days((await api("GET", path)).body.data);
  for (let times = 0; times < 2; times++) expect(await shown("/contracts?limit=1&sort=endDate")).toEqual([3]);
  expect(await readHits()).toBe(hits);
  // One contract is quickly looked at, however many others there are.
  for (let times = 0; times < 2; times++) await api("GET", `/contracts/${contractId}`);
  expect(await readHits()).toBe(hits + 1);
  stage.clock.advance(HOUR_MS);
  expect(await shown("/contracts?limit=1&sort=endDate")).toEqual([2]);
});

it("reads a schedule with a long history for each request, and leaves out what has been over since", async () => {
  const past = Array.from({ length: 2_000 }, () => seed.makeEntry({ startsAt: start - 30 * DAY_MS }));
  await stage.server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (const some of batchesOf(past)) await seed.insertEntries(org, some);
  });
  const hits = await readHits();
  const shown = async () => inHours((await api("GET", "/schedule")).body.data);
  for (let times = 0; times < 2; times++) expect(await shown()).toEqual([-1, 960]);
  expect(await readHits()).toBe(hits);
  stage.clock.advance(5 * HOUR_MS);
  expect(await shown()).toEqual([960]);
});

it("leaves out an entry that had not begun when the schedule was read, once it is over", async () => {
  const shown = async () => inHours((await api("GET", "/schedule")).body.data);
  expect(await shown()).toEqual([-1, 960]);
  stage.clock.advance(5 * HOUR_MS);
  expect(await shown()).toEqual([960]);
  stage.clock.advance(40 * DAY_MS + HOUR_MS);
  expect(await shown()).toEqual([]);
});

it("keeps other questions for as long as the first, whatever they are, and asks again after a write", async () => {
  const { clock } = stage;
  const statuses = async (path: string) => count((await api("GET", path)).body.data);
  for (const since of [1, 2, 3]) expect(await statuses(`/contracts?status=active&updatedSince=${since}`)).toBe(2);
  const hits = await readHits();
  for (const since of [1, 2, 3]) expect(await statuses(`/contracts?status=active&updatedSince=${since}`)).toBe(2);
  expect(await readHits()).toBe(hits + 3);
  const sooner = seed.makeContract(playerId, { endDate: clock.wallMs() + 1 });
  await stage.server.store.writeOrg(orgId, TEST_ORIGIN, (org) => seed.insertContracts(org, [sooner]));
  for (const since of [1, 2, 3]) expect(await statuses(`/contracts?status=active&updatedSince=${since}`)).toBe(3);
  clock.advance(1);
  for (const since of [1, 2, 3]) expect(await statuses(`/contracts?status=active&updatedSince=${since}`)).toBe(2);
});
