/**
 * The engine for several threads of one process: the rings of the engine in the process, in memory that all of them share. A worker
 * decides and counts in one synchronous step, with the key's record locked, so that no two requests can take the same place
 * whatever threads they came to. The coordinating thread keeps the journal and repairs what a dead worker has left.
 *
 * What always holds: in no interval of a window's length do all workers together admit more than the limit. A worker that dies in the
 * midst of a request leaves it counted or not counted, and in either case not answered; nothing else of any key changes. While a lock
 * is held by a worker that has died, those who need it wait until `repairAfter` is called, and fail after five seconds.
 */
import { TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import type Database from "better-sqlite3";
import { type Clock, systemClock } from "./clock.ts";
import { openLastUses } from "./journal-last-uses.ts";
import type { Limiter } from "./limiter.ts";
import { SharedAddresses } from "./shared-addresses.ts";
import {
  Coordinator,
  type SharedLimits,
  type SharedLimitsHandle,
  type SharedLimitsOptions,
} from "./shared-coordinator.ts";
import { type KnownKey, SharedKeys } from "./shared-keys.ts";
import { acquireLock, releaseLock } from "./shared-lock.ts";
import {
  CHANGED,
  FIRST_WORKER,
  GENERATION,
  KEY_COUNT,
  RECORD_LOCK,
  RECORD_WORDS,
  SharedMemory,
  UNUSED,
} from "./shared-memory.ts";
import { SharedRing } from "./shared-ring.ts";
import { decisiveIndex, hasRoom, keyVerdict, type Verdict } from "./windows.ts";

/** Far longer than a live thread holds a lock, and than it takes to hear that one has died. */
const PATIENCE_MS = 5_000;
/** So many more keys than there are may be remembered before all are looked up anew. */
const REMEMBERED_IN_VAIN = 1_024;

export interface SharedLimiter extends Limiter {
  take(keyId: string, tier: Tier): Verdict;
  peek(keyId: string, tier: Tier): Verdict;
  takeAddress(address: string): Verdict;
  readLastUsed(keyIds: readonly string[]): Map<string, number>;
  close(): void;
}

export interface JoinOptions {
  /** Its monotonic time must be the same in every thread, as the system clock's is. */
  readonly clock?: Clock;
}

/** In the coordinating thread. Throws JournalUnreadableError where the file is damaged or cannot be opened. */
export function createSharedLimits(options: SharedLimitsOptions): SharedLimits {
  return new Coordinator(options);
}

/** In a worker. No two that live at the same time may have the same number. */
export function joinSharedLimits(handle: SharedLimitsHandle, worker: number, options: JoinOptions = {}): SharedLimiter {
  if (!Number.isInteger(worker) || worker < 0 || worker >= handle.workers) {
    throw new RangeError(
      `Worker ${worker} is none of ${handle.workers}: give it a number from 0 to ${handle.workers - 1}.`,
    );
  }
  return new WorkerLimiter(handle, worker + FIRST_WORKER, options.clock ?? systemClock);
}

class WorkerLimiter implements SharedLimiter {
  readonly #handle: SharedLimitsHandle;
  readonly #owner: number;
  readonly #clock: Clock;
  readonly #memory: SharedMemory;
  readonly #keys: SharedKeys;
  readonly #ring: SharedRing;
  readonly #addresses: SharedAddresses;
  readonly #known = new Map<string, KnownKey>();
  /** Of the ring when it was last looked at: kept here, so that nothing is allocated while it is locked. */
  #minuteAgeMs = 0;
  #dayAgeMs = 0;
  #lastUses: Database.Statement<[string], number> | undefined;

  constructor(handle: SharedLimitsHandle, owner: number, clock: Clock) {
    this.#handle = handle;
    this.#owner = owner;
    this.#clock = clock;
    this.#memory = new SharedMemory(handle);
    this.#keys = new SharedKeys(this.#memory, owner, PATIENCE_MS);
    this.#ring = new SharedRing(this.#memory, this.#keys);
    this.#addresses = new SharedAddresses(handle, clock, owner, PATIENCE_MS);
  }

  take(keyId: string, tier: Tier): Verdict {
    const limits = TIERS[tier];
    const ring = this.#ring;
    const record = this.#lockOrAdd(keyId);
    let admitted: boolean;
    try {
      ring.open(record);
      // Read under the lock, and never before the last admission, so that the ring is in order whatever thread it was made by.
      const nowMs = Math.max(this.#clock.monotonicMs(), ring.newestMs);
      ring.advance(nowMs);
      admitted = hasRoom(ring.minuteCount, ring.length, limits);
      if (admitted) {
        this.#memory.marks[record] = CHANGED;
        ring.push(nowMs);
      } else ring.keepAdvance();
      this.#readAges(limits, nowMs);
    } finally {
      this.#unlock(record);
    }
    return this.#verdict(admitted, limits);
  }

  peek(keyId: string, tier: Tier): Verdict {
    const limits = TIERS[tier];
    const ring = this.#ring;
    const record = this.#lock(keyId);
    if (record === undefined) {
      const nothing = { count: 0, decisiveAgeMs: 0 };
      return keyVerdict(true, limits, nothing, nothing, this.#clock.wallMs());
    }
    try {
      ring.open(record);
      const nowMs = Math.max(this.#clock.monotonicMs(), ring.newestMs);
      ring.advance(nowMs);
      this.#readAges(limits, nowMs);
    } finally {
      this.#unlock(record);
    }
    return this.#verdict(hasRoom(ring.minuteCount, ring.length, limits), limits);
  }

  takeAddress(address: string): Verdict {
    return this.#addresses.take(address);
  }

  peekAddress(address: string): Verdict {
    return this.#addresses.peek(address);
  }

  readLastUsed(keyIds: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const keyId of keyIds) {
      const lastUsedAt = this.#findInMemory(keyId) ?? this.#findInFile(keyId);
      if (lastUsedAt !== undefined) found.set(keyId, lastUsedAt);
    }
    return found;
  }

  close(): void {
    this.#lastUses?.database.close();
    this.#lastUses = undefined;
  }

  #verdict(admitted: boolean, limits: TierLimits): Verdict {
    const minute = { count: this.#ring.minuteCount, decisiveAgeMs: this.#minuteAgeMs };
    const day = { count: this.#ring.length, decisiveAgeMs: this.#dayAgeMs };
    return keyVerdict(admitted, limits, minute, day, this.#clock.wallMs());
  }

  #readAges(limits: TierLimits, nowMs: number): void {
    const { minuteCount, length } = this.#ring;
    this.#minuteAgeMs =
      minuteCount === 0 ? 0 : this.#ring.minuteAgeMs(decisiveIndex(minuteCount, limits.perMinute), nowMs);
    this.#dayAgeMs = length === 0 ? 0 : this.#ring.ageMs(decisiveIndex(length, limits.perDay), nowMs);
  }

  #findInMemory(keyId: string): number | undefined {
    const record = this.#lock(keyId);
    if (record === undefined) return undefined;
    try {
      // What was admitted before the start, the file knows better: no clock has been set since.
      if (this.#memory.marks[record] === UNUSED) return undefined;
      this.#ring.open(record);
    } finally {
      this.#unlock(record);
    }
    return this.#ring.newestMs + this.#clock.wallMs() - this.#clock.monotonicMs();
  }

  #findInFile(keyId: string): number | undefined {
    this.#lastUses ??= openLastUses(this.#handle.file);
    return this.#lastUses.get(keyId);
  }

  /** The record of a key, locked; undefined if it has none. */
  #lock(keyId: string): number | undefined {
    let known = this.#known.get(keyId) ?? this.#keys.find(keyId);
    while (known !== undefined && !this.#lockKnown(known)) known = this.#keys.find(keyId);
    if (known === undefined) this.#known.delete(keyId);
    return known?.record;
  }

  #lockOrAdd(keyId: string): number {
    let known = this.#known.get(keyId);
    while (known === undefined || !this.#lockKnown(known)) {
      known = this.#keys.findOrAdd(keyId);
      this.#remember(keyId, known);
    }
    return known.record;
  }

  #remember(keyId: string, known: KnownKey): void {
    const { header } = this.#memory;
    if (this.#known.size > (header[KEY_COUNT] as number) + REMEMBERED_IN_VAIN) this.#known.clear();
    this.#known.set(keyId, known);
  }

  #lockKnown({ record, generation }: KnownKey): boolean {
    const at = record * RECORD_WORDS;
    acquireLock(this.#memory.words, at + RECORD_LOCK, this.#owner, PATIENCE_MS);
    if (this.#memory.words[at + GENERATION] === generation) return true;
    this.#unlock(record);
    return false;
  }

  #unlock(record: number): void {
    releaseLock(this.#memory.words, record * RECORD_WORDS + RECORD_LOCK);
  }
}
