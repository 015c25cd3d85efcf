/**
 * The secret that seals the audit log: LINEUP_SECRET, or, beside an embedded store, a file in the data folder that is made when it is first
 * needed. On PostgreSQL there may be many machines, and they need the same one. It is never in the database. The file appears whole or not
 * at all, so two processes that make it at once end up with the same one.
 */
import { randomBytes } from "node:crypto";
import { constants, copyFileSync, linkSync, lstatSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBounded, SMALL_FILE_MAX_BYTES, UnfitFile } from "./bounded-file.ts";
import { findOtherThanFile, makeFolder } from "./private-files.ts";
import { codeOf, reasonOf, StoreError } from "./store-error.ts";

export const SECRET_FILE = "secret";

/** In hexadecimal digits, two for each. */
const SECRET_BYTES = 32;
/** A file with fewer was cut off. */
const CHARACTERS_MIN = 2 * SECRET_BYTES;
const NOT_SET =
  "LINEUP_SECRET is not set. With LINEUP_DATABASE_URL it has to be, to the same text for every server and command: it seals the audit log. " +
  'Make one with: node -p "crypto.randomBytes(32).toString(\'hex\')". If the log was sealed with the file "secret" of a data folder ' +
  "until now, set LINEUP_SECRET_FILE to that file.";
const PUT_BACK =
  "It should hold the secret that seals the audit log. Put it back from your backup; or, if it is lost, move the file away, and another is made.";
/** A file that another process is copying into place is complete after this long. */
const PATIENCE_MS = 1_000;
const LOOK_AGAIN_MS = 10;

export interface SecretSettings {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  readonly secret: string | undefined;
}

/** The secret of the settings, else the one in the folder, which is made where it is missing. */
export function requireSecret({ dataDir, databaseUrl, secret }: SecretSettings): string {
  if (secret !== undefined) return secret;
  if (databaseUrl !== undefined) throw new StoreError(NOT_SET);
  const file = join(dataDir, SECRET_FILE);
  return orExplain(file, () => {
    if (!isThere(file)) makeSecret(dataDir, file);
    return readSecret(file);
  });
}

/** As `requireSecret`, for those who only look: undefined where there is none, and nothing is made. */
export function findSecret({ dataDir, databaseUrl, secret }: SecretSettings): string | undefined {
  if (secret !== undefined || databaseUrl !== undefined) return secret;
  const file = join(dataDir, SECRET_FILE);
  return orExplain(file, () => (isThere(file) ? readSecret(file) : undefined));
}

function orExplain<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof UnfitFile) throw new StoreError(`${file} cannot be read: ${error.reason}. ${PUT_BACK}`);
    throw new StoreError(
      `The secret that seals the audit log cannot be kept in ${file} (${reasonOf(error)}). Give this user read and write access to ` +
        "it and to its folder, see that the disk has room, or set LINEUP_SECRET to at least 32 random characters.",
      { cause: error },
    );
  }
}

function readSecret(file: string): string {
  const other = findOtherThanFile(file);
  if (other !== undefined) throw new StoreError(`${file} is ${other}, not a file. ${PUT_BACK}`);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const secret = readBounded(file, SMALL_FILE_MAX_BYTES).toString("utf8").trim();
    if (secret.length >= CHARACTERS_MIN) return requireText(file, secret);
    if (performance.now() > deadline) break;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
  }
  throw new StoreError(`${file} has fewer than ${CHARACTERS_MIN} characters: it was cut off. ${PUT_BACK}`);
}

/** A disk that lost what was written gives zeros, and a damaged file anything; neither is to seal the log. */
function requireText(file: string, secret: string): string {
  if (!/[^\P{Cc}\s]|\uFFFD/u.test(secret)) return secret;
  throw new StoreError(`${file} is damaged (it is not text). ${PUT_BACK}`);
}

function makeSecret(dataDir: string, file: string): void {
  makeFolder(dataDir);
  const own = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(own, `${randomBytes(SECRET_BYTES).toString("hex")}\n`, { flag: "wx", mode: 0o600, flush: true });
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

/** A link that leads nowhere is there as well. */
function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}
