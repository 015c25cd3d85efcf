/**
 * Brings a store's schema up to date: all steps that are missing, or none, in one transaction that waits for anyone else who is
 * doing the same. A store that holds data is copied first, under the same lock, so that the copy is what the steps began with.
 */
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import type { Migration } from "./sqlite-migrations.ts";
import { StoreError } from "./store-error.ts";
import { codeOf, isBusy, reasonOf } from "./store-faults.ts";

/** Marks the file as Lineup's ("LnUp"), so that no other program's database is ever migrated by mistake. */
export const APPLICATION_ID = 0x4c6e5570;
/** How long opening waits for another process that opens, migrates or imports. */
export const START_PATIENCE_MS = 5_000;
const SNAPSHOTS_MAX = 3;

/** Returns how many steps were taken. */
export async function migrate(
  connection: SqliteConnection,
  file: string,
  migrations: readonly Migration[],
): Promise<number> {
  if (connection.pragma("user_version", { simple: true }) === migrations.length) {
    proveWritable(connection);
    return 0;
  }
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated while this one waited for the lock, and may know more steps.
    const from = connection.pragma("user_version", { simple: true }) as number;
    refuseNewer(file, from, migrations.length);
    const steps = migrations.slice(from);
    // With the lock held, so that nothing is written between the snapshot and the first step.
    if (from > 0 && steps.length > 0) await takeSnapshot(file, from);
    for (const [index, step] of steps.entries()) takeStep(file, connection, step.sql, from + index + 1);
    connection.pragma(`application_id = ${APPLICATION_ID}`);
    connection.pragma(`user_version = ${migrations.length}`);
    connection.exec("COMMIT");
    return steps.length;
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
  }
}

/** A step that does not fit what is stored is no damage, and no backup would help. */
function takeStep(file: string, connection: SqliteConnection, statements: string, number: number): void {
  try {
    connection.exec(statements);
  } catch (error) {
    if (!/^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH)/.test(codeOf(error))) throw error;
    throw new StoreError(
      `${file} could not be brought to schema ${number} (${reasonOf(error)}). Nothing was changed. ` +
        "Start the version of Lineup that you had before, and report this.",
      { cause: error },
    );
  }
}

/** Takes the write lock and writes a page that is then given back, which a read-only or full file does not allow. */
function proveWritable(connection: SqliteConnection): void {
  try {
    connection.pragma("busy_timeout = 0");
    connection.exec("BEGIN IMMEDIATE");
    connection.exec("UPDATE settings SET value = value WHERE name = 'access_revision'");
  } catch (error) {
    // A command that is writing at this moment has proved it already.
    if (!isBusy(error)) throw error;
  } finally {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    connection.pragma(`busy_timeout = ${START_PATIENCE_MS}`);
  }
}

/** Gets its name when it is whole: what bears the name can be gone back to. */
async function takeSnapshot(file: string, version: number): Promise<void> {
  const folder = dirname(file);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const snapshot = `${file}.before-schema-${version + 1}.${stamp}`;
  const unfinished = `${snapshot}.unfinished`;
  closeSync(openSync(unfinished, "wx", 0o600));
  const source = new Sqlite(file, { readonly: true });
  try {
    await source.backup(unfinished);
    renameSync(unfinished, snapshot);
  } finally {
    source.close();
    rmSync(unfinished, { force: true });
  }
  const snapshots = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.before-schema-`))
    .sort((a, b) => statSync(join(folder, a)).mtimeMs - statSync(join(folder, b)).mtimeMs);
  for (const old of snapshots.slice(0, -SNAPSHOTS_MAX)) rmSync(join(folder, old));
}

export function refuseNewer(file: string, version: number, schemaVersion: number): void {
  if (version <= schemaVersion) return;
  throw new StoreError(
    `${file} was written by a newer version of Lineup (schema ${version}; this version knows ${schemaVersion}). ` +
      "Start that version or a later one, or restore a backup that this version made.",
  );
}
