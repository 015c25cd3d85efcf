/**
 * How far this machine has seen every chain of the audit log, kept outside of the database: in memory, and in a file beside the secret.
 * So nobody who has the database alone can put back an older end of a chain with the seal of that time: the chain is then shorter
 * than what was seen, or has another entry there.
 *
 * What always holds: a mark is made after the transaction that it tells of was committed, and only ever rises. So a mark that is lost or
 * late says too little, never too much, and cries no wolf. The file is written at most about once a second and when the store is closed,
 * whole or not at all; processes and threads that share it take over what the others have seen. Where it cannot be written, nobody is held
 * up: that is told once, and memory is all there is.
 */
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import type { Kysely } from "kysely";
import * as z from "zod";
import { type ChainEnd, SEQ_MAX } from "./audit-chain.ts";
import { INSTALLATION_CHAIN } from "./audit-entry.ts";
import { REGISTER_MAX_BYTES, readBounded } from "./bounded-file.ts";
import { BoundedMap } from "./bounded-map.ts";
import { findOtherThanFile } from "./private-files.ts";
import type { Database } from "./schema.ts";
import { reasonOf, StoreError } from "./store-error.ts";

export const MARKS_FILE = "audit-marks";
const FORMAT = "lineup audit marks";
/** Of more chains, those written to longest ago are forgotten. */
const CHAINS_MAX = 50_000;
const WRITE_EVERY_MS = 1_000;
/** However many there are, writing them takes no more than one part in so many of the time. */
const REST_FACTOR = 50;

type StoreKind = "sqlite" | "postgres";
type AuditReader = Kysely<Pick<Database, "audit" | "organizations">>;

const savedSchema = z.strictObject({
  format: z.literal(FORMAT),
  store: z.enum(["sqlite", "postgres"]),
  chains: z.record(z.string(), z.tuple([z.int().min(1).max(SEQ_MAX), z.string()])),
});

export interface SavedMarks {
  readonly store: StoreKind;
  readonly chains: ReadonlyMap<string, ChainEnd>;
}

/** Undefined where there are none. Throws a StoreError where the file holds something else. */
export async function readMarks(dataDir: string): Promise<SavedMarks | undefined> {
  const file = join(dataDir, MARKS_FILE);
  try {
    const other = findOtherThanFile(file);
    if (other !== undefined) throw new Error(`it is ${other}`);
    const { store, chains } = savedSchema.parse(JSON.parse(readBounded(file, REGISTER_MAX_BYTES).toString("utf8")));
    return { store, chains: new Map(Object.entries(chains).map(([id, [count, hash]]) => [id, { count, hash }])) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    // Not in the words of the parsers, which quote what they find.
    const isRead = error instanceof SyntaxError || error instanceof z.ZodError;
    const reason = isRead ? "it is damaged" : reasonOf(error);
    throw new StoreError(
      `${file} does not tell what this machine has seen of the audit log (${reason}). ` +
        "Put it back from a copy, or remove it: it is then begun anew, and what was seen before is not compared.",
      { cause: error },
    );
  }
}

/**
 * Whether the marks are of another store than this one. A store whose log was tampered with is still the same: it has the entry that
 * was seen last of the installation's log, or an organization that was seen.
 */
export async function areOfAnotherStore(saved: SavedMarks, kind: StoreKind, db: AuditReader): Promise<boolean> {
  if (saved.store !== kind) return true;
  const seen = saved.chains.get(INSTALLATION_CHAIN);
  const found = await db
    .selectFrom("audit")
    .select("hash")
    .where("org_id", "=", INSTALLATION_CHAIN)
    .where("seq", "=", seen?.count ?? 0)
    .executeTakeFirst();
  if (found !== undefined && found.hash === seen?.hash) return false;
  const organizations = await db.selectFrom("organizations").select("id").execute();
  return !organizations.some(({ id }) => saved.chains.has(id));
}

/** For a store that another state was put into on purpose. Returns whether there were any. */
export async function setMarksAside(dataDir: string): Promise<boolean> {
  const file = join(dataDir, MARKS_FILE);
  try {
    await rename(file, `${file}.set-aside`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export interface AuditMarksOptions {
  /** Undefined: in memory alone. */
  readonly dataDir: string | undefined;
  readonly store: StoreKind;
  /** Whether a folder that is missing is made. */
  readonly makesFolder?: boolean;
  /** The file cannot be written or read; told once, until it can. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

let filesMade = 0;

export class AuditMarks {
  readonly #options: AuditMarksOptions;
  readonly #file: string;
  readonly #beside: string;
  readonly #chains = new BoundedMap<string, ChainEnd>(CHAINS_MAX);
  readonly #forgotten = new Set<string>();
  #loading: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #restMs = WRITE_EVERY_MS;
  #isDirty = false;
  #hasFailed = false;
  /** The file as it was when it was last read or written here. */
  #seenFile = "";

  constructor(options: AuditMarksOptions) {
    this.#options = options;
    this.#file = join(options.dataDir ?? "", MARKS_FILE);
    this.#beside = `${this.#file}.${process.pid}-${threadId}-${filesMade++}`;
  }

  /** Before the first chain is looked at; afterwards this costs nothing. */
  load(db: AuditReader): Promise<void> {
    this.#loading ??= this.#load(db).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  find(chainId: string): ChainEnd | undefined {
    return this.#chains.get(chainId);
  }

  /** What was committed just now. Transactions may tell of it in another order than they ended in. */
  note(chainId: string, end: ChainEnd): void {
    if (!this.#raise(chainId, end)) return;
    this.#forgotten.delete(chainId);
    this.#writeSoon();
  }

  forget(chainId: string): void {
    this.#chains.delete(chainId);
    this.#forgotten.add(chainId);
    this.#writeSoon();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write();
  }

  #raise(chainId: string, end: ChainEnd): boolean {
    if ((this.#chains.get(chainId)?.count ?? 0) >= end.count) return false;
    this.#chains.set(chainId, end);
    return true;
  }

  async #load(db: AuditReader): Promise<void> {
    const { dataDir, store } = this.#options;
    if (dataDir === undefined) return;
    const saved = await readMarks(dataDir).catch(async (error: unknown) => {
      this.#fail(error);
      await setMarksAside(dataDir).catch(() => undefined);
    });
    if (saved === undefined) return;
    if (await areOfAnotherStore(saved, store, db)) {
      await setMarksAside(dataDir).catch((error: unknown) => this.#fail(error));
      return;
    }
    for (const [chainId, end] of saved.chains) this.#raise(chainId, end);
    this.#seenFile = await this.#lookAtFile();
  }

  #writeSoon(): void {
    this.#isDirty = true;
    if (this.#options.dataDir === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, this.#restMs).unref();
  }

  /** One after another; never rejects. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const { dataDir } = this.#options;
      if (!this.#isDirty || dataDir === undefined) return;
      this.#isDirty = false;
      const startedAt = performance.now();
      try {
        await this.#writeFile(dataDir);
        this.#hasFailed = false;
      } catch (error) {
        this.#fail(error);
      }
      this.#restMs = Math.max(WRITE_EVERY_MS, (performance.now() - startedAt) * REST_FACTOR);
    });
    return this.#writing;
  }

  async #writeFile(dataDir: string): Promise<void> {
    if (this.#options.makesFolder) await mkdir(dataDir, { mode: 0o700 }).catch(() => undefined);
    let found = await this.#lookAtFile();
    let isCurrent = false;
    while (!isCurrent) {
      if (found !== this.#seenFile) await this.#takeOver(dataDir);
      this.#seenFile = found;
      const chains = Object.fromEntries([...this.#chains].map(([id, { count, hash }]) => [id, [count, hash]]));
      const text = JSON.stringify({ format: FORMAT, store: this.#options.store, chains });
      await writeFile(this.#beside, `${text}\n`, { mode: 0o600, flush: true });
      // A disk may take long, and another process may have written meanwhile.
      found = await this.#lookAtFile();
      isCurrent = found === this.#seenFile;
    }
    await rename(this.#beside, this.#file);
    this.#seenFile = await this.#lookAtFile();
    this.#forgotten.clear();
  }

  /** What another process, such as a command, has seen meanwhile. */
  async #takeOver(dataDir: string): Promise<void> {
    const saved = await readMarks(dataDir).catch(() => undefined);
    if (saved?.store !== this.#options.store) return;
    for (const [chainId, end] of saved.chains) if (!this.#forgotten.has(chainId)) this.#raise(chainId, end);
  }

  async #lookAtFile(): Promise<string> {
    const found = await stat(this.#file, { bigint: true }).catch(() => undefined);
    return found === undefined ? "" : `${found.ino} ${found.mtimeNs} ${found.size}`;
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#options.onFault?.(error);
    this.#hasFailed = true;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
