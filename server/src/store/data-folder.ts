/**
 * Who may use a data folder. One server at a time, because the limits are counted in its process; and while a backup is being
 * put in place of the store, nobody else.
 *
 * A lock is an open transaction on a small SQLite file: the operating system lets go of it when the process ends, however
 * that ends, so nothing is left behind by a crash and nothing has to be cleaned up by hand. The files stay; an unlocked
 * one means nothing. A file system without locks makes SQLite refuse, and so the server does.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { refuseLostStore, STORE_FILE } from "./data-files.ts";
import { makeFolder, makePrivateFile } from "./private-files.ts";
import { StoreError } from "./store-error.ts";
import { explainFault, isBusy, MOVE_AWAY } from "./store-faults.ts";

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
