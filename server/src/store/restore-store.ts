/**
 * The way back from a backup, into either engine.
 *
 * A restore works on a copy of the backup. All checks and migrations happen there; the copy takes the present store's place only when
 * nothing can be refused any more, and the present store is kept, not deleted.
 */
import { existsSync, linkSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  foldIntoOneFile,
  isSameFile,
  removeSideFiles,
  stageArchive,
  syncToDisk,
  withArchive,
  workInFolder,
} from "./archive-file.ts";
import { forgetMoved, STORE_FILE } from "./data-folder.ts";
import { type FillOptions, fillPostgres } from "./postgres-fill.ts";
import type { PostgresAddress } from "./postgres-snapshot.ts";
import { isBusy, reasonOf, SIDE_FILES, StoreError } from "./store-error.ts";

const STAGING_FOLDER = "restore-in-progress";

export interface Restored {
  /** The file or the schema in which the store that was there before is kept; undefined where there was none. */
  readonly keptAs: string | undefined;
  /** How many migrations brought the backup's schema up to date. */
  readonly migrated: number;
}

/** What is done to the copy, which is a store in a folder of its own, before anybody can see it. */
export type Prepare = (folder: string) => Promise<void>;

/** Into the embedded store of the folder. */
export async function restoreFrom(
  dataDir: string,
  file: string,
  now = new Date(),
  prepare?: Prepare,
): Promise<Restored> {
  const source = resolve(file);
  refuseSource(dataDir, source);
  const restored = workInFolder(dataDir, STAGING_FOLDER, async (staging) => {
    const staged = await stageArchive(source, staging);
    await prepareStaged(staged.file, prepare);
    const keptAs = swapIn(dataDir, staged.file, now);
    forgetMoved(dataDir);
    return { keptAs, migrated: staged.migrated };
  });
  return restored.catch((error: unknown) => {
    throw notRestored(source, error);
  });
}

export interface RestoreOptions extends Pick<FillOptions, "onProgress" | "now"> {
  readonly prepare?: Prepare | undefined;
}

/** Into PostgreSQL. */
export async function restoreIntoPostgres(
  address: PostgresAddress,
  file: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  const source = resolve(file);
  refuseMissing(source);
  // For its owner alone. The data folder need not be there, nor have room.
  const staging = mkdtempSync(join(tmpdir(), "lineup-restore-"));
  try {
    const { file: staged, migrated } = await stageArchive(source, join(staging, "archive"));
    await prepareStaged(staged, options.prepare);
    return await withArchive(staged, async (archive) => {
      // Open files need no name, and without one nothing is left behind, however this ends.
      rmSync(staging, { recursive: true, force: true });
      const { keptAs } = await fillPostgres(address, archive, { ...options, occupied: "keep" });
      return { keptAs, migrated };
    });
  } catch (error) {
    throw notRestored(source, error);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function prepareStaged(file: string, prepare: Prepare | undefined): Promise<void> {
  if (prepare === undefined) return;
  await prepare(dirname(file));
  foldIntoOneFile(file);
  syncToDisk(file);
}

/** A copy of a store takes the place of the one in the folder, which is kept. */
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

function refuseSource(dataDir: string, source: string): void {
  refuseMissing(source);
  if (isSameFile(source, join(dataDir, STORE_FILE))) {
    throw new StoreError(`${source} is the store itself. Name a file that "lineup backup" made.`);
  }
  if (isSameFile(dirname(source), join(dataDir, STAGING_FOLDER))) {
    throw new StoreError(`${source} lies where a restore works. Move it somewhere else first.`);
  }
}

function refuseMissing(source: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new StoreError(`There is no file ${source}. Name a file that "lineup backup" made.`);
  if (!found.isFile()) throw new StoreError(`${source} is not a file. Name a file that "lineup backup" made.`);
}

function notRestored(source: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(`${source} could not be restored (${reasonOf(error)}). The present store is as it was.`, {
    cause: error,
  });
}
