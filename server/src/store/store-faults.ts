/** What an operator is told about the file of an embedded store that cannot be used as it is. */
import { findOtherThanFile } from "./private-files.ts";
import { StoreError } from "./store-error.ts";

/** What SQLite may keep beside a database; without it the database can lack its last changes. */
export const SIDE_FILES: readonly string[] = ["-wal", "-shm", "-journal"];

const RESTORE =
  'Nothing was changed. Restore a backup with "npx lineup restore FILE", or one of the earlier snapshots beside it, lineup.db.before-….';

/** For what is made anew. */
export const MOVE_AWAY = "Move it away, then try again.";

export function damaged(file: string, reason: string, whatToDo = RESTORE, cause?: unknown): StoreError {
  return new StoreError(`${file} is damaged (${reason}). ${whatToDo}`, { cause });
}

export function unreadable(file: string, reason: string): StoreError {
  return new StoreError(
    `${file} cannot be read (${reason}). Check its disk and keep the backups you have; ` +
      'if it stays so, bring the last one back with "npx lineup restore FILE".',
  );
}

/** What went wrong with a SQLite file of the data folder, and what to do about it. */
export function explainFault(file: string, error: unknown, ifDamaged = RESTORE): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const reason = reasonOf(error);
  const isAnyOf = (...starts: readonly string[]) => starts.some((start) => code.startsWith(start));
  for (const side of ["", ...SIDE_FILES]) {
    const other = findOtherThanFile(file + side);
    if (other === undefined) continue;
    return new StoreError(`${file}${side} is ${other}, not a file. ${side === "" ? ifDamaged : MOVE_AWAY}`);
  }
  // Statements that fail by themselves find other tables than Lineup makes.
  if (isAnyOf("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH")) {
    return damaged(file, reason, ifDamaged, error);
  }
  if (isAnyOf("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "EACCES", "EPERM", "EROFS")) {
    return new StoreError(
      `${file} cannot be written (${reason}). Give this user read and write access to it and to its folder.`,
    );
  }
  if (isAnyOf("SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ")) return unreadable(file, reason);
  if (isAnyOf("SQLITE_IOERR_LOCK", "SQLITE_IOERR_SHMLOCK", "SQLITE_PROTOCOL")) {
    return new StoreError(
      `${file} cannot be locked (${reason}). Put the data folder on a local disk: network shares often have no locks.`,
    );
  }
  if (isAnyOf("SQLITE_FULL", "SQLITE_IOERR", "ENOSPC", "EDQUOT", "EIO")) {
    return new StoreError(`${file} cannot be written (${reason}). Free space on its disk, or check the disk.`);
  }
  if (isBusy(error))
    return new StoreError(`${file} is busy (${reason}). Wait for the other process, then start again.`);
  if (isAnyOf("ENOENT", "ENOTDIR", "EEXIST", "ELOOP", "ENAMETOOLONG")) {
    return new StoreError(`${file} cannot be made (${reason}). Choose another folder with LINEUP_DATA_DIR.`);
  }
  return new StoreError(
    `${file} cannot be opened (${reason}). Try again; if it stays so, check this machine and its disk.`,
    {
      cause: error,
    },
  );
}

export function ofAnotherProgram(file: string): StoreError {
  return new StoreError(
    `${file} is a database of another program. Nothing was changed. Choose another folder with LINEUP_DATA_DIR; ` +
      'or, if Lineup\'s own was there, move this one away and restore a backup with "npx lineup restore FILE".',
  );
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether another process holds the file. */
export function isBusy(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
