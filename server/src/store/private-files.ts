/** Makes the data folder and its files where they are missing, for their owner alone. */
import { closeSync, mkdirSync, openSync, statSync } from "node:fs";
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

function isThereAlready(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
