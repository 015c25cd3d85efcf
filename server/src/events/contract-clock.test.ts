import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNextNotice } from "@lineup/api/change-types";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS, insertContracts, insertPlayers, makeContract, makePlayer } from "../../test/contract/seed-records.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { dropTestStore, ENGINE, openTestStore, runSql } from "../../test/test-store.ts";
import { createOrganization } from "../access/organizations.ts";
import { setNotices } from "../resources/contracts/contract-rules.ts";
import { fillContractClock } from "../store/event-tables.ts";
import type { Store } from "../store/store.ts";
import { readChanges } from "./change-rows.ts";
import { startContractClock, tellDueNotices } from "./contract-clock.ts";

const END = Date.UTC(2027, 0, 1);

let folder: string;
let stores: Store[];
let orgId: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-clock-"));
  stores = [await openTestStore(folder)];
  orgId = (await createOrganization(first(), { name: "Clock" }, TEST_ORIGIN)).id;
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await dropTestStore(folder);
  rmSync(folder, { recursive: true, force: true });
});

function first(): Store {
  const [store] = stores;
  if (store === undefined) throw new Error("No store is open.");
  return store;
}

/** Active contracts that end then, as of a year before. */
async function makeContracts(count: number): Promise<string[]> {
  const player = makePlayer();
  const contracts = Array.from({ length: count }, () =>
    makeContract(player.id, { status: "active", startDate: 0, endDate: END }),
  );
  const notice = findNextNotice(END, END - 365 * DAY_MS);
  await first().writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await insertPlayers(org, [player]);
    await insertContracts(org, contracts);
    const clock = { end_date: END, days: notice?.days ?? -1, due_at: notice?.dueAt ?? -1 };
    await org.deleteFrom("contract_clock").execute();
    await org
      .insertInto(
        "contract_clock",
        contracts.map(({ id }) => ({ contract_id: id, ...clock })),
      )
      .execute();
  });
  return contracts.map(({ id }) => id);
}

async function listTold(): Promise<unknown[]> {
  const { changes } = await readChanges(first().org(orgId), 0, ["contract.expiring", "contract.expired"], 500);
  return changes.map(({ type, days, resourceId }) => [type, days, resourceId]);
}

const allOf = (id: string) => [
  ["contract.expiring", 90, id],
  ["contract.expiring", 60, id],
  ["contract.expiring", 30, id],
  ["contract.expiring", 7, id],
  ["contract.expired", null, id],
];

test("tells each notice once, from the moment it is due", async () => {
  const [id = ""] = await makeContracts(1);
  const told: number[] = [];
  for (const [days, count] of [
    [90, 1],
    [60, 2],
    [30, 3],
    [7, 4],
    [0, 5],
  ] as const) {
    const dueAt = END - days * DAY_MS;
    for (const now of [dueAt - 1, dueAt, dueAt, dueAt + 1]) {
      await tellDueNotices(first(), now);
      told.push((await listTold()).length);
    }
    expect(told.splice(0)).toEqual([count - 1, count, count, count]);
  }
  expect(await listTold()).toEqual(allOf(id));
  await tellDueNotices(first(), END + 400 * DAY_MS);
  expect((await listTold()).length).toBe(5);
});

test("tells what was due while nobody was running, in its order, and goes on from there", async () => {
  const [id = ""] = await makeContracts(1);
  await tellDueNotices(first(), END - 20 * DAY_MS);
  expect(await listTold()).toEqual(allOf(id).slice(0, 3));
  for (const store of stores.splice(0)) await store.close();
  stores.push(await openTestStore(folder));
  await tellDueNotices(first(), END);
  expect(await listTold()).toEqual(allOf(id));
});

test("tells each once though several look at the same time", async () => {
  const ids = await makeContracts(30);
  while (ENGINE === "postgres" && stores.length < 4) stores.push(await openTestStore(folder));
  for (const days of [90, 60, 30, 7, 0]) {
    const looks = Array.from({ length: 4 }, (_, index) => stores[index % stores.length] ?? first());
    await Promise.all(looks.map((store) => tellDueNotices(store, END - days * DAY_MS)));
  }
  expect((await listTold()).map(String).sort()).toEqual(ids.flatMap(allOf).map(String).sort());
});

test.each([
  ["extended", { status: "active", endDate: END + 365 * DAY_MS }, [["contract.expiring", 90]]],
  ["made open", { status: "active", endDate: null }, []],
  ["terminated", { status: "terminated", endDate: END }, []],
] as const)("tells what was due of a contract that is %s before it has looked, once", async (_how, after, later) => {
  const [id = ""] = await makeContracts(1);
  await tellDueNotices(first(), END - 7 * DAY_MS);
  await first().writeOrg(orgId, TEST_ORIGIN, (org) => setNotices(org, [{ id, ...after }], END));
  expect(await listTold()).toEqual(allOf(id));
  await tellDueNotices(first(), END + 300 * DAY_MS);
  expect(await listTold()).toEqual([...allOf(id), ...later.map((told) => [...told, id])]);
});

test("tells nothing of a contract that gets another end before anything was due", async () => {
  const [id = ""] = await makeContracts(1);
  const change = [{ id, status: "active", endDate: END + DAY_MS }] as const;
  await first().writeOrg(orgId, TEST_ORIGIN, (org) => setNotices(org, change, END - 90 * DAY_MS - 1));
  expect(await listTold()).toEqual([]);
});

test("knows contracts that were there before the clock was, and tells nothing of them twice", async () => {
  const ends = [100, 75, 45, 20, 3, -5].map((days) => Date.now() + days * DAY_MS);
  const player = makePlayer();
  const active = ends.map((endDate) => makeContract(player.id, { status: "active", startDate: 0, endDate }));
  const others = [
    makeContract(player.id, { status: "draft", startDate: 0, endDate: END }),
    makeContract(player.id, { status: "active", startDate: 0, endDate: null }),
  ];
  await first().writeOrg(orgId, TEST_ORIGIN, async (org) => {
    await insertPlayers(org, [player]);
    await insertContracts(org, [...active, ...others]);
  });
  await runSql(folder, "DELETE FROM contract_clock");
  await runSql(folder, fillContractClock(String(Date.now())));
  const rows = await runSql(folder, "SELECT contract_id, days, end_date - due_at AS ahead FROM contract_clock");
  expect(rows.map(({ contract_id: id, days, ahead }) => [id, days, Number(ahead) / DAY_MS]).sort()).toEqual(
    [90, 60, 30, 7, 0].map((days, index) => [active[index]?.id, days, days]).sort(),
  );
});

test("leaves no contract out, however many are due at once", async () => {
  const ids = await makeContracts(450);
  const clock = startContractClock({
    store: first(),
    now: () => END - 90 * DAY_MS,
    onFault: (error) => expect.fail(String(error)),
  });
  await expect.poll(async () => (await listTold()).length, { timeout: 20_000 }).toBe(ids.length);
  await clock.stop();
  expect(new Set((await listTold()).map(String)).size).toBe(ids.length);
});

test("lets no organization wait for another that has much to tell", async () => {
  await makeContracts(450);
  orgId = (await createOrganization(first(), { name: "Other" }, TEST_ORIGIN)).id;
  const [id = ""] = await makeContracts(1);
  await runSql(folder, `UPDATE contract_clock SET due_at = due_at + 1 WHERE contract_id = '${id}'`);
  await tellDueNotices(first(), END - 90 * DAY_MS + 1);
  expect(await listTold()).toEqual([["contract.expiring", 90, id]]);
});
