/**
 * What was counted goes along with a store that moves, so that nobody's windows are emptied by it: between the journal of a data folder and
 * Redis. Both add only what is missing, so that a move can be run again. A journal is read from a copy, and stays as it was.
 */
import { constants, copyFileSync, existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../config.ts";
import { exportJournal, importIntoJournal } from "../limits/journal-transfer.ts";
import type { CountedAdmissions } from "../limits/redis-admissions.ts";
import { LIMITS_FILE } from "../store/data-folder.ts";
import { reasonOf } from "../store/store-error.ts";
import { CommandError, isReadable } from "./output.ts";

export interface MovedCounts {
  /** Keys that were ever used. */
  readonly keys: number;
  /** Their requests that still count. */
  readonly requests: number;
}

/**
 * Undefined where they stay where they are: a server on PostgreSQL without Redis counts in the data folder, as one on the embedded store
 * does. `folder` is where the store moves to, undefined for PostgreSQL; `workFolder` is for what is gone when the move has ended.
 */
export async function moveCounts(
  { dataDir, redisUrl }: Config,
  folder: string | undefined,
  keyIds: readonly string[],
  workFolder: string,
): Promise<MovedCounts | undefined> {
  const journal = join(dataDir, LIMITS_FILE);
  const target = folder === undefined ? undefined : join(folder, LIMITS_FILE);
  const tally = { keys: 0, requests: 0 };
  const readJournal = () => withTally(exportJournal(copyJournal(journal, workFolder), keyIds), tally);
  try {
    if (redisUrl !== undefined) {
      const { connectCommandToRedis, exportAdmissions, importAdmissions } = await import(
        "../limits/redis-admissions.ts"
      );
      const link = await connectCommandToRedis(redisUrl);
      try {
        if (target === undefined) await importAdmissions(link, readJournal());
        else await importIntoJournal(target, withTally(exportAdmissions(link, keyIds), tally));
      } finally {
        link.destroy();
      }
    } else {
      if (target === undefined || relative(journal, target) === "") return undefined;
      await importIntoJournal(target, readJournal());
    }
    return tally;
  } catch (error) {
    if (isReadable(error)) throw error;
    throw new CommandError(
      `What was counted could not be moved (${reasonOf(error)}), and so the store was not moved either. Run the command again.`,
    );
  }
}

function copyJournal(journal: string, workFolder: string): string {
  const copy = join(workFolder, LIMITS_FILE);
  for (const side of ["", "-wal"]) {
    if (existsSync(journal + side)) copyFileSync(journal + side, copy + side, constants.COPYFILE_FICLONE);
  }
  return copy;
}

async function* withTally(
  entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>,
  tally: { keys: number; requests: number },
): AsyncGenerator<CountedAdmissions> {
  for await (const entry of entries) {
    tally.keys++;
    tally.requests += entry.admissions.length;
    yield entry;
  }
}
