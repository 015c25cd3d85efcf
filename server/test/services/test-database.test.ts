import { Client } from "pg";
import { afterEach, describe, expect, inject, test } from "vitest";
import { hasPostgres, makeTestDatabase } from "./provided-services.ts";
import {
  createTemplate,
  createTestDatabase,
  type DatabaseSource,
  dropDatabasesOfRun,
  sweepDatabases,
  type TestDatabase,
} from "./test-database.ts";

const made: TestDatabase[] = [];
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop();
});

function requireSource(): DatabaseSource {
  const { postgres } = inject("services");
  if (postgres === undefined) throw new Error("There is no PostgreSQL.");
  return postgres;
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function listNames(prefix: string): Promise<string[]> {
  const rows = await query(requireSource().adminUrl, "select datname from pg_database");
  return (rows as { readonly datname: string }[]).map((row) => row.datname).filter((name) => name.startsWith(prefix));
}

describe.skipIf(!hasPostgres())("A database for a test", () => {
  test("is its own, and gone when dropped, even with somebody connected", async () => {
    const [first, second] = await Promise.all([makeTestDatabase({ empty: true }), makeTestDatabase({ empty: true })]);
    made.push(first, second);
    await query(first.url, "create table things (n int)");
    await expect(query(second.url, "select * from things")).rejects.toThrow("does not exist");

    const client = new Client(first.url);
    client.on("error", () => {});
    await client.connect();
    await first.drop();
    await first.drop();
    expect(await listNames(first.name)).toEqual([]);
    await client.end().catch(() => {});
  });

  test("is a copy of the run's template, also where many are made at once", async () => {
    const source: DatabaseSource = { ...requireSource(), prefix: `${requireSource().prefix}copies_` };
    const template = await createTemplate(source, async (url) => {
      await query(url, "create table things as select 7 as n");
    });
    try {
      const copies = await Promise.all(Array.from({ length: 5 }, () => createTestDatabase({ ...source, template })));
      for (const copy of copies) expect(await query(copy.url, "select n from things")).toEqual([{ n: 7 }]);
    } finally {
      await dropDatabasesOfRun(source);
    }
    expect(await listNames(source.prefix)).toEqual([]);
    expect(await listNames(template)).toEqual([]);
  });

  test("can sort as people do, where PostgreSQL can", async ({ skip }) => {
    const [version] = await query(requireSource().adminUrl, "select current_setting('server_version_num')::int as n");
    if ((version as { readonly n: number }).n < 150_000) skip("PostgreSQL 14 has no such databases.");
    const database = await makeTestDatabase({ locale: "en-US" });
    made.push(database);
    const sorted = await query(
      database.url,
      "select string_agg(c, '' order by c) as s from unnest(array['B','a','C']) c",
    );
    expect(sorted).toEqual([{ s: "aBC" }]);
  });
});

describe.skipIf(!hasPostgres())("What a run left behind", () => {
  const sweep = async (prefix: string) => {
    const left = await createTestDatabase({ adminUrl: requireSource().adminUrl, prefix });
    made.push(left);
    await sweepDatabases(requireSource().adminUrl);
    return (await listNames(left.name)).length === 0;
  };
  const began = (hoursAgo: number) => (Date.now() - hoursAgo * 3_600_000).toString(36);
  // No system gives out a number this high.
  const NOBODY = 2 ** 31 - 2;

  test("is dropped by a later run when it is over an hour old and its process is gone", async () => {
    expect(await sweep(`lineup_test_${NOBODY}_${began(1.1)}_`)).toBe(true);
  });

  test("is kept for the first hour", async () => {
    expect(await sweep(`lineup_test_${NOBODY}_${began(0.9)}_`)).toBe(false);
  });

  test("is kept as long as its process runs", async () => {
    expect(await sweep(`lineup_test_${process.pid}_${began(5)}_`)).toBe(false);
  });
});
