/**
 * The journal's part of the coordinating thread: it looks for keys that have admissions which are not written, or not settled, copies those out of
 * their rings, a lock at a time, and writes the copies. A key whose lock is not to be had stays marked for the next time: the thread
 * that holds it may have died, and only this thread can hear of that, so it must never wait for long.
 */
import { TIERS } from "@lineup/api/tiers";
import type { IdleKey } from "./admission-journal.ts";
import { CHUNK_SIZE } from "./journal-chunks.ts";
import type { KeyAdmissions, WritableRing } from "./key-admissions.ts";
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

/** Which is which of a record's numbers of the journal. */
const WRITTEN_TO = 0;
const FIRST_CHUNK = 1;
const SETTLED_TO = 2;

/** A key that is being written: what its ring held when it was copied. */
export interface CopiedKey extends KeyAdmissions<WritableRing> {
  readonly record: number;
  /** Whether it was marked. */
  readonly wasChanged: boolean;
}

export interface IdleRecord extends IdleKey {
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
  #nextToSettle = 0;
  /** The mark of what was just copied. */
  #wasChanged = false;
  #unavailable: LockUnavailableError | undefined;
  /** Whether a key was left for another time since settling began. */
  #isIncomplete = false;

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
      const copied = this.#copyRecord(record, nowMs, false);
      if (copied !== undefined) changed.push(copied);
    }
    const isMore = this.#nextRecord < made;
    if (!isMore) this.#nextRecord = 0;
    return { changed, isMore };
  }

  /** Goes over all keys that are to be settled. */
  startSettling(): void {
    this.#nextToSettle = 0;
    this.#isIncomplete = false;
  }

  /** Some of the keys of which passes have more than chunks, with all that is not in chunks; none when all were looked at. */
  copyUnsettled(max: number, nowMs: number): CopiedKey[] {
    const unsettled: CopiedKey[] = [];
    const made = Atomics.load(this.#memory.header, RECORDS_MADE);
    this.#memory.follow();
    while (this.#nextToSettle < made && unsettled.length < max) {
      const record = this.#nextToSettle++;
      if (this.#journaled(record, SETTLED_TO) >= this.#journaled(record, WRITTEN_TO)) continue;
      const copied = this.#copyRecord(record, nowMs, true);
      if (copied !== undefined) unsettled.push(copied);
    }
    return unsettled;
  }

  /** Whether all keys were to be had since settling was started. */
  get isAllSettled(): boolean {
    return !this.#isIncomplete;
  }

  /** What was copied is in the file. */
  keepWritten(copied: readonly CopiedKey[]): void {
    for (const key of copied) this.setJournaled(key.record, key);
  }

  /** What was copied is not in the file. */
  markAgain(copied: readonly CopiedKey[]): void {
    for (const { record, wasChanged } of copied) if (wasChanged) this.#memory.marks[record] = CHANGED;
  }

  setJournaled(record: number, key: Pick<KeyAdmissions, "writtenTo" | "firstChunk" | "settledTo">): void {
    const at = (record * RECORD_WORDS + JOURNALED) / 2;
    this.#memory.floats[at + WRITTEN_TO] = key.writtenTo;
    this.#memory.floats[at + FIRST_CHUNK] = key.firstChunk;
    this.#memory.floats[at + SETTLED_TO] = key.settledTo;
  }

  /** Looks at some keys, going round; returns those of which nothing counts any more. */
  findIdle(max: number, nowMs: number): IdleRecord[] {
    const idle: IdleRecord[] = [];
    const made = Atomics.load(this.#memory.header, RECORDS_MADE);
    for (let looked = 0; looked < max; looked++) {
      if (this.#nextToSweep >= made) {
        this.#nextToSweep = 0;
        break;
      }
      const record = this.#nextToSweep++;
      if (this.withRecord(record, () => this.#isIdle(record, nowMs))) {
        const { newestMs, nextNumber } = this.#ring;
        const settledTo = this.#journaled(record, SETTLED_TO);
        idle.push({ record, keyId: this.#keys.readName(record), ring: { newestMs }, nextNumber, settledTo });
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
      this.#isIncomplete = true;
      return undefined;
    }
  }

  #isIdle(record: number, nowMs: number): boolean {
    return this.#memory.marks[record] !== CHANGED && this.#ring.isIdle(nowMs);
  }

  /** Undefined where the record is nobody's, or cannot be locked. */
  #copyRecord(record: number, nowMs: number, isSettling: boolean): CopiedKey | undefined {
    const count = this.withRecord(record, () => this.#copy(record, nowMs, isSettling));
    return count === undefined ? undefined : this.#copiedKey(record, count);
  }

  /** Returns how many admissions were copied. Nothing is allocated here, because the record is locked. */
  #copy(record: number, nowMs: number, isSettling: boolean): number {
    const ring = this.#ring;
    ring.advance(Math.max(nowMs, ring.newestMs));
    const settledTo = this.#journaled(record, SETTLED_TO);
    const isForChunks = isSettling || settledTo < 0;
    const from = isForChunks ? settledTo - (settledTo % CHUNK_SIZE) : this.#journaled(record, WRITTEN_TO);
    const first = Math.max(from, ring.firstNumber);
    ring.copyFrom(first, this.#copied);
    this.#wasChanged = this.#memory.marks[record] === CHANGED;
    if (this.#wasChanged) this.#memory.marks[record] = WRITTEN;
    return ring.nextNumber - first;
  }

  /** What was just copied, with what the ring is still open at. */
  #copiedKey(record: number, count: number): CopiedKey {
    const { length, newestMs, nextNumber } = this.#ring;
    return {
      record,
      wasChanged: this.#wasChanged,
      keyId: this.#keys.readName(record),
      ring: new CopiedRing(length, newestMs, this.#copied.slice(0, count)),
      nextNumber,
      writtenTo: this.#journaled(record, WRITTEN_TO),
      settledTo: this.#journaled(record, SETTLED_TO),
      firstChunk: this.#journaled(record, FIRST_CHUNK),
    };
  }

  #journaled(record: number, which: typeof WRITTEN_TO | typeof FIRST_CHUNK | typeof SETTLED_TO): number {
    return this.#memory.floats[(record * RECORD_WORDS + JOURNALED) / 2 + which] as number;
  }
}
