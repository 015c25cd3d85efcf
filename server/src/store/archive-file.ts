/**
 * Stores as files, and archives: the whole store in one file, which is an embedded store of this version. Whatever was made from PostgreSQL
 * can be opened by either engine, and so can whatever was made from an embedded store.
 *
 * An archive is written from one state of the store, read back, and compared with what was read there. A file to be read from is first
 * copied, and the copy checked and brought up to date, so that the file itself stays as it is, however old it is.
 */
import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite, { type Database as SqliteConnection, type Statement } from "better-sqlite3";
import {
  copyStore,
  type OnProgress,
  type Row,
  type RowSource,
  type StoreSums,
  sqliteRows,
  type TableShape,
} from "./copy-rows.ts";
import { claimDataFolder, STORE_FILE } from "./data-folder.ts";
import { makeFolder } from "./private-files.ts";
import { openSqliteStore } from "./sqlite.ts";
import { APPLICATION_ID, MIGRATIONS, migrate } from "./sqlite-migrations.ts";
import { codeOf, damaged, reasonOf, SIDE_FILES, StoreError } from "./store-error.ts";

/** Fills an empty file. It is whole and on the disk when this returns; before, it is of no use to anybody. */
export async function writeArchive(source: RowSource, file: string, onProgress?: OnProgress): Promise<StoreSums> {
  const connection = new Sqlite(file);
  let sums: StoreSums;
  try {
    // What is interrupted is begun anew, so nothing is spent on being able to go back.
    connection.pragma("journal_mode = OFF");
    connection.pragma("synchronous = OFF");
    // Looked at when all is there.
    connection.pragma("foreign_keys = OFF");
    await migrate(connection, file, MIGRATIONS);
    sums = await fill(connection, source, onProgress);
  } finally {
    connection.close();
  }
  checkStoreFile(file, "The copy");
  syncToDisk(file);
  return sums;
}

/** Reads a store's file: one that stands alone, or one with its journal beside it. */
export async function withArchive<T>(file: string, work: (archive: RowSource) => Promise<T>): Promise<T> {
  const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    return await work(sqliteRows(connection));
  } finally {
    connection.close();
  }
}

/** Copies a store into a folder, which is emptied first, checks the copy, and brings it up to date; says by how many migrations. */
export async function stageArchive(
  source: string,
  folder: string,
): Promise<{ readonly file: string; readonly migrated: number }> {
  // What an interrupted run left there is of no use to anybody.
  rmSync(folder, { recursive: true, force: true });
  makeFolder(folder);
  const file = join(folder, STORE_FILE);
  for (const side of ["", "-wal"]) {
    // A pipe of that name would be waited for.
    if (statSync(source + side, { throwIfNoEntry: false })?.isFile())
      copyFileSync(source + side, file + side, constants.COPYFILE_FICLONE);
  }
  chmodSync(file, 0o600);
  checkStoreFile(file, source);
  const { store, migrated } = await openSqliteStore(folder);
  // Proves that it can be read and written through both of its doors.
  await store.accessRevision();
  await store.close();
  foldIntoOneFile(file);
  syncToDisk(file);
  syncToDisk(dirname(file));
  return { file, migrated };
}

/** With nobody else at work on the data folder, and with a folder of its own in that, of which nothing stays. */
export async function workInFolder<T>(
  dataDir: string,
  name: string,
  work: (workFolder: string) => Promise<T>,
): Promise<T> {
  const lock = claimDataFolder(dataDir);
  const workFolder = join(dataDir, name);
  try {
    // What was interrupted has left there what is of no use to anybody.
    rmSync(workFolder, { recursive: true, force: true });
    makeFolder(workFolder);
    return await work(workFolder);
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
    lock.release();
  }
}

async function fill(
  connection: SqliteConnection,
  source: RowSource,
  onProgress: OnProgress | undefined,
): Promise<StoreSums> {
  const inserts = new Map<string, Statement>();
  connection.exec("BEGIN");
  // The steps have put first rows there, which the source brings too.
  connection.exec("DELETE FROM settings; DELETE FROM audit_heads");
  return copyStore(
    source,
    sqliteRows(connection),
    (shape, rows) => insertRows(connection, inserts, shape, rows),
    onProgress,
    () => connection.exec("COMMIT"),
  );
}

function insertRows(
  connection: SqliteConnection,
  inserts: Map<string, Statement>,
  { name, columns }: TableShape,
  rows: readonly Row[],
): void {
  const names = columns.map((column) => column.name);
  let insert = inserts.get(name);
  if (insert === undefined) {
    insert = connection.prepare(
      `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    );
    inserts.set(name, insert);
  }
  for (const row of rows) insert.run(...names.map((column) => row[column]));
}

const TAKE_ANOTHER = "Use another backup, and check the disk it is on.";

/** Throws unless the file is a whole, undamaged store of this version or an older one. Leaves it as one single file. */
export function checkStoreFile(file: string, shownAs: string, ifDamaged = TAKE_ANOTHER): void {
  let connection: SqliteConnection | undefined;
  try {
    connection = new Sqlite(file, { fileMustExist: true });
    if (connection.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
      throw new StoreError(`${shownAs} is not a Lineup store. Name a file that "lineup backup" made.`);
    }
    const version = connection.pragma("user_version", { simple: true }) as number;
    if (version > MIGRATIONS.length) {
      throw new StoreError(
        `${shownAs} was made by a newer version of Lineup (schema ${version}; this version knows ${MIGRATIONS.length}). ` +
          "Restore it with that version.",
      );
    }
    const damage = connection.pragma("integrity_check(1)", { simple: true });
    if (damage !== "ok") throw damaged(shownAs, String(damage).replaceAll("\n", "; "), ifDamaged);
    const dangling = connection.pragma("foreign_key_check") as { readonly table: string }[];
    if (dangling[0] !== undefined) {
      throw damaged(
        shownAs,
        `${dangling.length} rows refer to others that are not there, the first in ${dangling[0].table}`,
        ifDamaged,
      );
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (codeOf(error).startsWith("SQLITE_NOTADB")) {
      throw new StoreError(`${shownAs} is not a Lineup store. Name a file that "lineup backup" made.`);
    }
    throw damaged(shownAs, reasonOf(error), ifDamaged);
  } finally {
    connection?.close();
  }
  foldIntoOneFile(file);
}

/** Writes the journal into the file; fails while anybody else has it open. */
export function foldIntoOneFile(file: string): void {
  const connection = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  try {
    connection.pragma("journal_mode = DELETE");
  } finally {
    connection.close();
  }
}

/** A journal without its store would be taken for the new store's. */
export function removeSideFiles(file: string): void {
  for (const side of SIDE_FILES) rmSync(file + side, { force: true });
}

export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return one !== undefined && other !== undefined && one.dev === other.dev && one.ino === other.ino;
}

export function syncToDisk(path: string): void {
  try {
    const descriptor = openSync(path, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    // Windows syncs neither folders nor files opened for reading, and says so with these.
    if (!["EPERM", "EISDIR", "EACCES", "EINVAL"].includes(codeOf(error))) throw error;
  }
}
