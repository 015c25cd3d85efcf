/**
 * What was counted goes along with a store that moves, so that nobody's windows are emptied by it: between the journal of a data folder and
 * Redis. Both add only what is missing, so that a move can be run again. A journal is read from a copy, and stays as it was.
 */
import { constants, copyFileSync, existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../config.ts";
import { exportJournal, importIntoJournal } from "../limits/journal-transfer.ts";
import type { CountedAdmissions, RedisAdmissions } from "../limits/redis-admissions.ts";
import { LIMITS_FILE } from "../store/data-files.ts";
import { CommandError, isReadable } from "./failure.ts";

export interface MovedCounts {
  /** Keys that were ever used. */
  readonly keys: number;
  /** Their requests that still count. */
  readonly requests: number;
}

/** A data folder's journal, or Redis by its address. */
type CountsPlace = { readonly journal: string } | { readonly redisUrl: string };

export interface CountsRoute {
  readonly from: CountsPlace;
  readonly to: CountsPlace;
}

/**
 * Undefined where they stay where they are: a server on PostgreSQL without Redis counts in the data folder, as one on the embedded store
 * does. `folder` is where the store moves to, undefined for PostgreSQL.
 */
export function findCountsRoute({ dataDir, redisUrl }: Config, folder: string | undefined): CountsRoute | undefined {
  const journal = join(dataDir, LIMITS_FILE);
  if (folder === undefined) return redisUrl === undefined ? undefined : { from: { journal }, to: { redisUrl } };
  const to = { journal: join(folder, LIMITS_FILE) };
  if (redisUrl !== undefined) return { from: { redisUrl }, to };
  return relative(journal, to.journal) === "" ? undefined : { from: { journal }, to };
}

/** `workFolder` is for what is gone when the move has ended. */
export async function moveCounts(
  { from, to }: CountsRoute,
  keyIds: readonly string[],
  workFolder: string,
): Promise<MovedCounts> {
  const tally = { keys: 0, requests: 0 };
  const close: (() => void)[] = [];
  try {
    const entries = await openSource(from, keyIds, workFolder, close);
    await give(to, withTally(entries, tally), close);
    return tally;
  } catch (error) {
    if (isReadable(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `What was counted could not be moved (${reason}), and so the store was not moved either. Run the command again.`,
    );
  } finally {
    for (const end of close) end();
  }
}

type Entries = Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>;

async function openSource(
  from: CountsPlace,
  keyIds: readonly string[],
  workFolder: string,
  close: (() => void)[],
): Promise<Entries> {
  if ("journal" in from) return exportJournal(copyJournal(from.journal, workFolder), keyIds);
  const redis = await openRedis(from.redisUrl, close);
  return redis.exportAdmissions(keyIds);
}

async function give(to: CountsPlace, entries: Entries, close: (() => void)[]): Promise<void> {
  if ("journal" in to) {
    await importIntoJournal(to.journal, entries);
    return;
  }
  const redis = await openRedis(to.redisUrl, close);
  await redis.importAdmissions(entries);
}

async function openRedis(url: string, close: (() => void)[]): Promise<RedisAdmissions> {
  const { openRedisAdmissions } = await import("../limits/redis-admissions.ts");
  const redis = await openRedisAdmissions(url);
  close.push(() => redis.close());
  return redis;
}

function copyJournal(journal: string, workFolder: string): string {
  const copy = join(workFolder, LIMITS_FILE);
  for (const side of ["", "-wal"]) {
    if (existsSync(journal + side)) copyFileSync(journal + side, copy + side, constants.COPYFILE_FICLONE);
  }
  return copy;
}

async function* withTally(
  entries: Entries,
  tally: { keys: number; requests: number },
): AsyncGenerator<CountedAdmissions> {
  for await (const entry of entries) {
    tally.keys++;
    tally.requests += entry.admissions.length;
    yield entry;
  }
}
