/**
 * Names in the data folder, and what they say of a store that is not there.
 *
 * What always holds: of all these files `lineup.db` is made first, and its header is on the disk before any other is there. So a folder that
 * has one of the others and no `lineup.db` has lost its store, however a first start ended; it is not a new folder.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { MARKS_FILE } from "./audit-marks.ts";
import { SECRET_FILE } from "./secret-file.ts";
import { StoreError } from "./store-error.ts";

export const STORE_FILE = "lineup.db";
/** What the server has counted. */
export const LIMITS_FILE = "limits.db";
/** The request log of an embedded store. */
export const REQUESTS_FILE = "requests.db";

const LATER_FILES = [`${STORE_FILE}-wal`, SECRET_FILE, MARKS_FILE, LIMITS_FILE, REQUESTS_FILE];

/** An empty file is as good as none: SQLite would take it for a new database, and throw its journal away. */
export function refuseLostStore(file: string): void {
  const folder = dirname(file);
  // Looked at first: another process may be making the store, and makes these after it.
  const others = LATER_FILES.filter((name) => existsSync(join(folder, name)));
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (others.length === 0 || (size ?? 0) > 0) return;
  const list = others.join(", ");
  throw new StoreError(
    `${file} is ${size === undefined ? "missing" : "empty"}, though ${folder} has been used with a store before: it holds ${list}. ` +
      'Nothing was changed. Bring the store back from a backup with "npx lineup restore FILE". ' +
      'If it is in PostgreSQL, set LINEUP_DATABASE_URL, or bring it here with "npx lineup move --to FOLDER". ' +
      `To begin with an empty store, move ${list} away first.`,
  );
}
