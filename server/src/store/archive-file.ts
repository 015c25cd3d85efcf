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
  listDifferences,
  type Row,
  type RowSource,
  readShapes,
  readStore,
  type StoreSums,
  sqliteRows,
  type TableShape,
} from "./copy-rows.ts";
import { STORE_FILE } from "./data-files.ts";
import { makeFolder } from "./private-files.ts";
import { openSqliteStore } from "./sqlite.ts";
import { migrate } from "./sqlite-migrate.ts";
import { MIGRATIONS } from "./sqlite-migrations.ts";
import { StoreError } from "./store-error.ts";
import { checkStoreFile, foldIntoOneFile, syncToDisk } from "./store-file.ts";

export type Phase = "copying" | "checking";

export type OnProgress = (done: number, total: number, phase: Phase) => void;

export interface Archive {
  readonly rows: RowSource;
  readonly shapes: readonly TableShape[];
  close(): void;
}

/** Fills an empty file. It is whole and on the disk when this returns; before, it is of no use to anybody. */
export async function writeArchive(source: RowSource, file: string, onProgress?: OnProgress): Promise<StoreSums> {
  const connection = new Sqlite(file);
  let sums: StoreSums;
  try {
    // What is interrupted is begun anew, so nothing is spent on being able to go back.
    connection.pragma("journal_mode = OFF");
    connection.pragma("synchronous = OFF");
    // Looked at when all is there: the rows come in an order in which they can refer to each other.
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
export function openArchive(file: string): Archive {
  const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
  return { rows: sqliteRows(connection), shapes: readShapes(connection), close: () => connection.close() };
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

export function requireSame(source: StoreSums, copy: StoreSums): void {
  const different = listDifferences(source, copy);
  if (different.length === 0) return;
  const shown = different.map((name) => `${name}: ${source[name]?.rows} rows there, ${copy[name]?.rows} in the copy`);
  throw new StoreError(
    `The copy is not what was read (${shown.join("; ")}). It was not kept. Try again; if it happens again, please report it.`,
  );
}

async function fill(
  connection: SqliteConnection,
  source: RowSource,
  onProgress: OnProgress | undefined,
): Promise<StoreSums> {
  const shapes = readShapes(connection);
  const inserts = new Map<string, Statement>();
  connection.exec("BEGIN");
  // The steps have put first rows there, which the source brings too.
  connection.exec("DELETE FROM settings; DELETE FROM audit_heads");
  const read = await readStore(
    source,
    shapes,
    (shape, rows) => insertRows(connection, inserts, shape, rows),
    onProgress && ((done, total) => onProgress(done, total, "copying")),
  );
  connection.exec("COMMIT");
  const written = await readStore(
    sqliteRows(connection),
    shapes,
    undefined,
    onProgress && ((done, total) => onProgress(done, total, "checking")),
  );
  requireSame(read, written);
  return read;
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
