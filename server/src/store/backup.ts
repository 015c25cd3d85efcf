/**
 * Copies of the store, each one file that either engine restores.
 *
 * A backup holds the store as it was at one moment, while servers go on reading and writing. Of an embedded store it is a copy of its pages: a
 * read transaction is kept open for as long as that takes, without which every write would make the copy start over. Of
 * PostgreSQL it is an archive written from one snapshot. Either is checked before it gets its name, so a file of that name is a good
 * backup, whenever the work was interrupted.
 */
import { closeSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { checkStoreFile, isSameFile, syncToDisk, writeArchive } from "./archive-file.ts";
import { refuseMovedStore, requireStoreIn, STORE_FILE } from "./data-folder.ts";
import { type PostgresAddress, readPostgresAtOnce } from "./postgres-snapshot.ts";
import { APPLICATION_ID } from "./sqlite-migrations.ts";
import {
  codeOf,
  damaged,
  explainFault,
  ofAnotherProgram,
  reasonOf,
  SIDE_FILES,
  StoreError,
  unreadable,
} from "./store-error.ts";

const PAGES_PER_STEP = 2_000;
const SO_IS_THE_STORE =
  'So is the store, it seems: keep the backups you have, and bring the last one back with "lineup restore FILE".';

/** What a server keeps beside the store, with all that SQLite makes of it: without its secret, a store is worth less than its backup. */
const OF_THE_FOLDER =
  /^(lineup|limits|requests)\.db(\.(damaged|before-).*)?(-wal|-shm|-journal)?$|\.lock(-journal)?$|^(secret|setup-token|moved-to|(restore|move)-in-progress|audit-marks(\.set-aside)?|server\.json)$/;

export interface BackupOptions {
  readonly overwrite?: boolean;
  readonly onProgress?: (done: number, total: number, what: string) => void;
}

export interface Backup {
  readonly file: string;
  readonly bytes: number;
}

/** Of the embedded store in the folder. */
export async function backupTo(dataDir: string, file: string, options: BackupOptions = {}): Promise<Backup> {
  requireStoreIn(dataDir);
  refuseMovedStore(dataDir);
  return makeBackup(dataDir, file, options, async (unfinished) => {
    const store = join(dataDir, STORE_FILE);
    await copyPages(store, unfinished, options.onProgress);
    checkStoreFile(unfinished, `The copy of ${store}`, SO_IS_THE_STORE);
    syncToDisk(unfinished);
  });
}

/** Of PostgreSQL. The folder may hold an embedded store too, which is not to be written over by mistake. */
export async function backupPostgresTo(
  address: PostgresAddress,
  dataDir: string,
  file: string,
  options: BackupOptions = {},
): Promise<Backup> {
  const { onProgress } = options;
  return makeBackup(dataDir, file, options, (unfinished) =>
    readPostgresAtOnce(address, async (source) => {
      await writeArchive(
        source,
        unfinished,
        onProgress && ((done, total, phase) => onProgress(done, total, `rows, ${phase}`)),
      );
    }),
  );
}

/** What `write` fills gets its name when it is whole. */
async function makeBackup(
  dataDir: string,
  file: string,
  options: BackupOptions,
  write: (unfinished: string) => Promise<void>,
): Promise<Backup> {
  const target = resolve(file);
  refuseTarget(dataDir, target, options.overwrite ?? false);
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    // Made first, so that at no moment others on the machine can read what is in it.
    closeSync(openSync(unfinished, "wx", 0o600));
    await write(unfinished);
    refuseTarget(dataDir, target, options.overwrite ?? false);
    // Without leave to overwrite, a file that somebody else has just put there stays.
    if (options.overwrite) renameSync(unfinished, target);
    else linkSync(unfinished, target);
    syncToDisk(dirname(target));
    return { file: target, bytes: statSync(target).size };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      `The backup could not be written to ${target} (${reasonOf(error)}). Choose a folder that exists, is writable and has room.`,
      { cause: error },
    );
  } finally {
    for (const side of ["", ...SIDE_FILES]) rmSync(unfinished + side, { force: true });
  }
}

async function copyPages(from: string, to: string, onProgress: BackupOptions["onProgress"]): Promise<void> {
  const source = openAtOnce(from);
  try {
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(totalPages - remainingPages, totalPages, "pages");
        return PAGES_PER_STEP;
      },
    });
  } catch (error) {
    throw isFaultOfSource(source, error) ? unreadable(from, reasonOf(error)) : error;
  } finally {
    source.close();
  }
}

/** Which of the two files broke, a failed copy does not say. So all of the store is read once more. */
function isFaultOfSource(source: Sqlite.Database, error: unknown): boolean {
  const code = codeOf(error);
  if (code.startsWith("SQLITE_CORRUPT")) return true;
  if (!code.startsWith("SQLITE_IOERR")) return false;
  try {
    return source.pragma("quick_check(1)", { simple: true }) !== "ok";
  } catch {
    return true;
  }
}

/** All that is read from here on is of one moment. */
function openAtOnce(file: string): Sqlite.Database {
  let source: Sqlite.Database | undefined;
  try {
    if (statSync(file).size === 0) throw damaged(file, "it is empty");
    source = new Sqlite(file, { readonly: true, timeout: 5_000 });
    source.exec("BEGIN");
    if (source.pragma("application_id", { simple: true }) !== APPLICATION_ID) throw ofAnotherProgram(file);
    return source;
  } catch (error) {
    source?.close();
    throw explainFault(file, error);
  }
}

function refuseTarget(dataDir: string, target: string, overwrite: boolean): void {
  const found = statSync(target, { throwIfNoEntry: false });
  const folder = statSync(dirname(target), { throwIfNoEntry: false });
  if (folder === undefined || !folder.isDirectory()) {
    throw new StoreError(`There is no folder ${dirname(target)}. Make it first, or choose another.`);
  }
  if (found?.isDirectory()) {
    throw new StoreError(`${target} is a folder. Name a file in it, such as ${join(target, "lineup-backup.db")}.`);
  }
  if (found !== undefined && !found.isFile()) {
    throw new StoreError(`${target} is a device or the like, and no file. Choose another name.`);
  }
  const isInDataDir = isSameFile(dirname(target), dataDir);
  if ((isInDataDir && OF_THE_FOLDER.test(basename(target))) || isSameFile(target, join(dataDir, STORE_FILE))) {
    throw new StoreError(`${target} is part of the store itself. Choose another name for the backup.`);
  }
  if (found !== undefined && !overwrite) {
    throw new StoreError(`${target} exists already. Choose another name, or add --force to replace it.`);
  }
}
