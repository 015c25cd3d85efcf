/** Contracts as time goes by: expiry from the moment itself, the days that remain, and what is expiring soon. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg } from "../test-server.ts";
import { expectError, freshKeyCaller, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { DAY_MS, insertContracts, insertPlayers, makeContract, makePlayer } from "./seed-records.ts";

let stage: Stage;
let api: Stage["api"];
let insert: (fields?: Parameters<typeof makeContract>[1]) => Promise<string>;
let playerId: string;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

// An organization of its own for every test, because all of them share one clock.
beforeEach(async () => {
  const { store } = stage.server;
  const orgId = await makeOrg(stage.server);
  api = freshKeyCaller(stage.server, orgId);
  const player = makePlayer();
  playerId = player.id;
  await store.writeOrg(orgId, TEST_ORIGIN, (org) => insertPlayers(org, [player]));
  insert = async (fields) => {
    const contract = makeContract(player.id, fields);
    await store.writeOrg(orgId, TEST_ORIGIN, (org) => insertContracts(org, [contract]));
    return contract.id;
  };
});

const now = () => stage.clock.wallMs();
const get = async (id: string): Promise<LooseItem> => (await api("GET", `/contracts/${id}`)).body.data;
const ids = async (query: string): Promise<string[]> =>
  (await api("GET", `/contracts${query}`)).body.data.map(({ id }: LooseItem) => id);

describe("an active contract", () => {
  it("reads expired from its end on, without any job, everywhere it shows", async () => {
    const endDate = now() + DAY_MS;
    const id = await insert({ endDate });
    stage.clock.advance(DAY_MS - 1);
    const before = await get(id);
    expect(before).toMatchObject({ status: "active", daysRemaining: 1, endDate });
    expect(await ids("?status=active")).toEqual([id]);
    expect(await ids("?status=expired")).toEqual([]);
    expect(await ids("/expiring")).toEqual([id]);
    stage.clock.advance(1);
    const after = await get(id);
    expect(after).toMatchObject({ status: "expired", daysRemaining: null, endDate, updatedAt: endDate });
    expect(before.updatedAt).toBeLessThan(endDate);
    expect((await api("GET", "/contracts")).body.data).toEqual([after]);
    expect(await ids("?status=active")).toEqual([]);
    expect(await ids("?status=expired")).toEqual([id]);
    expect(await ids("/expiring")).toEqual([]);
    expect(await ids(`?updatedSince=${endDate}`)).toEqual([id]);
    expect(await ids(`?updatedSince=${endDate + 1}`)).toEqual([]);
  });

  it("keeps the time of a change made after its end", async () => {
    const updatedAt = now() - DAY_MS;
    const id = await insert({ endDate: now() - 2 * DAY_MS, updatedAt });
    expect(await get(id)).toMatchObject({ status: "expired", updatedAt });
  });

  it("runs on without an end", async () => {
    const id = await insert({ endDate: null });
    stage.clock.advance(4_000 * DAY_MS);
    expect(await get(id)).toMatchObject({ status: "active", daysRemaining: null });
    expect(await ids("/expiring?days=365")).toEqual([]);
  });

  it("counts the days to its end, rounded up", async () => {
    const cases = [
      [1, 1],
      [DAY_MS - 1, 1],
      [DAY_MS, 1],
      [DAY_MS + 1, 2],
      [30 * DAY_MS, 30],
      [30.5 * DAY_MS, 31],
    ] as const;
    for (const [ms, days] of cases) {
      expect((await get(await insert({ endDate: now() + ms }))).daysRemaining, `${ms} ms`).toBe(days);
    }
  });

  it("moves its updatedAt with its player's name, also in the moment in which it ends", async () => {
    const endDate = now() + DAY_MS;
    const id = await insert({ endDate });
    for (const [advance, ign] of [
      [1, "One"],
      [0, "Two"],
      [DAY_MS - 1, "Three"],
      [0, "Four"],
    ] as const) {
      stage.clock.advance(advance);
      const before = await get(id);
      expect((await api("PATCH", `/players/${playerId}`, { ign })).status).toBe(200);
      const after = await get(id);
      expect(after.playerIgn).toBe(ign);
      expect(after.updatedAt, ign).toBeGreaterThan(before.updatedAt);
    }
    expect(now()).toBe(endDate);
  });
});

describe("a contract in any other state", () => {
  it.each(["draft", "pending", "expired", "terminated"] as const)("stays %s whatever its end", async (status) => {
    const updatedAt = now() - 50 * DAY_MS;
    for (const endDate of [now() - DAY_MS, now() + DAY_MS, null]) {
      expect(await get(await insert({ status, endDate, updatedAt }))).toMatchObject({
        status,
        daysRemaining: null,
        updatedAt,
      });
    }
    expect(await ids("/expiring")).toEqual([]);
  });
});

describe("contracts expiring soon", () => {
  it("are the active ones that end within thirty days, or as many as asked for, soonest first", async () => {
    const ends = [365, 31, 30, 7, 1].map((days) => now() + days * DAY_MS);
    const made: string[] = [];
    for (const endDate of ends) made.unshift(await insert({ endDate }));
    expect(await ids("/expiring")).toEqual(made.slice(0, 3));
    expect(await ids("/expiring?days=30")).toEqual(made.slice(0, 3));
    expect(await ids("/expiring?days=1")).toEqual(made.slice(0, 1));
    expect(await ids("/expiring?days=31")).toEqual(made.slice(0, 4));
    expect(await ids("/expiring?days=365")).toEqual(made);
    expect(await ids("/expiring?days=365&sort=-endDate")).toEqual(made.toReversed());
    stage.clock.advance(DAY_MS);
    expect(await ids("/expiring?days=6")).toEqual(made.slice(1, 2));
  });

  it.each(["0", "366", "-1", "1.5", "", "week"])("refuse days=%s", async (days) => {
    const reply = await api("GET", `/contracts/expiring?days=${days}`);
    expectError(reply, "INVALID_PARAMETER");
    expect(reply.body.error.message).toContain("from 1 to 365");
  });
});

describe("endsBefore and endsAfter", () => {
  it("compare the end, and leave out contracts without one", async () => {
    const [first, second, open] = [now() + 1_000, now() + 2_000, null];
    const made = [await insert({ endDate: first }), await insert({ endDate: second }), await insert({ endDate: open })];
    expect(await ids(`?endsBefore=${second}`)).toEqual(made.slice(0, 1));
    expect(await ids(`?endsAfter=${first}`)).toEqual(made.slice(1, 2));
    expect(await ids(`?endsAfter=${first - 1}&endsBefore=${second + 1}`)).toEqual(made.slice(0, 2));
    expect(await ids("?endsAfter=0&status=active,expired")).toEqual(made.slice(0, 2));
    expect(await ids(`?playerId=${playerId}`)).toEqual(made);
  });
});
