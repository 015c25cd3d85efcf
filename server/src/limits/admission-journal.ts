/**
 * What the engines of one process remember across restarts, written behind to an SQLite file of its own, because a long import
 * holds the write lock of the main store.
 *
 * The admissions of a key are numbered from 0. They are written twice. A pass appends what was admitted since the pass before, of all
 * keys, to one row (journal-passes.ts), which costs next to nothing for a key. Now and then, what passes have written is settled: each
 * key's admissions go into chunks of its own and its last use into a row of its own (journal-chunks.ts), and then the passes are removed.
 *
 * Times are written on the journal's timeline, which a jump of the wall clock does not move, and which goes on over restarts
 * (journal-timeline.ts).
 *
 * Every write is one transaction: when it fails (disk full, locked), the file is as it was and the caller tries again. Between any two
 * of them the process may end: what is settled and still in a pass is told apart by the pass's number, and so is what was forgotten.
 * A file that cannot be read throws JournalUnreadableError at opening, rather than starting with windows emptied silently.
 */
import type Database from "better-sqlite3";
import type { Clock } from "./clock.ts";
import { firstLiveChunk, JournalChunks } from "./journal-chunks.ts";
import { JournalUnreadableError, openJournalFile } from "./journal-file.ts";
import { JournalLastUses } from "./journal-last-uses.ts";
import { loadAdmissions } from "./journal-load.ts";
import { JournalPasses } from "./journal-passes.ts";
import { JournalTimeline } from "./journal-timeline.ts";
import type { KeyAdmissions, WritableRing } from "./key-admissions.ts";
import { PassBytes } from "./pass-bytes.ts";

const SETTLED_AT_ONCE = 512;

export interface JournalChanges {
  /** Keys with admissions that are not written yet. */
  readonly changed: readonly KeyAdmissions<WritableRing>[];
  /** Keys whose last admission has left the window: only their last use stays. */
  readonly idle: readonly IdleKey[];
  /** Keys of which nothing is to stay. */
  readonly forgotten: readonly string[];
}

export interface IdleKey {
  readonly keyId: string;
  readonly ring: { readonly newestMs: number };
  readonly nextNumber: number;
  readonly settledTo: number;
}

export class AdmissionJournal {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #database: Database.Database;
  readonly #chunks: JournalChunks;
  readonly #lastUses: JournalLastUses;
  readonly #passes: JournalPasses;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #timeline: JournalTimeline;
  readonly #passBytes = new PassBytes();

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#database = openJournalFile(file);
    [this.#statements, this.#chunks, this.#lastUses, this.#passes] = this.#orUnreadable(() => [
      prepareStatements(this.#database),
      new JournalChunks(this.#database),
      new JournalLastUses(this.#database),
      new JournalPasses(this.#database, clock),
    ]);
    this.#timeline = this.#orUnreadable(() => {
      const findNewestMs = () => Math.max(this.#chunks.findNewestMs(), this.#passes.findNewestMs());
      return new JournalTimeline(this.#database, clock, findNewestMs);
    });
  }

  /** Everything that still counts. Keys that have only rows left to delete or to settle come with an empty ring. */
  load(): Map<string, KeyAdmissions> {
    const stored = { database: this.#database, chunks: this.#chunks, lastUses: this.#lastUses };
    return this.#orUnreadable(() => loadAdmissions(stored, this.#clock.monotonicMs(), this.#timeline.offsetMs));
  }

  /** Whether the wall clock has moved so far that the file should know, even if nothing was admitted. */
  hasDrifted(): boolean {
    return this.#timeline.hasDrifted();
  }

  /** Writes all of it or throws and writes nothing. */
  write({ changed, idle, forgotten }: JournalChanges): void {
    const nowMs = this.#clock.monotonicMs();
    const driftMs = this.#timeline.driftMs();
    this.#passBytes.clear();
    const isPassed = (key: KeyAdmissions<WritableRing>) => key.settledTo >= 0 && this.#passBytes.add(key, nowMs);
    const settled = changed.filter((key) => !isPassed(key));
    const { bytes } = this.#passBytes;
    this.#transact(driftMs, () => {
      for (const keyId of forgotten) this.#forget(keyId);
      for (const key of idle) this.#writeIdle(key, driftMs);
      for (const key of settled) this.#settle(key, nowMs, driftMs);
      if (bytes.length > 0) this.#passes.insert(nowMs + this.#timeline.offsetMs, driftMs, bytes);
    });
    if (bytes.length > 0) this.#passes.keepInserted(bytes.length);
    for (const key of changed) {
      key.writtenTo = key.nextNumber;
      this.#lastUses.dropBefore(key.keyId);
    }
    this.#keepSettled(settled);
    for (const keyId of forgotten) this.#lastUses.dropBefore(keyId);
    for (const { keyId } of idle) this.#lastUses.dropBefore(keyId);
  }

  /** Whether it is time to settle what passes have written. */
  isSettlingDue(): boolean {
    return this.#passes.isSettlingDue();
  }

  /** Whether settling has begun and not come to its end. */
  get isSettling(): boolean {
    return this.#passes.isSettling;
  }

  /** From here on, all keys are to be settled whose `settledTo` is less than their `writtenTo` now; then the passes are removed. */
  beginSettling(): void {
    this.#passes.beginSettling();
  }

  /** Writes all that there is of some keys, also what no pass has written; or throws and writes nothing. */
  settle(keys: readonly KeyAdmissions<WritableRing>[]): void {
    const nowMs = this.#clock.monotonicMs();
    const driftMs = this.#timeline.driftMs();
    this.#transact(driftMs, () => {
      for (const key of keys) this.#settle(key, nowMs, driftMs);
    });
    this.#keepSettled(keys);
  }

  /** When all keys are settled: removes some of the passes, and says whether there are more, or else has ended settling. */
  removePasses(): boolean {
    return this.#passes.removeSome();
  }

  /** At once, where nobody waits. */
  settleAll(keys: Iterable<KeyAdmissions>): void {
    this.beginSettling();
    const unsettled = [...keys].filter((key) => key.settledTo < key.nextNumber);
    for (let at = 0; at < unsettled.length; at += SETTLED_AT_ONCE) {
      this.settle(unsettled.slice(at, at + SETTLED_AT_ONCE));
    }
    while (this.removePasses());
  }

  /** Wall time of the last admission written for a key; `key`, where the engine holds it. */
  findLastUse(keyId: string, key?: KeyAdmissions): number | undefined {
    const isInPasses = key !== undefined && key.settledTo < key.nextNumber;
    if (!isInPasses) return this.#lastUses.find(keyId);
    return this.#lastUses.findBefore(keyId) ?? this.#wallMs(key.ring.newestMs, this.#timeline.driftMs());
  }

  /** But those that were used since the start and are not settled: these the engine holds. */
  listKeysWithLastUse(): Iterable<string> {
    return this.#lastUses.list();
  }

  close(): void {
    this.#database.close();
  }

  #orUnreadable<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      this.#database.close();
      throw new JournalUnreadableError(this.#file, error);
    }
  }

  #transact(driftMs: number, write: () => void): void {
    this.#statements.begin.run();
    try {
      write();
      this.#chunks.finish();
      this.#lastUses.finish();
      this.#timeline.write(driftMs);
      this.#statements.commit.run();
      this.#timeline.keepWritten(driftMs);
    } catch (error) {
      this.#chunks.discard();
      this.#lastUses.discard();
      if (this.#database.inTransaction) this.#statements.rollback.run();
      throw error;
    }
  }

  #wallMs(monotonicMs: number, driftMs: number): number {
    return monotonicMs + this.#timeline.offsetMs + driftMs;
  }

  #forget(keyId: string): void {
    this.#chunks.delete(keyId);
    this.#lastUses.delete(keyId);
    this.#passes.forget(keyId);
  }

  #writeIdle({ keyId, ring, nextNumber, settledTo }: IdleKey, driftMs: number): void {
    this.#chunks.delete(keyId);
    if (settledTo < nextNumber) this.#writeLastUse(keyId, ring.newestMs, driftMs);
  }

  #settle(key: KeyAdmissions<WritableRing>, nowMs: number, driftMs: number): void {
    if (key.writtenTo < key.nextNumber) this.#lastUses.dropBefore(key.keyId);
    this.#chunks.write(key, nowMs, this.#timeline.offsetMs);
    this.#writeLastUse(key.keyId, key.ring.newestMs, driftMs);
  }

  #writeLastUse(keyId: string, newestMs: number, driftMs: number): void {
    const lastUsedAt = this.#lastUses.findBefore(keyId) ?? this.#wallMs(newestMs, driftMs);
    this.#lastUses.write(keyId, lastUsedAt, this.#passes.last);
  }

  #keepSettled(keys: readonly KeyAdmissions<WritableRing>[]): void {
    for (const key of keys) {
      key.writtenTo = key.nextNumber;
      key.settledTo = key.nextNumber;
      key.firstChunk = firstLiveChunk(key);
      this.#lastUses.dropBefore(key.keyId);
    }
  }
}

function prepareStatements(database: Database.Database) {
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  };
}
