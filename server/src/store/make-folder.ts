/** Makes the data folder where it is missing, for its owner alone. */
import { mkdirSync, statSync } from "node:fs";
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
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}
