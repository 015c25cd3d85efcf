/**
 * The engine that counts in the process: a ring of admissions per key, decided and counted in one synchronous step, so that no two
 * requests can take the same place. The journal follows behind.
 *
 * What always holds: the rings are the truth while the process runs. What was admitted is written within the second, a slice of keys at a
 * time so that no request waits long; `kill -9` forgets at most what was admitted after that, a clean stop nothing. When a flush fails,
 * the keys stay marked and the next one tries again; `onError` hears of the first failure of a streak. A key leaves memory when
 * nothing of it has counted for a day and the file has let go of it too.
 */
import { TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import { AddressWindows } from "./address-windows.ts";
import { AdmissionJournal, createKeyAdmissions, type KeyAdmissions } from "./admission-journal.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { AdmissionRing } from "./ring.ts";
import { decisiveIndex, hasRoom, keyVerdict, type Limiter, type Verdict } from "./windows.ts";

const KEYS_PER_SWEEP = 128;
const DEFAULT_FLUSH_EVERY_MS = 700;
/** A slice of so many keys takes a few tenths of a millisecond; where there are very many, slices are larger, so that all are written in time. */
const SLICE_KEYS_MIN = 512;
const SLICES_MAX = 16;
const DEFAULT_MAX_ADDRESSES = 50_000;

export interface MemoryLimiterOptions {
  /** The SQLite file that remembers; its folder must exist. */
  readonly file: string;
  /** Of these keys alone anything is remembered; of all where they are not named. */
  readonly knownKeyIds?: ReadonlySet<string>;
  readonly clock?: Clock;
  readonly flushEveryMs?: number;
  readonly onError?: (error: unknown) => void;
  readonly maxAddresses?: number;
}

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #journal: AdmissionJournal;
  readonly #addresses: AddressWindows;
  readonly #flushEveryMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #keys: Map<string, KeyAdmissions>;
  readonly #changed = new Set<KeyAdmissions>();
  #sweep: Iterator<KeyAdmissions>;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;
  #isClosed = false;

  /** Throws JournalUnreadableError where the file is damaged or cannot be opened. */
  constructor(options: MemoryLimiterOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#addresses = new AddressWindows(this.#clock, options.maxAddresses ?? DEFAULT_MAX_ADDRESSES);
    this.#journal = new AdmissionJournal(options.file, this.#clock);
    this.#keys = this.#journal.load(options.knownKeyIds);
    this.#sweep = this.#keys.values();
    this.#flushEveryMs = options.flushEveryMs ?? DEFAULT_FLUSH_EVERY_MS;
    this.#onError = options.onError ?? ((error) => process.emitWarning(String(error)));
    this.#flushLater(this.#flushEveryMs);
  }

  get keyCount(): number {
    return this.#keys.size;
  }

  take(keyId: string, tier: Tier): Verdict {
    const limits = TIERS[tier];
    const nowMs = this.#clock.monotonicMs();
    let key = this.#keys.get(keyId);
    if (key === undefined) {
      key = createKeyAdmissions(keyId);
      this.#keys.set(keyId, key);
    }
    const { ring } = key;
    ring.advance(nowMs);
    const admitted = hasRoom(ring.minuteCount, ring.length, limits);
    if (admitted) {
      ring.push(nowMs);
      // Where anything of the key is still to be written, it is among the changed already.
      if (key.unwritten === 0) this.#changed.add(key);
      key.unwritten++;
    }
    return this.#verdict(admitted, ring, limits, nowMs);
  }

  peek(keyId: string, tier: Tier): Verdict {
    const limits = TIERS[tier];
    const nowMs = this.#clock.monotonicMs();
    const { ring } = this.#keys.get(keyId) ?? createKeyAdmissions(keyId);
    ring.advance(nowMs);
    return this.#verdict(hasRoom(ring.minuteCount, ring.length, limits), ring, limits, nowMs);
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
      const lastUsedAt = this.#findLastUsed(keyId);
      if (lastUsedAt !== undefined) found.set(keyId, lastUsedAt);
    }
    return found;
  }

  /** Writes all that is pending, as the timer does; throws if it cannot, and then nothing is lost from memory. */
  flush(): void {
    for (const _ of this.#flushInSlices());
  }

  /** Writes all that is pending and lets go of the file; throws if it could not be written. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    try {
      for (const _ of this.#writeInSlices());
    } finally {
      this.#journal.close();
    }
  }

  #findLastUsed(keyId: string): number | undefined {
    const key = this.#keys.get(keyId);
    if (key === undefined) return this.#journal.findLastUse(keyId);
    if (key.unwritten === 0) return key.lastUsedAt;
    return key.ring.newestMs + this.#clock.wallMs() - this.#clock.monotonicMs();
  }

  #verdict(admitted: boolean, ring: AdmissionRing, limits: TierLimits, nowMs: number): Verdict {
    const { minuteCount, length: dayCount } = ring;
    const minute = {
      count: minuteCount,
      decisiveAgeMs: minuteCount === 0 ? 0 : ring.minuteAgeMs(decisiveIndex(minuteCount, limits.perMinute), nowMs),
    };
    const day = {
      count: dayCount,
      decisiveAgeMs: dayCount === 0 ? 0 : ring.ageMs(decisiveIndex(dayCount, limits.perDay), nowMs),
    };
    return keyVerdict(admitted, limits, minute, day, this.#clock.wallMs());
  }

  #flushLater(waitMs: number): void {
    this.#timer = setTimeout(() => this.#goOn(this.#flushInSlices(), performance.now()), waitMs).unref();
  }

  /** One slice, and the next when the requests are served that have come meanwhile. */
  #goOn(slices: Iterator<void>, beganAt: number): void {
    if (this.#isClosed) return;
    try {
      if (slices.next().done !== true) {
        setImmediate(() => this.#goOn(slices, beganAt));
        return;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onError(error);
      this.#isFailing = true;
    }
    this.#flushLater(waitAfter(performance.now() - beganAt, this.#flushEveryMs));
  }

  *#flushInSlices(): Generator<void> {
    yield* this.#writeInSlices();
    this.#dropIdle();
    while (this.#journal.compact()) yield;
  }

  /** Writes what is pending now; what comes meanwhile is for the next flush. */
  *#writeInSlices(): Generator<void> {
    let left = this.#changed.size;
    const keysMax = Math.max(SLICE_KEYS_MIN, Math.ceil(left / SLICES_MAX));
    while (left > 0 || this.#journal.hasDrifted()) {
      const changed = this.#changed.values().take(Math.min(keysMax, left)).toArray();
      // Somebody else has written them meanwhile.
      if (changed.length === 0) left = 0;
      this.#journal.write(changed);
      for (const key of changed) this.#changed.delete(key);
      left -= changed.length;
      yield;
    }
  }

  /** Looks at some keys, going round, and lets go of those of which nothing counts any more. */
  #dropIdle(): void {
    const idle: KeyAdmissions[] = [];
    const nowMs = this.#clock.monotonicMs();
    for (let looked = 0; looked < KEYS_PER_SWEEP; looked++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#keys.values();
        break;
      }
      if (next.value.ring.isIdle(nowMs) && !this.#changed.has(next.value)) idle.push(next.value);
    }
    if (idle.length === 0) return;
    this.#journal.write([], idle);
    for (const { keyId } of idle) this.#keys.delete(keyId);
  }
}

/**
 * From the end of a flush to the beginning of the next. What comes just behind its slice is written by the end of the next flush, which takes
 * as long again: all within `everyMs`, unless two flushes take longer.
 */
export function waitAfter(tookMs: number, everyMs: number): number {
  return Math.max(0, everyMs - 2 * tookMs);
}
