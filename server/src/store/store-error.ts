import { findOtherThanFile } from "./private-files.ts";

/** A reason not to open or use a store, in words for the operator. */
export class StoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
  }
}

/** The organization was deleted between the moment its key was looked up and that of writing. */
export class OrganizationGone extends Error {
  constructor(orgId: string) {
    super(`The organization ${orgId} is gone.`);
    this.name = "OrganizationGone";
  }
}

/** Nothing can be erased: some entries of the organization's audit log are not proven without their values. */
export class UnprovenLog extends Error {
  constructor(orgId: string) {
    super(`Some entries of the audit log of ${orgId} have no commitments.`);
    this.name = "UnprovenLog";
  }
}

/** What SQLite may keep beside a database; without it the database can lack its last changes. */
export const SIDE_FILES: readonly string[] = ["-wal", "-shm", "-journal"];

const RESTORE =
  'Nothing was changed. Restore a backup with "npx lineup restore FILE", or one of the earlier snapshots beside it, lineup.db.before-….';

/** For what is made anew. */
export const MOVE_AWAY = "Move it away, then try again.";

/** No right to the files helps there. A system also does this by itself to a disk that fails. */
export const MOUNTED_READ_ONLY =
  "Its disk is mounted read-only: mount it for writing, after a look into the system's log where nobody made it so, or choose another folder.";

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
  if (code === "EROFS") return new StoreError(`${file} cannot be written (${reason}). ${MOUNTED_READ_ONLY}`);
  if (isAnyOf("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "EACCES", "EPERM")) {
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
  const code = codeOf(error);
  return code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}
