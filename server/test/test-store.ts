/**
 * The store that tests stand on: embedded, or in PostgreSQL where the environment's LINEUP_TEST_ENGINE says so. A data folder
 * has one store, no matter who asks for it. In PostgreSQL that is a database of its own, made when the folder's store is first asked for,
 * so that a server that is started again on the folder finds what the last one left.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { Client, TypeOverrides, types } from "pg";
import { STORE_FILE } from "../src/store/data-folder.ts";
import { openStore, type StoreSettings } from "../src/store/open-store.ts";
import type { ServerLock } from "../src/store/postgres-watch.ts";
import type { Store } from "../src/store/store.ts";
import type { TestDatabase } from "./services/test-database.ts";
import { TEST_SECRET } from "./test-origin.ts";

export const ENGINE: Store["kind"] = process.env.LINEUP_TEST_ENGINE === "postgres" ? "postgres" : "sqlite";

/** Several test files run at once, each with servers, on a PostgreSQL that lets a hundred in. */
const POOL_SIZE = 4;
const LOCK_PATIENCE_MS = 5_000;

/** By data folder. */
const databases = new Map<string, Promise<TestDatabase>>();

export type SqlRow = Record<string, unknown>;

export async function storeSettingsOf(dataDir: string): Promise<StoreSettings> {
  const databaseUrl = ENGINE === "sqlite" ? undefined : (await databaseOf(dataDir)).url;
  const secret = ENGINE === "sqlite" ? undefined : TEST_SECRET;
  return { dataDir, databaseUrl, databaseDirectUrl: undefined, databasePoolSize: POOL_SIZE, secret };
}

/** For a process of its own. */
export async function storeEnvOf(dataDir: string): Promise<Record<string, string>> {
  if (ENGINE === "sqlite") return { LINEUP_DATA_DIR: dataDir };
  const { url } = await databaseOf(dataDir);
  const onDatabase = { LINEUP_DATABASE_URL: url, LINEUP_DATABASE_POOL: String(POOL_SIZE), LINEUP_SECRET: TEST_SECRET };
  return { LINEUP_DATA_DIR: dataDir, ...onDatabase };
}

/** For a process that is to find nothing: not even tables. In a folder that is not there that goes without saying. */
export async function emptyStoreEnv(): Promise<Record<string, string>> {
  if (ENGINE === "sqlite") return {};
  const { makeTestDatabase } = await import("./services/provided-services.ts");
  return { LINEUP_DATABASE_URL: (await makeTestDatabase({ empty: true })).url, LINEUP_SECRET: TEST_SECRET };
}

/** As a command does, or, with a lock, as a server does. */
export async function openTestStore(dataDir: string, lock?: ServerLock): Promise<Store> {
  const settings = await storeSettingsOf(dataDir);
  return (await openStore(settings, lock === undefined ? {} : { lock })).store;
}

/** Goes with the folder, which the caller removes. */
export async function dropTestStore(dataDir: string): Promise<void> {
  const database = databases.get(resolve(dataDir));
  databases.delete(resolve(dataDir));
  await (await database)?.drop();
}

export async function dropTestStores(): Promise<void> {
  await Promise.all([...databases.keys()].map(dropTestStore));
}

/** One statement, past the server, on the rows of all organizations. Its parameters are written as question marks. */
export async function runSql(dataDir: string, statement: string, ...parameters: readonly unknown[]): Promise<SqlRow[]> {
  const [rows = []] = await runStatements(dataDir, [statement], parameters);
  return rows;
}

/** The same of many, over one connection: to open the store costs more than most of them. */
export async function readRows(dataDir: string, queries: readonly string[]): Promise<SqlRow[][]> {
  return runStatements(dataDir, queries, []);
}

async function runStatements(
  dataDir: string,
  statements: readonly string[],
  parameters: readonly unknown[],
): Promise<SqlRow[][]> {
  if (ENGINE === "sqlite") {
    return withFile(dataDir, (file) =>
      statements.map((statement) => {
        const prepared = file.prepare<unknown[], SqlRow>(statement);
        if (prepared.reader) return prepared.all(...parameters);
        prepared.run(...parameters);
        return [];
      }),
    );
  }
  return withClient(dataDir, async (client) => {
    // Nobody has counted the rows of a store that was filled just now; joins are not to be planned as if there were none.
    await client.query("SET ROLE lineup_operator; SET enable_nestloop = off; SET jit = off");
    const results: SqlRow[][] = [];
    for (const statement of statements) {
      let number = 0;
      const numbered = statement.replaceAll("?", () => `$${++number}`);
      results.push((await client.query<SqlRow>(numbered, [...parameters])).rows);
    }
    return results;
  });
}

/** All that is stored, keys and journals included, as bytes to search. */
export async function readStored(dataDir: string): Promise<string> {
  if (ENGINE === "sqlite") {
    return [STORE_FILE, `${STORE_FILE}-wal`].map((name) => readFileSync(join(dataDir, name), "latin1")).join();
  }
  const tables = await runSql(dataDir, "SELECT tablename FROM pg_tables WHERE schemaname = 'lineup'");
  const contents = await readRows(
    dataDir,
    tables.map(({ tablename }) => `SELECT * FROM ${tablename}`),
  );
  return JSON.stringify(contents);
}

/** Many statements at once, without parameters, on the rows of all organizations. */
export async function runScript(dataDir: string, statements: readonly string[]): Promise<void> {
  const role = ENGINE === "postgres" ? "SET ROLE lineup_operator;" : "";
  await alterStore(dataDir, `BEGIN; ${role} ${statements.join(";\n")}; COMMIT;`);
}

/** Statements that change the tables themselves, as only their owner may. */
export async function alterStore(dataDir: string, statements: string): Promise<void> {
  if (ENGINE === "postgres") return withClient(dataDir, async (client) => void (await client.query(statements)));
  withFile(dataDir, (file) => {
    file.pragma("legacy_alter_table = ON");
    file.exec(statements);
  });
}

function databaseOf(dataDir: string): Promise<TestDatabase> {
  const folder = resolve(dataDir);
  const known = databases.get(folder);
  if (known !== undefined) return known;
  const made = makeDatabase();
  databases.set(folder, made);
  return made;
}

/** Loaded where it is needed: what runs on the embedded store alone may run outside of vitest. */
async function makeDatabase(): Promise<TestDatabase> {
  const { makeTestDatabase } = await import("./services/provided-services.ts");
  return makeTestDatabase();
}

function withFile<T>(dataDir: string, work: (file: Sqlite.Database) => T): T {
  const file = new Sqlite(join(dataDir, STORE_FILE), { timeout: LOCK_PATIENCE_MS, fileMustExist: true });
  try {
    return work(file);
  } finally {
    file.close();
  }
}

const numbers = new TypeOverrides();
numbers.setTypeParser(types.builtins.INT8, Number);

async function withClient<T>(dataDir: string, work: (client: Client) => Promise<T>): Promise<T> {
  const { url } = await databaseOf(dataDir);
  const client = new Client({ connectionString: url, application_name: "Lineup's tests", types: numbers });
  await client.connect();
  try {
    await client.query("SET search_path = lineup");
    return await work(client);
  } finally {
    await client.end();
  }
}
