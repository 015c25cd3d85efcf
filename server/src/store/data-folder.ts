/**
 * Who may use a data folder. One server at a time, because the limits are counted in its process; and while a backup is being
 * put in place of the store, nobody else.
 *
 * A lock is an open transaction on a small SQLite file: the operating system lets go of it when the process ends, however
 * that ends, so nothing is left behind by a crash and nothing has to be cleaned up by hand. The files stay; an unlocked
 * one means nothing. A file system without locks makes SQLite refuse, and so the server does.
 */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { MARKS_FILE } from "./audit-marks.ts";
import { readBounded, SMALL_FILE_MAX_BYTES } from "./bounded-file.ts";
import { makeFolder, makePrivateFile } from "./private-files.ts";
import { SECRET_FILE } from "./secret-file.ts";
import { explainFault, isBusy, MOVE_AWAY, StoreError } from "./store-error.ts";

/**
 * Names in the data folder, and what they say of a store that is not there.
 *
 * What always holds: of all these files `lineup.db` is made first, and its header is on the disk before any other is there. So a folder that
 * has one of the others and no `lineup.db` has lost its store, however a first start ended; it is not a new folder.
 */
export const STORE_FILE = "lineup.db";
/** What the server has counted. */
export const LIMITS_FILE = "limits.db";
/** The request log of an embedded store. */
export const REQUESTS_FILE = "requests.db";

const LATER_FILES = [`${STORE_FILE}-wal`, SECRET_FILE, MARKS_FILE, LIMITS_FILE, REQUESTS_FILE];

/** An empty file is as good as none: SQLite would take it for a new database, and throw its journal away. */
export function refuseLostStore(file: string): void {
  const folder = dirname(file);
  // Looked at first: another process may be making the store, and makes these after it.
  const others = LATER_FILES.filter((name) => existsSync(join(folder, name)));
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (others.length === 0 || (size ?? 0) > 0) return;
  const list = others.join(", ");
  throw new StoreError(
    `${file} is ${size === undefined ? "missing" : "empty"}, though ${folder} has been used with a store before: it holds ${list}. ` +
      'Nothing was changed. Bring the store back from a backup with "npx lineup restore FILE". ' +
      'If it is in PostgreSQL, set LINEUP_DATABASE_URL, or bring it here with "npx lineup move --to FOLDER". ' +
      `To begin with an empty store, move ${list} away first.`,
  );
}

/** Says where the store of the folder was moved to. */
const MOVED_FILE = "moved-to";

/** The store stays in the folder as it was; but what is revoked or written there would reach nobody. */
export function noteMoved(dataDir: string, place: string): void {
  const file = join(dataDir, MOVED_FILE);
  makePrivateFile(file);
  writeFileSync(file, `${place}\n`);
}

/** For one who brings a store into the folder. */
export function forgetMoved(dataDir: string): void {
  rmSync(join(dataDir, MOVED_FILE), { force: true });
}

export function refuseMovedStore(dataDir: string): void {
  const file = join(dataDir, MOVED_FILE);
  if (!existsSync(file)) return;
  const place = readBounded(file, SMALL_FILE_MAX_BYTES).toString("utf8").trim();
  throw new StoreError(
    `The store in ${dataDir} was moved to ${place}. Nothing was changed. Set LINEUP_DATABASE_URL to that database. ` +
      `To go on with the store as it was before the move, delete ${file} first.`,
  );
}

const SERVER_LOCK = "server.lock";
const COMMANDS_LOCK = "commands.lock";

export interface FolderLock {
  release(): void;
}

/** Held by a server for as long as it runs, and by a restore. */
export function lockDataFolder(dataDir: string): FolderLock {
  return take(
    dataDir,
    SERVER_LOCK,
    "exclusive",
    `A Lineup server is running on ${dataDir} (or a restore is under way there). ` +
      "Stop it first, or choose another folder with LINEUP_DATA_DIR.",
  );
}

/** Held by a command while it works on the store, together with others; a restore waits for none of them, it is refused. */
export function joinDataFolder(dataDir: string): FolderLock {
  const message = `A backup is being restored into ${dataDir}. Wait for it to end, then try again.`;
  return take(dataDir, COMMANDS_LOCK, "shared", message);
}

/** Nobody else works on the folder, neither server nor command, until it is released. */
export function claimDataFolder(dataDir: string): FolderLock {
  const server = lockDataFolder(dataDir);
  try {
    const message = `Another command is at work on ${dataDir}. Wait for it to end, then try again.`;
    const commands = take(dataDir, COMMANDS_LOCK, "exclusive", message);
    return {
      release: () => {
        commands.release();
        server.release();
      },
    };
  } catch (error) {
    server.release();
    throw error;
  }
}

/** Whether a server, or a restore, has the folder at this moment. */
export function isDataFolderHeld(dataDir: string): boolean {
  const file = join(dataDir, SERVER_LOCK);
  let connection: SqliteConnection | undefined;
  try {
    connection = new Sqlite(file, { readonly: true, timeout: 0 });
    connection.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    connection?.close();
  }
}

export function hasStoreIn(dataDir: string): boolean {
  return existsSync(join(dataDir, STORE_FILE));
}

/** So that a mistyped folder does not become a new, empty store. */
export function requireStoreIn(dataDir: string): void {
  if (hasStoreIn(dataDir)) return;
  refuseLostStore(join(dataDir, STORE_FILE));
  throw new StoreError(
    `There is no store in ${dataDir}. Set LINEUP_DATA_DIR to the folder that holds ${STORE_FILE}, ` +
      'or make a store there with "lineup org create" or "lineup serve".',
  );
}

function take(dataDir: string, name: string, kind: "exclusive" | "shared", refusal: string): FolderLock {
  const file = join(dataDir, name);
  let connection: SqliteConnection | undefined;
  try {
    makeFolder(dataDir);
    // Anyone who could read it could also lock it.
    makePrivateFile(file);
    connection = new Sqlite(file, { timeout: 0 });
    connection.exec(kind === "exclusive" ? "BEGIN EXCLUSIVE" : "BEGIN");
    // A shared lock is taken by the first read, and kept until the transaction ends.
    if (kind === "shared") connection.prepare("SELECT count(*) FROM sqlite_schema").get();
    const held = connection;
    return { release: () => held.close() };
  } catch (error) {
    connection?.close();
    if (isBusy(error)) throw new StoreError(refusal);
    throw explainFault(file, error, MOVE_AWAY);
  }
}
