/**
 * Archives: the whole store in one file, which is an embedded store of this version. Whatever was made from PostgreSQL can be opened by either
 * engine, and so can whatever was made from an embedded store.
 *
 * An archive is written from one state of the store, read back, and compared with what was read there. A file to be read from is first
 * copied, and the copy checked and brought up to date, so that the file itself stays as it is, however old it is.
 */
import { chmodSync, constants, copyFileSync, rmSync, statSync } from "node:fs";
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
import { STORE_FILE } from "./data-folder.ts";
import { makeFolder } from "./private-files.ts";
import { openSqliteStore } from "./sqlite.ts";
import { MIGRATIONS, migrate } from "./sqlite-migrations.ts";
import { checkStoreFile, foldIntoOneFile, syncToDisk } from "./store-file.ts";

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

/** For a file that is one by itself, without a journal. */
export async function withArchive<T>(file: string, work: (archive: RowSource) => Promise<T>): Promise<T> {
  const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    return await work(sqliteRows(connection));
  } finally {
    connection.close();
  }
}

export interface StagedArchive {
  readonly file: string;
  /** How many migrations brought the copy's schema up to date. */
  readonly migrated: number;
}

/** Copies a store into a folder, which is emptied first, checks the copy, and brings it up to date. */
export async function stageArchive(source: string, folder: string): Promise<StagedArchive> {
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
