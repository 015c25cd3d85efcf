/**
 * What creates on PostgreSQL are held against: how many one-row transactions a second a plain loop over one connection makes there,
 * without HTTP or anything else. Ids increase, as Lineup's do, so that the loop is as quick as it can be.
 */
import { makeId } from "@lineup/server/store/ids";
import { Client } from "pg";
import { answerParent } from "./child.ts";

export interface PostgresLoopResult {
  readonly transactions: number;
  readonly elapsedMs: number;
}

/** As many bytes as a player's row has, roughly. */
const VALUE = "x".repeat(300);
let client: Client | undefined;

async function open(databaseUrl: string): Promise<Client> {
  const opened = new Client({ connectionString: databaseUrl });
  await opened.connect();
  await opened.query("CREATE TABLE IF NOT EXISTS rows (id text PRIMARY KEY, value text NOT NULL)");
  return opened;
}

answerParent({
  run: async ({
    databaseUrl,
    durationMs,
  }: {
    databaseUrl: string;
    durationMs: number;
  }): Promise<PostgresLoopResult> => {
    client ??= await open(databaseUrl);
    const startedAt = performance.now();
    let transactions = 0;
    while (performance.now() - startedAt < durationMs) {
      await client.query("INSERT INTO rows (id, value) VALUES ($1, $2)", [makeId("player"), VALUE]);
      transactions++;
    }
    return { transactions, elapsedMs: performance.now() - startedAt };
  },
});
