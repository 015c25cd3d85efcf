/**
 * The token that opens the set-up page, while nobody has an account. Each start of a server makes its own and voids that server's older ones. It
 * is told on standard error, and lies in a file of the data folder, for its owner alone, until it was used or is not needed any more.
 */
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { SERVER_ORIGIN } from "../store/origin.ts";
import { makeFolder } from "../store/private-files.ts";
import type { Store } from "../store/store.ts";
import { makeLink } from "./links.ts";
import { hasUsers } from "./users.ts";

export const SETUP_TOKEN_FILE = "setup-token";

export interface OfferedSetUp {
  readonly token: string;
  /** Undefined where the folder cannot be written. */
  readonly file: string | undefined;
  /** Why there is no file. */
  readonly fault?: unknown;
}

/** Undefined when somebody has an account. */
export async function offerSetUp(store: Store, dataDir: string, now = Date.now()): Promise<OfferedSetUp | undefined> {
  removeSetUpFile(dataDir);
  const made = await store.writePeople(SERVER_ORIGIN, async (operator) => {
    if (await hasUsers(operator)) return undefined;
    const createdBy = nodeName(dataDir);
    await operator.deleteFrom("links").where("kind", "=", "setup").where("created_by", "=", createdBy).execute();
    return makeLink(operator, { kind: "setup", createdBy }, now);
  });
  if (made === undefined) return undefined;
  const file = join(dataDir, SETUP_TOKEN_FILE);
  try {
    makeFolder(dataDir);
    writeFileSync(file, `${made.token}\n`, { mode: 0o600, flag: "wx" });
    return { token: made.token, file };
  } catch (fault) {
    // Standard error has it, too.
    return { token: made.token, file: undefined, fault };
  }
}

export function removeSetUpFile(dataDir: string): void {
  try {
    rmSync(join(dataDir, SETUP_TOKEN_FILE), { force: true });
  } catch {
    // What is in it opens nothing any more.
  }
}

/** Tells servers on one store apart. */
function nodeName(dataDir: string): string {
  return `server ${createHash("sha256")
    .update(`${hostname()} ${resolve(dataDir)}`)
    .digest("hex")
    .slice(0, 16)}`;
}
