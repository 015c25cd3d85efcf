/**
 * Opens the embedded store. A store is opened whole or not at all: the file must be a Lineup store, undamaged, writable
 * and not newer than this program, and its schema is brought up to date after a snapshot of the file was taken. Every
 * refusal is a `StoreError` that says what to do.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { Kysely } from "kysely";
import type { Database } from "./schema.ts";
import { isBusy, sqliteDialect } from "./sqlite-driver.ts";
import { MIGRATIONS } from "./sqlite-migrations.ts";
import { Store, StoreError } from "./store.ts";

export const STORE_FILE = "lineup.db";

/** Marks the file as Lineup's ("LnUp"), so that no other program's database is ever migrated by mistake. */
const APPLICATION_ID = 0x4c6e5570;
/** Checking every page takes about a second a gigabyte; beyond this it is left to `lineup backup`, which checks its copy. */
const CHECKED_AT_START_MAX_BYTES = 512 * 1024 * 1024;
const SNAPSHOTS_KEPT = 3;

export interface OpenedSqlite {
  readonly store: Store;
  /** How many migrations were taken just now. */
  readonly migrated: number;
}

/** A command waits for a busy store like a person would; a server must not, for its one thread serves everybody. */
export async function openSqliteStore(dataDir: string): Promise<OpenedSqlite> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, STORE_FILE);
  const writer = explain(file, () => openConnection(file));
  try {
    explain(file, () => checkFile(writer, file));
    const migrated = await migrate(writer, file);
    const reader = explain(file, () => openReader(file));
    return { store: makeStore(writer, reader), migrated };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function makeStore(writer: SqliteConnection, reader: SqliteConnection): Store {
  const dataVersion = reader.prepare("PRAGMA data_version").pluck();
  return new Store({
    reads: new Kysely<Database>({ dialect: sqliteDialect(reader) }),
    writes: new Kysely<Database>({ dialect: sqliteDialect(writer) }),
    version: () => dataVersion.get() as number,
    ping: () => {
      reader.prepare("SELECT count(*) FROM settings").get();
      const version = reader.pragma("user_version", { simple: true });
      if (version !== MIGRATIONS.length)
        throw new StoreError(`The schema is at step ${version}, not at ${MIGRATIONS.length}.`);
    },
    copyTo: async (target, onProgress) => {
      await reader.backup(target, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress?.(totalPages - remainingPages, totalPages);
          return 2_000;
        },
      });
    },
  });
}

function openConnection(file: string): SqliteConnection {
  const connection = new Sqlite(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    // Creating the file and its journal can meet another process doing the same; a moment's wait is fine at start.
    connection.pragma("busy_timeout = 5000");
    connection.pragma("journal_mode = WAL");
    connection.pragma("busy_timeout = 0");
    connection.pragma("synchronous = FULL");
    connection.pragma("foreign_keys = ON");
    connection.pragma("trusted_schema = OFF");
    connection.pragma("cell_size_check = ON");
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openReader(file: string): SqliteConnection {
  const connection = new Sqlite(file, { readonly: true, timeout: 50 });
  connection.pragma("cell_size_check = ON");
  connection.pragma("cache_size = -65536");
  return connection;
}

function checkFile(connection: SqliteConnection, file: string): void {
  const applicationId = connection.pragma("application_id", { simple: true });
  const isEmpty = connection.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
  if (!isEmpty && applicationId !== APPLICATION_ID) {
    throw new StoreError(`${file} is a database of another program. Choose another folder with LINEUP_DATA_DIR.`);
  }
  const version = connection.pragma("user_version", { simple: true }) as number;
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      `${file} was written by a newer version of Lineup (schema ${version}; this version knows ${MIGRATIONS.length}). ` +
        "Start that version or a later one, or restore a backup that this version made.",
    );
  }
  checkIntegrity(connection, file);
}

export function checkIntegrity(connection: SqliteConnection, file: string): void {
  if (existsSync(file) && statSync(file).size > CHECKED_AT_START_MAX_BYTES) return;
  const found = connection.pragma("integrity_check(3)", { simple: false }) as { integrity_check: string }[];
  if (found.length === 1 && found[0]?.integrity_check === "ok") return;
  throw damaged(file, found.map((row) => row.integrity_check).join("; "));
}

function damaged(file: string, reason: string): StoreError {
  return new StoreError(
    `${file} is damaged (${reason}). Nothing was changed. Restore a backup with "lineup restore FILE", ` +
      "or look for an earlier snapshot beside it.",
  );
}

async function migrate(connection: SqliteConnection, file: string): Promise<number> {
  const from = connection.pragma("user_version", { simple: true }) as number;
  const steps = MIGRATIONS.slice(from);
  if (steps.length === 0) {
    explain(file, () => proveWritable(connection));
    return 0;
  }
  if (from > 0) await takeSnapshot(connection, file, from);
  explain(file, () => {
    connection.pragma("busy_timeout = 5000");
    connection.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have migrated while this one waited for the lock.
      const now = connection.pragma("user_version", { simple: true }) as number;
      for (const step of MIGRATIONS.slice(now)) connection.exec(step.sql);
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${MIGRATIONS.length}`);
      connection.exec("COMMIT");
    } finally {
      if (connection.inTransaction) connection.exec("ROLLBACK");
      connection.pragma("busy_timeout = 0");
    }
  });
  return steps.length;
}

/** Takes the write lock and writes a page that is then given back, which a read-only or full file does not allow. */
function proveWritable(connection: SqliteConnection): void {
  try {
    connection.exec("BEGIN IMMEDIATE");
    connection.exec("UPDATE settings SET value = value WHERE name = 'access_revision'");
  } catch (error) {
    // A command that is writing at this moment has proved it already.
    if (!isBusy(error)) throw error;
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }
}

async function takeSnapshot(connection: SqliteConnection, file: string, version: number): Promise<void> {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  await connection.backup(`${file}.before-schema-${version + 1}.${stamp}`);
  const snapshots = readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${STORE_FILE}.before-schema-`))
    .sort((a, b) => statSync(join(dirname(file), a)).mtimeMs - statSync(join(dirname(file), b)).mtimeMs);
  for (const old of snapshots.slice(0, -SNAPSHOTS_KEPT)) rmSync(join(dirname(file), old));
}

/** Runs a step of opening; what SQLite says becomes what the operator can do about it. */
function explain<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof StoreError ? error : explained(file, error);
  }
}

function explained(file: string, error: unknown): StoreError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = error instanceof Error ? error.message : String(error);
  if (code.startsWith("SQLITE_CORRUPT") || code.startsWith("SQLITE_NOTADB")) return damaged(file, reason);
  if (code.startsWith("SQLITE_READONLY") || code.startsWith("SQLITE_CANTOPEN") || code.startsWith("SQLITE_PERM")) {
    return new StoreError(
      `${file} cannot be written (${reason}). Give this user write access to it and to its folder.`,
    );
  }
  if (code.startsWith("SQLITE_FULL") || code.startsWith("SQLITE_IOERR")) {
    return new StoreError(`${file} cannot be written (${reason}). Free space on its disk, or check the disk.`);
  }
  if (isBusy(error))
    return new StoreError(`${file} is busy (${reason}). Wait for the other process, then start again.`);
  return new StoreError(`${file} cannot be opened (${reason}).`, { cause: error });
}
