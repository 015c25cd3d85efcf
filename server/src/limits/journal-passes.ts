/**
 * The rows of `passes` in the journal's file: what was admitted lately, in the order in which it was written.
 *
 * What always holds: a row's number is greater than any that anything in the file speaks of. `last_uses` says of a key up to which row it is settled, which is to
 * say that its chunks and its last use have all that those rows tell of it, and `forgotten` up to which row it was forgotten; what a row up to
 * there says of the key is passed over. So rows may be left behind by an end at any moment, and are removed oldest first, when all of
 * their keys are settled.
 *
 * They are settled once they take 4 MiB or are a minute old: so much, and what comes while that is done, is all that they ever hold.
 */
import type Database from "better-sqlite3";
import type { Clock } from "./clock.ts";
import { readPassBytes } from "./pass-bytes.ts";

const SETTLED_AT_BYTES = 4 * 1024 * 1024;
const SETTLED_AFTER_MS = 60_000;
/** So much is removed in a few tenths of a millisecond. */
const REMOVED_AT_ONCE_BYTES = 128 * 1024;
const REMOVED_AT_ONCE_ROWS = 64;

interface PassRow {
  readonly id: number;
  readonly writtenMs: number;
  readonly driftMs: number;
  readonly admissions: Buffer;
}

/** What a row says of a key, with times on the journal's timeline. */
export interface PassedKey {
  readonly keyId: string;
  readonly first: number;
  readonly times: number[];
  /** Wall time of the last of them, as the clock was when it was written. */
  readonly lastUsedAt: number;
}

export class JournalPasses {
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof prepareStatements>;
  #last: number;
  #bytes: number;
  /** When the oldest row was written; -Infinity if that was before the start. */
  #sinceMs: number | undefined;
  #settlingTo: number | undefined;

  constructor(database: Database.Database, clock: Clock) {
    this.#clock = clock;
    this.#statements = prepareStatements(database);
    this.#last = this.#statements.readLast.get() ?? 0;
    const bytes = this.#statements.readBytes.get() ?? null;
    this.#bytes = bytes ?? 0;
    this.#sinceMs = bytes === null ? undefined : Number.NEGATIVE_INFINITY;
  }

  /** The last row that was committed. */
  get last(): number {
    return this.#last;
  }

  /** When the latest row was written, on the journal's timeline; 0 where there is none. */
  findNewestMs(): number {
    return this.#statements.readNewest.get() ?? 0;
  }

  get isSettling(): boolean {
    return this.#settlingTo !== undefined;
  }

  isSettlingDue(): boolean {
    if (this.#sinceMs === undefined) return false;
    return this.#bytes >= SETTLED_AT_BYTES || this.#clock.monotonicMs() - this.#sinceMs >= SETTLED_AFTER_MS;
  }

  beginSettling(): void {
    this.#settlingTo = this.#last;
  }

  /** Within a transaction. */
  insert(writtenMs: number, driftMs: number, admissions: Buffer): void {
    this.#statements.insert.run(this.#last + 1, writtenMs, driftMs, admissions);
  }

  /** After it was committed. */
  keepInserted(bytes: number): void {
    this.#last++;
    this.#bytes += bytes;
    this.#sinceMs ??= this.#clock.monotonicMs();
  }

  /** Within a transaction: nothing that was written so far counts for the key. */
  forget(keyId: string): void {
    if (this.#sinceMs !== undefined) this.#statements.forget.run(keyId, this.#last);
  }

  /** To be called when all is settled that was there when settling began; says whether there is more to remove. */
  removeSome(): boolean {
    const settledTo = this.#settlingTo ?? 0;
    let bytes = 0;
    let removedTo = 0;
    for (const row of this.#statements.listOldest.all(settledTo)) {
      removedTo = row.id;
      bytes += row.bytes;
      if (bytes >= REMOVED_AT_ONCE_BYTES) break;
    }
    if (removedTo > 0) {
      this.#statements.remove.run(removedTo);
      this.#bytes -= bytes;
      return true;
    }
    this.#statements.removeForgotten.run(settledTo);
    this.#sinceMs = this.#last > settledTo ? this.#clock.monotonicMs() : undefined;
    this.#settlingTo = undefined;
    return false;
  }
}

/** Tells what rows say that is not settled, in their order. */
export function replayPasses(database: Database.Database, visit: (passed: PassedKey) => void): void {
  const ends = database
    .prepare<[], [string, number]>(
      `SELECT key_id, settled_pass FROM last_uses WHERE settled_pass >= (SELECT min(id) FROM passes)
       UNION ALL SELECT key_id, pass FROM forgotten`,
    )
    .raw();
  const passedOverTo = new Map<string, number>();
  for (const [keyId, pass] of ends.iterate()) {
    passedOverTo.set(keyId, Math.max(pass, passedOverTo.get(keyId) ?? 0));
  }
  const rows = database.prepare<[], PassRow>(
    `SELECT id, written_ms AS "writtenMs", drift_ms AS "driftMs", admissions FROM passes ORDER BY id`,
  );
  for (const { id, writtenMs, driftMs, admissions } of rows.iterate()) {
    try {
      readPassBytes(admissions, writtenMs, (keyId, first, times) => {
        if (id <= (passedOverTo.get(keyId) ?? 0)) return;
        visit({ keyId, first, times, lastUsedAt: (times.at(-1) as number) + driftMs });
      });
    } catch (error) {
      throw new Error(`pass ${id} is malformed: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}

function prepareStatements(database: Database.Database) {
  return {
    readLast: database
      .prepare<[], number | null>(
        `SELECT max(pass) FROM (SELECT max(id) AS pass FROM passes UNION ALL SELECT max(settled_pass) FROM last_uses
         UNION ALL SELECT max(pass) FROM forgotten)`,
      )
      .pluck(),
    readBytes: database.prepare<[], number | null>("SELECT sum(length(admissions)) FROM passes").pluck(),
    readNewest: database.prepare<[], number | null>("SELECT max(written_ms) FROM passes").pluck(),
    insert: database.prepare<[number, number, number, Buffer]>(
      "INSERT INTO passes (id, written_ms, drift_ms, admissions) VALUES (?, ?, ?, ?)",
    ),
    listOldest: database.prepare<[number], { id: number; bytes: number }>(
      `SELECT id, length(admissions) AS bytes FROM passes WHERE id <= ? ORDER BY id LIMIT ${REMOVED_AT_ONCE_ROWS}`,
    ),
    remove: database.prepare<[number]>("DELETE FROM passes WHERE id <= ?"),
    forget: database.prepare<[string, number]>(
      "INSERT INTO forgotten (key_id, pass) VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE SET pass = excluded.pass",
    ),
    removeForgotten: database.prepare<[number]>("DELETE FROM forgotten WHERE pass <= ?"),
  };
}
