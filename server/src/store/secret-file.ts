/**
 * The secret that seals the audit log: LINEUP_SECRET, or a file in the data folder that whoever needs it first makes. It is never in the
 * database. The file appears whole or not at all, so two processes that make it at once end up with the same one.
 */
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./private-files.ts";
import { StoreError } from "./store.ts";

export const SECRET_FILE = "secret";

const SECRET_MIN = 32;
/** A file that another process is copying into place is complete after this long. */
const PATIENCE_MS = 1_000;
const LOOK_AGAIN_MS = 10;

/** The secret of the settings, else the one in the folder, which is made where it is missing. */
export function requireSecret(dataDir: string, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const file = join(dataDir, SECRET_FILE);
  try {
    if (!isThere(file)) makeSecret(dataDir, file);
    return readSecret(file);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      `The secret that seals the audit log cannot be kept in ${file} (${reason}). Give this user write access to the folder, ` +
        "or set LINEUP_SECRET to at least 32 random characters.",
      { cause: error },
    );
  }
}

/** As `requireSecret`, for whoever only looks: undefined where there is none, and nothing is made. */
export function findSecret(dataDir: string, configured: string | undefined): string | undefined {
  if (configured !== undefined) return configured;
  const file = join(dataDir, SECRET_FILE);
  return isThere(file) ? readSecret(file) : undefined;
}

function readSecret(file: string): string {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const secret = readFileSync(file, "utf8").trim();
    if (secret.length >= SECRET_MIN) return secret;
    if (performance.now() > deadline) break;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
  throw new StoreError(
    `${file} should hold the secret that seals the audit log, of at least ${SECRET_MIN} characters, and does not. Put it back from your ` +
      "backup; or, if it is lost, remove the file, and another is made.",
  );
}

function makeSecret(dataDir: string, file: string): void {
  makeFolder(dataDir);
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(own, "wx", 0o600);
  try {
    writeSync(descriptor, `${randomBytes(32).toString("hex")}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(own, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    copyInto(own, file);
  } finally {
    unlinkSync(own);
  }
}

/** For file systems without links. Who reads meanwhile finds too little, and looks again. */
function copyInto(own: string, file: string): void {
  try {
    copyFileSync(own, file, constants.COPYFILE_EXCL);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function isThere(file: string): boolean {
  try {
    closeSync(openSync(file, "r"));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
