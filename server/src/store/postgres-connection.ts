/**
 * How PostgreSQL is reached, and what becomes of its refusals: sentences for the operator, none of which repeats the address,
 * which may hold a password.
 */
import { Client, type ClientConfig, TypeOverrides, types } from "pg";
import { parse } from "pg-connection-string";
import { endWithin, isConnectionLost } from "./postgres-driver.ts";
import { SCHEMA } from "./postgres-migrations.ts";
import { StoreError } from "./store-error.ts";

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
export function placeOf({ host, port, database }: ClientConfig): string {
  return `database ${database || "(the user's)"} at ${host || "localhost"}:${port || 5432}`;
}

/** `setting` is what the address was given as. */
export function explained(error: unknown, config: ClientConfig, setting = "LINEUP_DATABASE_URL"): unknown {
  if (error instanceof StoreError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = error instanceof Error ? error.message || code : String(error);
  const place = placeOf(config);
  if (code === "28P01" || code === "28000") {
    return new StoreError(`The ${place} refused the user or password of ${setting} (${reason}). Correct them.`);
  }
  if (code === "3D000") {
    return new StoreError(`There is no ${place}. Make it (createdb), or correct ${setting}.`);
  }
  if (code === "42501") {
    return new StoreError(
      `The user of ${setting} may not make Lineup's tables in the ${place} (${reason}). ` +
        `Make it the database's owner, or grant it CREATE on the database and on the schema ${SCHEMA}.`,
    );
  }
  if (isConnectionLost(error) || error instanceof AggregateError || /timeout|ssl/i.test(reason)) {
    return new StoreError(
      `The ${place} cannot be reached (${reason || "no answer"}). Start PostgreSQL, or correct ${setting}.`,
      { cause: error },
    );
  }
  return new StoreError(`The ${place} cannot be used (${reason}).`, { cause: error });
}
