import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { dropTestStore, openTestStore } from "../../test/test-store.ts";
import { createOrganization } from "../access/organizations.ts";
import { makeId } from "./ids.ts";
import type { KeyUsageTable } from "./people-schema.ts";
import { PreparedRows } from "./prepared-rows.ts";
import type { Store, UseTables } from "./store.ts";

let dataDir: string;
let store: Store;
let orgId: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-kept-rows-"));
  store = await openTestStore(dataDir);
  orgId = (await createOrganization(store, { name: "One" }, TEST_ORIGIN)).id;
});
afterAll(async () => {
  await store.close();
  await dropTestStore(dataDir);
  rmSync(dataDir, { recursive: true });
});

let built = 0;
const insert = new PreparedRows<UseTables, KeyUsageTable>((db, rows) => {
  built++;
  return db
    .insertInto("key_usage")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["org_id", "key_id", "hour", "endpoint", "status"])
        .doUpdateSet((eb) => ({ requests: eb("key_usage.requests", "+", eb.ref("excluded.requests")) })),
    );
});
const write = (rows: readonly KeyUsageTable[]) => store.writeUse((db) => insert.run(db, rows));
const rowOf = (key_id: string, requests: number): KeyUsageTable => {
  const same = { org_id: orgId, hour: 7, endpoint: "O'Hara; --", status: 200 };
  return { ...same, key_id, requests, duration_us: requests * 10 };
};
const readAll = () =>
  store.writeUse((db) => db.selectFrom("key_usage").selectAll().orderBy("requests").orderBy("key_id").execute());

test("each row is written with its own values, and the statement is built once for each number of rows", async () => {
  const keys = Array.from({ length: 6 }, () => makeId("key")) as [string, string, string, string, string, string];
  const rows = keys.map((key, index) => rowOf(key, index + 1));
  await write(rows.slice(0, 2));
  await write(rows.slice(2, 4));
  await write(rows.slice(4, 5));
  // The columns in another order than those it was built with.
  await write(rows.slice(5).map((row) => Object.fromEntries(Object.entries(row).toReversed()) as typeof row));
  expect(built).toBe(2);
  expect(await readAll()).toEqual(rows);
  await write([rowOf(keys[0], 100), rowOf(keys[1], 200)]);
  expect((await readAll()).map(({ requests }) => requests)).toEqual([3, 4, 5, 6, 101, 202]);
  expect(built).toBe(2);
});

test("without rows there is nothing to do", async () => {
  await write([]);
  expect(built).toBe(2);
});

test("a row that lacks a value or has one too many is refused, and nothing of it is written", async () => {
  const { duration_us: _, ...less } = rowOf(makeId("key"), 1_000);
  await expect(write([less as KeyUsageTable])).rejects.toThrow("same columns");
  await expect(write([{ ...less, other: 1 } as unknown as KeyUsageTable])).rejects.toThrow("no duration_us");
  await expect(write([{ ...rowOf(makeId("key"), 1_000), other: 1 } as KeyUsageTable])).rejects.toThrow("same columns");
  expect((await readAll()).filter(({ requests }) => requests >= 1_000)).toEqual([]);
});
