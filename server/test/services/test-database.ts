/**
 * Databases for tests on the run's PostgreSQL, which may be shared with others: every name says which run it belongs to, by the
 * number of its process and when it began. A run drops its own at its end. What a run could not drop, the machine having crashed for one, a
 * later run does, an hour after; by then nobody who merely counts processes differently, in another container, is still at it.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError, escapeIdentifier } from "pg";

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Cuts off anyone who is connected. May be called twice. */
  drop(): Promise<void>;
}

export interface DatabaseSource {
  /** To a database that is always there, as somebody who may make databases. */
  readonly adminUrl: string;
  /** What the names of this run's databases begin with. */
  readonly prefix: string;
  /** The name of a database of this run to copy. */
  readonly template?: string | undefined;
}

export interface TestDatabaseOptions {
  /** Without what the template has. */
  readonly empty?: boolean;
  /** Sorts as people do, by ICU, which PostgreSQL has since version 15. Only for an empty one: a copy sorts as its template. */
  readonly locale?: "en-US";
}

const RUN_PREFIX = /^lineup_test_(\d+)_([0-9a-z]+)_/;
const LEFT_AFTER_MS = 3_600_000;
const COPY_MS = 20_000;
const OBJECT_IN_USE = "55006";

export function makeRunPrefix(): string {
  return `lineup_test_${process.pid}_${Date.now().toString(36)}_`;
}

export async function createTestDatabase(
  source: DatabaseSource,
  options: TestDatabaseOptions = {},
): Promise<TestDatabase> {
  const name = source.prefix + randomBytes(6).toString("hex");
  const template = options.empty === true || options.locale !== undefined ? undefined : source.template;
  await withClient(source.adminUrl, async (client) => {
    await copyTemplate(client, name, template, options.locale);
    // Nobody kills this server, so nothing that was confirmed can be lost.
    await client.query(`alter database ${escapeIdentifier(name)} set synchronous_commit = off`);
  });
  return {
    name,
    url: toDatabaseUrl(source.adminUrl, name),
    drop: () => withClient(source.adminUrl, (client) => dropDatabase(client, name)),
  };
}

/** A database which others are copies of, filled by the given function. Nobody may connect to it after that: it could not be copied. */
export async function createTemplate(source: DatabaseSource, fill: (url: string) => Promise<void>): Promise<string> {
  const { name, url } = await createTestDatabase({ ...source, template: undefined });
  await fill(url);
  await withClient(source.adminUrl, (client) =>
    client.query(`alter database ${escapeIdentifier(name)} allow_connections false`),
  );
  return name;
}

export async function dropDatabasesOfRun(source: DatabaseSource): Promise<void> {
  await withClient(source.adminUrl, async (client) => {
    for (const name of await listDatabases(client))
      if (name.startsWith(source.prefix)) await dropDatabase(client, name);
  });
}

export async function sweepDatabases(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    for (const name of await listDatabases(client)) {
      const [, pid, began] = RUN_PREFIX.exec(name) ?? [];
      if (pid === undefined || began === undefined) continue;
      const isOld = Date.now() - Number.parseInt(began, 36) > LEFT_AFTER_MS;
      if (isOld && !isRunning(Number(pid))) await dropDatabase(client, name);
    }
  });
}

/** Anyone who looks at the template at that moment, as the server's own autovacuum does, is waited for. */
async function copyTemplate(client: Client, name: string, template: string | undefined, locale: string | undefined) {
  const sorting = locale === undefined ? "" : ` locale_provider icu icu_locale '${locale}' lc_collate 'C' lc_ctype 'C'`;
  const copied = template ?? "template0";
  const deadline = performance.now() + COPY_MS;
  for (;;) {
    try {
      await client.query(
        `create database ${escapeIdentifier(name)} template ${escapeIdentifier(copied)} encoding 'UTF8'${sorting}`,
      );
      return;
    } catch (error) {
      const isInUse = error instanceof DatabaseError && error.code === OBJECT_IN_USE;
      if (!isInUse || performance.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

async function listDatabases(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ readonly datname: string }>("select datname from pg_database");
  return rows.map((row) => row.datname);
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
}

export function toDatabaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: "Lineup's tests" });
  // A connection may break at any time; the query under way says so.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, and runs all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
