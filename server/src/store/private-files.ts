/** Makes the data folder and its files where they are missing, for their owner alone. */
import { closeSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Goes up to the first folder that is there, and down again. Node's own recursive way does not end on file systems that deny
 * a folder as if its parent were missing, such as /proc.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  let folder = resolve(path);
  while (statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder) {
    missing.push(folder);
    folder = dirname(folder);
  }
  for (const next of missing.reverse()) {
    try {
      mkdirSync(next, { mode: 0o700 });
    } catch (error) {
      // Another process may be making it as well.
      if (!isThereAlready(error)) throw error;
    }
  }
}

/** For everybody, and for a group to write. That its group may look into the folder can be somebody's wish, such as for backups. */
const OPEN_BITS = 0o027;
const WRITE_BITS = 0o022;

/**
 * What others on the machine can do with a folder that is there already, in words for the log; undefined where nothing. It is not closed to them: the one who
 * made it may have given somebody access. The files in it are for their owner alone, however open it is.
 */
export function findOpenness(folder: string): string | undefined {
  const mode = modeOf(folder) & 0o777;
  if ((mode & OPEN_BITS) === 0) return undefined;
  const what =
    (mode & WRITE_BITS) === 0 ? "see which files it holds" : "remove its files, and put others in their place";
  return `the data folder is open to others on this machine (mode ${mode.toString(8)}): they can ${what}. Close it with: chmod 700 ${folder}`;
}

/**
 * Makes an empty file, so that at no moment others on the machine can read what comes into it. One that is there is not even
 * opened: to close a file is, on POSIX, to give up every lock that this process holds on it.
 */
export function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!isThereAlready(error)) throw error;
  }
}

/** 0 where there is nothing, or nothing to be seen, and on Windows, where it would say nothing. */
function modeOf(path: string): number {
  if (process.platform === "win32") return 0;
  try {
    return statSync(path).mode;
  } catch {
    return 0;
  }
}

/** What stands at a path where a file should, in words; undefined where it is a file, or nothing, or not to be seen. */
export function findOtherThanFile(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      return isLink ? "a link that leads nowhere" : undefined;
    }
    if (found.isFile()) return undefined;
    return found.isDirectory() ? "a folder" : "a device or a pipe";
  } catch {
    return undefined;
  }
}

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
