/**
 * What a create is held against: how many one-row transactions a second the disk and SQLite allow in a plain loop, with the pragmas of
 * the store's writer, without HTTP or anything else. Ids increase, as Lineup's do, so that the loop is as quick as it can be.
 */
import { join } from "node:path";
import { makeId } from "@lineup/server/store/ids";
import Sqlite from "better-sqlite3";
import { answerParent } from "./child.ts";
import { percentile } from "./statistics.ts";
import { WRITER_PRAGMAS } from "./writer-pragmas.ts";

export interface CommitLoopResult {
  readonly transactions: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

let database: Sqlite.Database | undefined;

function open(dataDir: string): Sqlite.Database {
  const opened = new Sqlite(join(dataDir, "commit-loop.db"));
  for (const pragma of WRITER_PRAGMAS) opened.pragma(pragma);
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
      insert.run(makeId("player"), VALUE);
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
