/** The embedded store as a file: whether it is one, whether it is whole, and how it gets onto the disk for certain. */
import { closeSync, fsyncSync, openSync, rmSync, statSync } from "node:fs";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import { APPLICATION_ID, MIGRATIONS } from "./sqlite-migrations.ts";
import { codeOf, damaged, reasonOf, SIDE_FILES, StoreError } from "./store-error.ts";

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
