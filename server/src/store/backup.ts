/**
 * Copies of the embedded store, and the way back.
 *
 * A backup is one file that holds the store as it was at one moment, while the server goes on reading and writing: a read
 * transaction is kept open for as long as the copy takes, without which every write would make the copy start over. The copy
 * is checked before it gets its name, so a file of that name is a good backup, whenever the work was interrupted.
 *
 * A restore works on a copy of the backup inside the data folder. All checks and migrations happen there; the present
 * store is put aside and the copy takes its place only when nothing can be refused any more, and is kept, not deleted.
 */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { claimDataFolder, requireStoreIn } from "./data-folder.ts";
import { openSqliteStore, STORE_FILE } from "./sqlite.ts";
import { isBusy } from "./sqlite-driver.ts";
import { StoreError } from "./store.ts";
import { checkStoreFile, foldIntoOneFile, isSameFile, SIDE_FILES, syncToDisk } from "./store-file.ts";

const STAGING_FOLDER = "restore-in-progress";
const PAGES_PER_STEP = 2_000;

export interface BackupOptions {
  readonly overwrite?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export async function backupTo(
  dataDir: string,
  file: string,
  options: BackupOptions = {},
): Promise<{ readonly file: string; readonly bytes: number }> {
  requireStoreIn(dataDir);
  const target = resolve(file);
  refuseTarget(dataDir, target, options.overwrite ?? false);
  const unfinished = `${target}.unfinished-${process.pid}`;
  try {
    // Made first, so that at no moment others on the machine can read what is in it.
    closeSync(openSync(unfinished, "wx", 0o600));
    await copyStore(join(dataDir, STORE_FILE), unfinished, options.onProgress);
    checkStoreFile(unfinished, "The copy");
    syncToDisk(unfinished);
    refuseTarget(dataDir, target, options.overwrite ?? false);
    putInPlace(unfinished, target, options.overwrite ?? false);
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

export interface Restored {
  /** Where the store that was there before is kept; undefined where there was none. */
  readonly keptAs: string | undefined;
  /** How many migrations brought the backup's schema up to date. */
  readonly migrated: number;
}

export async function restoreFrom(dataDir: string, file: string, now = new Date()): Promise<Restored> {
  const source = resolve(file);
  refuseSource(dataDir, source);
  const lock = claimDataFolder(dataDir);
  const staging = join(dataDir, STAGING_FOLDER);
  try {
    // What an interrupted restore left there is of no use to anybody.
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { mode: 0o700 });
    const staged = join(staging, STORE_FILE);
    for (const side of ["", "-wal"]) {
      if (existsSync(source + side)) copyFileSync(source + side, staged + side, constants.COPYFILE_FICLONE);
    }
    chmodSync(staged, 0o600);
    checkStoreFile(staged, source);
    const { store, migrated } = await openSqliteStore(staging);
    // Proves that it can be read and written through both of its doors.
    await store.accessRevision();
    await store.writeAccess(async () => {});
    await store.close();
    foldIntoOneFile(staged);
    syncToDisk(staged);
    const keptAs = swapIn(dataDir, staged, now);
    return { keptAs, migrated };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`${source} could not be restored (${reasonOf(error)}). The present store is as it was.`, {
      cause: error,
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
    lock.release();
  }
}

/** Without leave to overwrite, a file that somebody else has just put there stays. */
function putInPlace(unfinished: string, target: string, overwrite: boolean): void {
  if (overwrite) renameSync(unfinished, target);
  else linkSync(unfinished, target);
}

async function copyStore(from: string, to: string, onProgress: BackupOptions["onProgress"]): Promise<void> {
  const source = new Sqlite(from, { readonly: true, timeout: 5_000 });
  try {
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
  } finally {
    source.close();
  }
}

function swapIn(dataDir: string, staged: string, now: Date): string | undefined {
  const present = join(dataDir, STORE_FILE);
  const hadStore = existsSync(present);
  const kept = `${present}.before-restore.${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  if (hadStore) putAside(present, kept);
  else removeSideFiles(present);
  try {
    renameSync(staged, present);
  } catch (error) {
    if (hadStore && !existsSync(present)) moveWithSideFiles(kept, present);
    throw error;
  }
  syncToDisk(dataDir);
  return hadStore ? kept : undefined;
}

/** The store keeps its old name as well, where the file system can do that, so that at no moment there is none. */
function putAside(present: string, kept: string): void {
  try {
    foldIntoOneFile(present);
    linkSync(present, kept);
    return;
  } catch (error) {
    if (isBusy(error)) {
      throw new StoreError(`${present} is in use by another program. End it first; nothing was changed.`);
    }
    // A store too damaged to be folded is kept as it lies, journal and all.
  }
  moveWithSideFiles(present, kept);
}

function moveWithSideFiles(from: string, to: string): void {
  for (const side of ["", ...SIDE_FILES]) {
    if (existsSync(from + side)) renameSync(from + side, to + side);
  }
}

/** A journal without its store would be taken for the new store's. */
function removeSideFiles(file: string): void {
  for (const side of SIDE_FILES) rmSync(file + side, { force: true });
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
  const isInDataDir = isSameFile(dirname(target), dataDir);
  const isPartOfStore = isInDataDir && /^(lineup\.db|limits\.db)(-wal|-shm|-journal)?$|\.lock$/.test(basename(target));
  if (isPartOfStore || isSameFile(target, join(dataDir, STORE_FILE))) {
    throw new StoreError(`${target} is part of the store itself. Choose another name for the backup.`);
  }
  if (found !== undefined && !overwrite) {
    throw new StoreError(`${target} exists already. Choose another name, or add --force to replace it.`);
  }
}

function refuseSource(dataDir: string, source: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new StoreError(`There is no file ${source}. Name a file that "lineup backup" made.`);
  if (!found.isFile()) throw new StoreError(`${source} is not a file. Name a file that "lineup backup" made.`);
  if (isSameFile(source, join(dataDir, STORE_FILE))) {
    throw new StoreError(`${source} is the store itself. Name a file that "lineup backup" made.`);
  }
  if (isSameFile(dirname(source), join(dataDir, STAGING_FOLDER))) {
    throw new StoreError(`${source} lies where a restore works. Move it somewhere else first.`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
