/**
 * The engine that counts in the process: a ring of admissions per key, decided and counted in one synchronous step, so that no two
 * requests can take the same place. The journal follows behind.
 *
 * What always holds: the rings are the truth while the process runs. What was admitted is written within the second,
 * a slice of keys at a time so that no request waits long; `kill -9` forgets at most what was admitted after the last
 * one, a clean stop nothing. What is written is settled now and then, in slices too. When a flush fails, the keys stay marked and the next one tries again; `onError` hears of
 * the first failure of a streak. A key leaves memory when nothing of it has counted for a day and the file has let go of it too.
 */
import { TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import { AddressWindows } from "./address-windows.ts";
import { AdmissionJournal } from "./admission-journal.ts";
import { type Clock, systemClock } from "./clock.ts";
import { FlushTimer, KEYS_MAX, SETTLED_MAX, type Slice } from "./flush-timer.ts";
import { createKeyAdmissions, type KeyAdmissions } from "./key-admissions.ts";
import type { AdmissionRing } from "./ring.ts";
import { decisiveIndex, hasRoom, keyVerdict, type Limiter, type Verdict, type WindowReading } from "./windows.ts";

const KEYS_PER_SWEEP = 128;
const DEFAULT_FLUSH_EVERY_MS = 700;
const DEFAULT_MAX_ADDRESSES = 50_000;
const NOTHING_COUNTED: WindowReading = { count: 0, decisiveAgeMs: 0 };

export interface MemoryLimiterOptions {
  /** The SQLite file that remembers; its folder must exist. */
  readonly file: string;
  readonly clock?: Clock;
  readonly flushEveryMs?: number;
  readonly onError?: (error: unknown) => void;
  readonly maxAddresses?: number;
}

export interface MemoryLimiter extends Limiter {
  take(keyId: string, tier: Tier): Verdict;
  peek(keyId: string, tier: Tier): Verdict;
  takeAddress(address: string): Verdict;
  /** For a key that no longer exists; a revoked one is still shown with its last use. */
  forget(keyId: string): void;
  /** Wall time in milliseconds of the last admitted request of a key. */
  findLastUsed(keyId: string): number | undefined;
  readLastUsed(keyIds: readonly string[]): Map<string, number>;
  /** Forgets every key that is not among the known ones. */
  pruneKeys(known: ReadonlySet<string>): void;
  /** Writes all that is pending, and settles it if it is time; throws if it cannot, and then nothing is lost from memory. */
  flush(): void;
  /** For a stop: settles all there is, if it can, so that the next start has less to do. With ten thousand keys it takes a tenth of a second. */
  settle(): void;
  /** Writes all that is pending and lets go of the file; throws if it could not be written. */
  close(): void;
  readonly keyCount: number;
}

/** Throws JournalUnreadableError where the file is damaged or cannot be opened. */
export function openMemoryLimiter(options: MemoryLimiterOptions): MemoryLimiter {
  return new InProcessLimiter(options);
}

class InProcessLimiter implements MemoryLimiter {
  readonly #clock: Clock;
  readonly #journal: AdmissionJournal;
  readonly #addresses: AddressWindows;
  readonly #timer: FlushTimer;
  readonly #keys: Map<string, KeyAdmissions>;
  readonly #changed = new Set<KeyAdmissions>();
  /** Keys of which passes have more than chunks. */
  readonly #unsettled = new Set<KeyAdmissions>();
  readonly #forgotten = new Set<string>();
  #sweep: Iterator<KeyAdmissions>;
  /** Keys that had changed when the pass began and are not written yet; those that have since come after them. */
  #leftOfPass = 0;
  /** The same of what there was to settle. */
  #leftToSettle = 0;
  #isClosed = false;

  constructor(options: MemoryLimiterOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#addresses = new AddressWindows(this.#clock, options.maxAddresses ?? DEFAULT_MAX_ADDRESSES);
    this.#journal = new AdmissionJournal(options.file, this.#clock);
    this.#keys = this.#journal.load();
    for (const key of this.#keys.values()) {
      if (key.writtenTo < key.nextNumber) this.#changed.add(key);
      if (key.settledTo < key.nextNumber) this.#unsettled.add(key);
    }
    this.#sweep = this.#keys.values();
    this.#timer = new FlushTimer({
      everyMs: options.flushEveryMs ?? DEFAULT_FLUSH_EVERY_MS,
      flushSlice: (slice) => this.#flushSlice(slice),
      settleSlice: (keysMax) => this.#settleSlice(keysMax),
      onError: options.onError ?? ((error) => process.emitWarning(String(error))),
    });
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
      if (key.writtenTo === key.nextNumber) this.#changed.add(key);
      key.nextNumber++;
    }
    return this.#verdict(admitted, ring, limits, nowMs);
  }

  peek(keyId: string, tier: Tier): Verdict {
    const limits = TIERS[tier];
    const nowMs = this.#clock.monotonicMs();
    const ring = this.#keys.get(keyId)?.ring;
    if (ring === undefined) return keyVerdict(true, limits, NOTHING_COUNTED, NOTHING_COUNTED, this.#clock.wallMs());
    ring.advance(nowMs);
    return this.#verdict(hasRoom(ring.minuteCount, ring.length, limits), ring, limits, nowMs);
  }

  takeAddress(address: string): Verdict {
    return this.#addresses.take(address);
  }

  peekAddress(address: string): Verdict {
    return this.#addresses.peek(address);
  }

  findLastUsed(keyId: string): number | undefined {
    const key = this.#keys.get(keyId);
    if (key !== undefined && key.writtenTo < key.nextNumber) {
      return key.ring.newestMs + this.#clock.wallMs() - this.#clock.monotonicMs();
    }
    return this.#forgotten.has(keyId) ? undefined : this.#journal.findLastUse(keyId, key);
  }

  readLastUsed(keyIds: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const keyId of keyIds) {
      const lastUsedAt = this.findLastUsed(keyId);
      if (lastUsedAt !== undefined) found.set(keyId, lastUsedAt);
    }
    return found;
  }

  forget(keyId: string): void {
    const key = this.#keys.get(keyId);
    if (key !== undefined) {
      this.#changed.delete(key);
      this.#unsettled.delete(key);
    }
    this.#keys.delete(keyId);
    this.#forgotten.add(keyId);
  }

  pruneKeys(known: ReadonlySet<string>): void {
    for (const keyId of this.#journal.listKeysWithLastUse()) if (!known.has(keyId)) this.forget(keyId);
    for (const keyId of this.#keys.keys()) if (!known.has(keyId)) this.forget(keyId);
  }

  flush(): void {
    this.#flushAll();
    while (this.#settleSlice(SETTLED_MAX));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer.stop();
    try {
      this.#flushAll();
    } finally {
      this.#journal.close();
    }
  }

  settle(): void {
    try {
      this.#flushAll();
      this.#journal.settleAll(this.#unsettled);
      this.#unsettled.clear();
    } catch {
      // What is pending, a close writes or complains of; what passes have is in the file, and the next start reads it there.
    }
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

  #flushAll(): void {
    for (let isFirst = true; this.#flushSlice({ isFirst, keysMax: KEYS_MAX }); isFirst = false);
  }

  /** Writes some of what was pending when the pass began; says whether more of that is. */
  #flushSlice({ isFirst, keysMax }: Slice): boolean {
    if (isFirst) this.#leftOfPass = this.#changed.size;
    const idle = this.#sweepSome();
    const isPending = this.#changed.size > 0 || this.#forgotten.size > 0 || idle.length > 0;
    if (!isPending && !this.#journal.hasDrifted()) return false;
    const forgotten = this.#forgotten.values().take(keysMax).toArray();
    // Nothing is written before all that is forgotten is gone, lest a key that has come back lose its new admissions.
    const isAllForgotten = forgotten.length === this.#forgotten.size;
    const changed = isAllForgotten ? this.#changed.values().take(Math.min(keysMax, this.#leftOfPass)).toArray() : [];
    this.#journal.write({ changed, idle, forgotten });
    for (const keyId of forgotten) this.#forgotten.delete(keyId);
    for (const key of changed) {
      this.#changed.delete(key);
      if (key.settledTo < key.writtenTo) this.#unsettled.add(key);
      else this.#unsettled.delete(key);
    }
    this.#leftOfPass -= changed.length;
    for (const key of idle) {
      this.#keys.delete(key.keyId);
      this.#unsettled.delete(key);
    }
    return this.#leftOfPass > 0 || this.#forgotten.size > 0;
  }

  /** Settles some of what passes had written when that began; says whether there is more to do. */
  #settleSlice(keysMax: number): boolean {
    if (!this.#journal.isSettling) {
      if (!this.#journal.isSettlingDue()) return false;
      this.#journal.beginSettling();
      this.#leftToSettle = this.#unsettled.size;
    }
    const keys = this.#unsettled.values().take(Math.min(keysMax, this.#leftToSettle)).toArray();
    if (keys.length === 0) return this.#journal.removePasses();
    this.#journal.settle(keys);
    for (const key of keys) {
      this.#unsettled.delete(key);
      this.#changed.delete(key);
    }
    this.#leftToSettle -= keys.length;
    return true;
  }

  /** Looks at some keys, going round; returns those of which nothing counts any more. */
  #sweepSome(): KeyAdmissions[] {
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
    return idle;
  }
}
