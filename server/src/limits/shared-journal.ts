/**
 * The journal's part of the coordinating thread: it looks for keys that have admissions which are not written, copies those out of
 * their rings, a lock at a time, and writes the copies. A key whose lock is not to be had stays marked for the next time: the thread
 * that holds it may have died, and only this thread can hear of that, so it must never wait for long.
 */
import { TIERS } from "@lineup/api/tiers";
import { CHUNK_SIZE, type KeyAdmissions, type WritableRing } from "./admission-journal.ts";
import type { SharedKeys } from "./shared-keys.ts";
import { acquireLock, LockUnavailableError, releaseLock } from "./shared-lock.ts";
import {
  CHANGED,
  COORDINATOR,
  GENERATION,
  JOURNALED,
  RECORD_LOCK,
  RECORD_WORDS,
  RECORDS_MADE,
  type SharedMemory,
  WRITTEN,
} from "./shared-memory.ts";
import type { SharedRing } from "./shared-ring.ts";

/** A key that is being written: what its ring held when it was copied. */
export interface CopiedKey extends KeyAdmissions<WritableRing> {
  readonly record: number;
}

/** The newest of a ring's admissions, from the first on that the journal will ask for. */
class CopiedRing implements WritableRing {
  readonly length: number;
  readonly newestMs: number;
  readonly #slots: Uint32Array;

  constructor(length: number, newestMs: number, slots: Uint32Array) {
    this.length = length;
    this.newestMs = newestMs;
    this.#slots = slots;
  }

  /** What has left the window since the copy was made is written all the same, and left out when it is read. */
  advance(): void {}

  ageMs(index: number, nowMs: number): number {
    const slot = this.#slots[index - this.length + this.#slots.length] as number;
    return nowMs - this.newestMs + ((this.newestMs - slot) >>> 0);
  }
}

export class SharedJournalView {
  readonly #memory: SharedMemory;
  readonly #keys: SharedKeys;
  readonly #ring: SharedRing;
  readonly #patienceMs: number;
  readonly #copied = new Uint32Array(Math.max(...Object.values(TIERS).map((limits) => limits.perDay)));
  #nextRecord = 0;
  #nextToSweep = 0;
  #unavailable: LockUnavailableError | undefined;

  constructor(memory: SharedMemory, keys: SharedKeys, ring: SharedRing, patienceMs: number) {
    this.#memory = memory;
    this.#keys = keys;
    this.#ring = ring;
    this.#patienceMs = patienceMs;
  }

  /** Why keys were left for another time since this was asked last, if any were. */
  takeUnavailable(): LockUnavailableError | undefined {
    const unavailable = this.#unavailable;
    this.#unavailable = undefined;
    return unavailable;
  }

  /** Goes over all keys anew. One that was passed already may have been admitted since. */
  startOver(): void {
    this.#nextRecord = 0;
  }

  /** Some of the keys with admissions to write, going once over all; says whether there are more to come. */
  copyChanged(max: number, nowMs: number): { changed: CopiedKey[]; isMore: boolean } {
    const changed: CopiedKey[] = [];
    const { marks } = this.#memory;
    const made = Atomics.load(this.#memory.header, RECORDS_MADE);
    while (this.#nextRecord < made && changed.length < max) {
      const record = this.#nextRecord++;
      if (marks[record] !== CHANGED) continue;
      const count = this.withRecord(record, () => this.#copy(record, nowMs));
      if (count !== undefined) changed.push(this.#copiedKey(record, count));
    }
    const isMore = this.#nextRecord < made;
    if (!isMore) this.#nextRecord = 0;
    return { changed, isMore };
  }

  /** What was copied is in the file. */
  keepWritten(changed: readonly CopiedKey[]): void {
    for (const { record, writtenTo, firstChunk } of changed) this.setJournaled(record, writtenTo, firstChunk);
  }

  /** What was copied is not in the file. */
  markAgain(changed: readonly CopiedKey[]): void {
    for (const { record } of changed) this.#memory.marks[record] = CHANGED;
  }

  setJournaled(record: number, writtenTo: number, firstChunk: number): void {
    const at = (record * RECORD_WORDS + JOURNALED) / 2;
    this.#memory.floats[at] = writtenTo;
    this.#memory.floats[at + 1] = firstChunk;
  }

  /** Looks at some keys, going round; returns those of which nothing counts any more. */
  findIdle(max: number, nowMs: number): { record: number; keyId: string }[] {
    const idle: { record: number; keyId: string }[] = [];
    const made = Atomics.load(this.#memory.header, RECORDS_MADE);
    for (let looked = 0; looked < max; looked++) {
      if (this.#nextToSweep >= made) {
        this.#nextToSweep = 0;
        break;
      }
      const record = this.#nextToSweep++;
      if (this.withRecord(record, () => this.#isIdle(record, nowMs))) {
        idle.push({ record, keyId: this.#keys.readName(record) });
      }
    }
    return idle;
  }

  /** Lets go of keys that the file has let go of, but of none that was used meanwhile. */
  removeIdle(idle: readonly { record: number }[], nowMs: number): void {
    for (const { record } of idle) {
      this.withRecord(record, () => {
        if (this.#isIdle(record, nowMs)) this.#keys.remove(record);
      });
    }
  }

  /** Does something with a key's record locked; undefined if it is nobody's, or what must be locked cannot be now. */
  withRecord<Result>(record: number, act: () => Result): Result | undefined {
    this.#memory.follow();
    const { words } = this.#memory;
    const at = record * RECORD_WORDS;
    try {
      acquireLock(words, at + RECORD_LOCK, COORDINATOR, this.#patienceMs);
      try {
        if (((words[at + GENERATION] as number) & 1) === 0) return undefined;
        this.#ring.open(record);
        return act();
      } finally {
        releaseLock(words, at + RECORD_LOCK);
      }
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      this.#unavailable ??= error;
      return undefined;
    }
  }

  #isIdle(record: number, nowMs: number): boolean {
    return this.#memory.marks[record] !== CHANGED && this.#ring.isIdle(nowMs);
  }

  /** Returns how many admissions were copied. Nothing is allocated here, because the record is locked. */
  #copy(record: number, nowMs: number): number {
    const ring = this.#ring;
    ring.advance(Math.max(nowMs, ring.newestMs));
    const from = Math.max(this.#journaled(record, 0), ring.firstNumber);
    const first = Math.max(from - (from % CHUNK_SIZE), ring.firstNumber);
    ring.copyFrom(first, this.#copied);
    this.#memory.marks[record] = WRITTEN;
    return ring.nextNumber - first;
  }

  /** What was just copied, with what the ring is still open at. */
  #copiedKey(record: number, count: number): CopiedKey {
    const { length, newestMs, nextNumber } = this.#ring;
    return {
      record,
      keyId: this.#keys.readName(record),
      ring: new CopiedRing(length, newestMs, this.#copied.slice(0, count)),
      nextNumber,
      writtenTo: this.#journaled(record, 0),
      firstChunk: this.#journaled(record, 1),
    };
  }

  #journaled(record: number, index: 0 | 1): number {
    return this.#memory.floats[(record * RECORD_WORDS + JOURNALED) / 2 + index] as number;
  }
}
