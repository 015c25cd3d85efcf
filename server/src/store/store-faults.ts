/** What an operator is told about the file of an embedded store that cannot be used as it is. */
import { isBusy } from "./sqlite-driver.ts";
import { StoreError } from "./store.ts";

export function damaged(file: string, reason: string): StoreError {
  return new StoreError(
    `${file} is damaged (${reason}). Nothing was changed. Restore a backup with "lineup restore FILE", ` +
      "or look for an earlier snapshot beside it.",
  );
}

export function unreadable(file: string, reason: string): StoreError {
  return new StoreError(
    `${file} cannot be read (${reason}). Check its disk and keep the backups you have; ` +
      'if it stays so, bring the last one back with "lineup restore FILE".',
  );
}

/** What went wrong with the file of a store, and what to do about it. */
export function explainFault(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const reason = reasonOf(error);
  const isAnyOf = (...starts: readonly string[]) => starts.some((start) => code.startsWith(start));
  if (isAnyOf("SQLITE_CORRUPT", "SQLITE_NOTADB")) return damaged(file, reason);
  if (isAnyOf("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "EACCES", "EPERM", "EROFS")) {
    return new StoreError(
      `${file} cannot be written (${reason}). Give this user write access to it and to its folder.`,
    );
  }
  if (isAnyOf("SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ")) return unreadable(file, reason);
  if (isAnyOf("SQLITE_FULL", "SQLITE_IOERR", "ENOSPC", "EDQUOT", "EIO")) {
    return new StoreError(`${file} cannot be written (${reason}). Free space on its disk, or check the disk.`);
  }
  if (isBusy(error))
    return new StoreError(`${file} is busy (${reason}). Wait for the other process, then start again.`);
  return new StoreError(`${file} cannot be opened (${reason}). Choose the folder with LINEUP_DATA_DIR.`, {
    cause: error,
  });
}

export function ofAnotherProgram(file: string): StoreError {
  return new StoreError(`${file} is a database of another program. Choose another folder with LINEUP_DATA_DIR.`);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
