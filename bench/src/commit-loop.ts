/**
 * Context for the create: how many one-row transactions a second the disk and SQLite allow at all, with the pragmas of
 * Lineup's store, in a plain loop without HTTP or anything else. No create can be quicker than one of these.
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { answerParent } from "./child.ts";
import { percentile } from "./statistics.ts";

export interface CommitLoopResult {
  readonly transactions: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

let database: Sqlite.Database | undefined;

function open(dataDir: string): Sqlite.Database {
  const opened = new Sqlite(join(dataDir, "commit-loop.db"));
  opened.pragma("journal_mode = WAL");
  opened.pragma("synchronous = FULL");
  opened.pragma("foreign_keys = ON");
  opened.pragma("trusted_schema = OFF");
  opened.pragma("cell_size_check = ON");
  opened.exec("CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
  return opened;
}

/** As many bytes as a player's row has, roughly. */
const VALUE = "x".repeat(300);

answerParent({
  run: ({ dataDir, durationMs }: { dataDir: string; durationMs: number }): CommitLoopResult => {
    database ??= open(dataDir);
    const insert = database.prepare("INSERT INTO rows (id, value) VALUES (?, ?)");
    const latencies: number[] = [];
    const startedAt = performance.now();
    let now = startedAt;
    while (now - startedAt < durationMs) {
      insert.run(crypto.randomUUID(), VALUE);
      const end = performance.now();
      latencies.push(end - now);
      now = end;
    }
    latencies.sort((a, b) => a - b);
    return {
      transactions: latencies.length,
      elapsedMs: now - startedAt,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    };
  },
});
