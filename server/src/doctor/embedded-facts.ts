/** The embedded store as it lies in the data folder. Throws what is wrong with it, as a server that starts would. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { refuseMovedStore, requireStoreIn, STORE_FILE } from "../store/data-folder.ts";
import { APPLICATION_ID, MIGRATIONS, refuseNewer } from "../store/sqlite-migrations.ts";
import { damaged, explainFault, ofAnotherProgram, reasonOf, StoreError } from "../store/store-error.ts";
import type { Installation } from "./check.ts";
import { type Reader, readContents } from "./store-contents.ts";

/** Beyond, looking through it would take longer than anybody waits; `lineup backup` checks every copy. */
export const CHECKED_MAX_BYTES = 256 * 1024 * 1024;

export async function readEmbedded({ config }: Installation) {
  const file = join(config.dataDir, STORE_FILE);
  requireStoreIn(config.dataDir);
  refuseMovedStore(config.dataDir);
  const bytes = statSync(file).size;
  if (bytes === 0) throw damaged(file, "it is empty");
  const isChecked = bytes <= CHECKED_MAX_BYTES;
  let store: ReadOnlyFile | undefined;
  try {
    store = openReadOnly(file);
    if (store.applicationId !== APPLICATION_ID) throw ofAnotherProgram(file);
    refuseNewer(file, store.version, MIGRATIONS.length);
    const damage = isChecked ? lookForDamage(store) : undefined;
    if (damage !== undefined) throw damaged(file, damage);
    const missingSteps = MIGRATIONS.length - store.version;
    const journalBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    // Where the schema is not this version's, nothing is.
    const found = missingSteps > 0 ? undefined : await readContents(store, config);
    return { journalBytes, isChecked, missingSteps, found };
  } catch (error) {
    throw explainReading(file, error);
  } finally {
    store?.close();
  }
}

/** Results of SQLite that say nothing against what the file holds. Those with a number above 255 are kinds of another. */
const NO_DAMAGE: ReadonlyMap<number, string> = new Map([
  [3, "SQLITE_PERM"],
  [5, "SQLITE_BUSY"],
  [8, "SQLITE_READONLY"],
  [10, "SQLITE_IOERR"],
  [13, "SQLITE_FULL"],
  [14, "SQLITE_CANTOPEN"],
  [266, "SQLITE_IOERR_READ"],
  [522, "SQLITE_IOERR_SHORT_READ"],
]);

/** Says that a file is damaged only where it is: people who read so put a backup in its place, or give it up. */
export function explainReading(file: string, error: unknown, ifDamaged?: string): StoreError {
  if (error instanceof StoreError) return error;
  const number = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  const code = NO_DAMAGE.get(number) ?? NO_DAMAGE.get(number & 0xff);
  if (code === undefined) return damaged(file, reasonOf(error), ifDamaged);
  return explainFault(file, Object.assign(new Error(reasonOf(error)), { code }), ifDamaged);
}

function lookForDamage(store: ReadOnlyFile): string | undefined {
  try {
    return store.findDamage("quick_check");
  } catch (error) {
    return reasonOf(error);
  }
}

interface ReadOnlyFile extends Reader {
  readonly applicationId: number;
  readonly version: number;
  /** What is wrong with its pages; undefined where nothing is. */
  findDamage(how: "quick_check" | "integrity_check"): string | undefined;
  close(): void;
}

/**
 * A SQLite file, to be read without a trace. One that nobody has open is read as it lies there: an ordinary reader would leave a journal and its
 * index beside it. Where there is a journal, its last changes are read with it; where there is its index, a server may be writing while it is read, also when
 * the journal was just emptied.
 */
export function openReadOnly(file: string): ReadOnlyFile {
  const url = pathToFileURL(file);
  const sizeOf = (side: string) => statSync(file + side, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeOf("-wal") + sizeOf("-shm") === 0) url.search = "?immutable=1";
  const database = new DatabaseSync(url, { readOnly: true, timeout: 2_000 });
  const number = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  try {
    return {
      applicationId: number("application_id"),
      version: number("user_version"),
      findDamage(how) {
        const found = String(Object.values(database.prepare(`PRAGMA ${how}(1)`).get() ?? {})[0]);
        return found === "ok" ? undefined : found.replaceAll("\n", "; ");
      },
      all: async (sql, ...values) => database.prepare(sql).all(...values) as never,
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
