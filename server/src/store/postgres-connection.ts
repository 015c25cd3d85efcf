/**
 * How PostgreSQL is reached, and what becomes of its refusals: sentences for the operator, none of which repeats the address,
 * which may hold a password.
 */
import { Client, type ClientBase, type ClientConfig, TypeOverrides, types } from "pg";
import { parse } from "pg-connection-string";
import { SCHEMA } from "./postgres-migrations.ts";
import { codeOf, StoreError } from "./store-error.ts";

const CONNECT_PATIENCE_MS = 5_000;
const GOODBYE_PATIENCE_MS = 2_000;
/** Beyond what the server itself allows a statement: only one that no longer answers takes this long. */
const QUERY_PATIENCE_MS = 65_000;

/** For work that may take long, a step of the schema or a whole copy: its statements may, too. */
export async function withClient<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const { query_timeout: _, ...patient } = config;
  const client = new Client(patient);
  // What breaks it is told to anyone who asks next.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await endWithin(client, GOODBYE_PATIENCE_MS);
  }
}

/** Times and counts are whole numbers far below the 53 bits of JavaScript's. */
const NUMBERS = new TypeOverrides();
NUMBERS.setTypeParser(types.builtins.INT8, Number);

export function connectionOf(setting: string, url: string): ClientConfig {
  try {
    return {
      // What sslmode means is what it means to every other program that is given the address.
      ...(parse(url, { useLibpqCompat: true }) as unknown as ClientConfig),
      application_name: "lineup",
      connectionTimeoutMillis: CONNECT_PATIENCE_MS,
      query_timeout: QUERY_PATIENCE_MS,
      keepAlive: true,
      types: NUMBERS,
    };
  } catch {
    throw new StoreError(`${setting} cannot be read. Give it as postgres://user:password@host:5432/database.`);
  }
}

/** "database lineup at db.example:5432": what an operator needs to find it, and nothing secret. */
export function describeDatabase({ host, port, database }: ClientConfig): string {
  return `database ${database || "(the user's)"} at ${host || "localhost"}:${port || 5432}`;
}

/** `setting` is what the address was given as. */
export function explained(error: unknown, config: ClientConfig, setting = "LINEUP_DATABASE_URL"): unknown {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const reason = error instanceof Error ? error.message || code : String(error);
  const shownAs = describeDatabase(config);
  if (code === "28P01" || code === "28000") {
    return new StoreError(`The ${shownAs} refused the user or password of ${setting} (${reason}). Correct them.`);
  }
  if (code === "3D000") {
    return new StoreError(`There is no ${shownAs}. Make it (createdb), or correct ${setting}.`);
  }
  if (code === "42501") {
    return new StoreError(
      `The user of ${setting} may not make Lineup's tables in the ${shownAs} (${reason}). ` +
        `Make it the database's owner, or grant it CREATE on the database and on the schema ${SCHEMA}.`,
    );
  }
  if (isConnectionLost(error) || error instanceof AggregateError || /timeout|ssl/i.test(reason)) {
    return new StoreError(
      `The ${shownAs} cannot be reached (${reason || "no answer"}). Start PostgreSQL, or correct ${setting}.`,
      { cause: error },
    );
  }
  return new StoreError(`The ${shownAs} cannot be used (${reason}).`, { cause: error });
}

/**
 * Whether the connection is of no use any more: cut off (08…, 57P0…, or the network's own words), given up by the
 * server while a transaction was idle, or now leading to a replica (25006).
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(08|57P0|25P03|25006)/.test(code)) return true;
  if (/^E[A-Z]+$/.test(code)) return true;
  return code === "" && /connection|Client was closed|query read timeout|not queryable/i.test(error.message);
}

/** Ends a connection without a word, which one that is silent would not answer. */
export function destroy(client: ClientBase): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}

/** In good order where the other end answers, and in any case soon. */
export async function endWithin(client: Client, patienceMs: number): Promise<void> {
  const silent = setTimeout(() => destroy(client), patienceMs);
  await client.end().catch(() => undefined);
  clearTimeout(silent);
}

/**
 * How long the database has for an answer; returns what ends the waiting. A process that stood still meanwhile, because its machine slept, was
 * moved to another host or halted it, finds its timers due before it has read what came in. So what has come is looked at once more
 * before anybody is given up.
 */
export function afterPatience(ms: number, giveUp: () => void): () => void {
  let last: NodeJS.Immediate | undefined;
  // Between a timer and what follows it comes what the network has brought.
  const timer = setTimeout(() => {
    last = setImmediate(giveUp);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
