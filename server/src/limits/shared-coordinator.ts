/**
 * What the coordinating thread has of the shared limits: the memory, and the journal behind it. It decides nothing about requests.
 *
 * What always holds is what holds of the engine in the process (memory-limiter.ts): the rings are the truth while the process
 * runs, what was admitted is written within the second, and a key leaves memory when nothing of it has counted for a
 * day and the file has let go of it too. The file is the same, so that one worker and several may take turns on it.
 */
import { AdmissionJournal } from "./admission-journal.ts";
import { type Clock, systemClock } from "./clock.ts";
import { FlushTimer, KEYS_MAX, SETTLED_MAX } from "./flush-timer.ts";
import type { KeyAdmissions } from "./key-admissions.ts";
import { reserveAddresses, type SharedAddressesHandle } from "./shared-address-places.ts";
import { SharedAddresses } from "./shared-addresses.ts";
import { SharedJournalView } from "./shared-journal.ts";
import { SharedKeys } from "./shared-keys.ts";
import {
  CHANGED,
  COORDINATOR,
  FIRST_WORKER,
  KEY_COUNT,
  RECORDS_MADE,
  reserveSharedMemory,
  SharedMemory,
  type SharedMemoryHandle,
  UNUSED,
} from "./shared-memory.ts";
import { repairAfter } from "./shared-repair.ts";
import { SharedRing } from "./shared-ring.ts";
import { SharedSettling } from "./shared-settling.ts";

const KEYS_PER_SWEEP = 256;
const DEFAULT_FLUSH_EVERY_MS = 500;
const DEFAULT_MAX_ADDRESSES = 50_000;
const DEFAULT_MAX_KEYS = 2 ** 20;
/** 4 GiB of addresses: room for 10,000 keys of Enterprise, each with a full day. */
const DEFAULT_MAX_PAGES = 2 ** 23;
/** Only this thread can repair what a dead one holds, so it never waits for longer than a live one would hold it. */
const PATIENCE_MS = 20;

export interface SharedLimitsOptions {
  /** The SQLite file that remembers; its folder must exist. */
  readonly file: string;
  /** Their numbers are 0 up to this. */
  readonly workers: number;
  readonly clock?: Clock;
  readonly flushEveryMs?: number;
  readonly onError?: (error: unknown) => void;
  readonly maxAddresses?: number;
  /** Past these, requests that need more throw SharedLimitsFullError. */
  readonly maxKeys?: number;
  readonly maxPages?: number;
}

/** For workers, through `workerData`. */
export interface SharedLimitsHandle extends SharedMemoryHandle, SharedAddressesHandle {
  readonly file: string;
  readonly workers: number;
}

export interface SharedLimits {
  readonly handle: SharedLimitsHandle;
  readonly keyCount: number;
  /** Wall time in milliseconds of the last admitted request of each key that ever was used. */
  readLastUsed(keyIds: readonly string[]): Map<string, number>;
  /** Forgets every key that is not among the known ones. */
  pruneKeys(known: ReadonlySet<string>): void;
  /** To be called when a worker's thread has ended, before another gets its number: frees what it held. */
  repairAfter(worker: number): void;
  /** Writes all that is pending, and settles it if it is time; throws if it cannot, and then nothing is lost from memory. */
  flush(): void;
  /** For a stop, when no worker runs: settles all there is, if it can, so that the next start has less to do. */
  settle(): void;
  /** Writes all that is pending and lets go of the file; throws if it could not be written. To be called when no worker runs. */
  close(): void;
}

export class Coordinator implements SharedLimits {
  readonly handle: SharedLimitsHandle;
  readonly #clock: Clock;
  readonly #memory: SharedMemory;
  readonly #keys: SharedKeys;
  readonly #ring: SharedRing;
  readonly #addresses: SharedAddresses;
  readonly #view: SharedJournalView;
  readonly #journal: AdmissionJournal;
  readonly #settling: SharedSettling;
  readonly #timer: FlushTimer;
  readonly #forgotten = new Set<string>();
  #isClosed = false;

  constructor(options: SharedLimitsOptions) {
    const { file, workers } = options;
    this.#clock = options.clock ?? systemClock;
    this.handle = {
      ...reserveSharedMemory(options.maxKeys ?? DEFAULT_MAX_KEYS, options.maxPages ?? DEFAULT_MAX_PAGES),
      ...reserveAddresses(Math.max(1, options.maxAddresses ?? DEFAULT_MAX_ADDRESSES)),
      file,
      workers,
    };
    this.#memory = new SharedMemory(this.handle);
    this.#keys = new SharedKeys(this.#memory, COORDINATOR, PATIENCE_MS);
    this.#ring = new SharedRing(this.#memory, this.#keys);
    this.#addresses = new SharedAddresses(this.handle, this.#clock, COORDINATOR, PATIENCE_MS);
    this.#view = new SharedJournalView(this.#memory, this.#keys, this.#ring, PATIENCE_MS);
    this.#journal = new AdmissionJournal(file, this.#clock);
    this.#settling = new SharedSettling(this.#journal, this.#view, this.#clock);
    const onError = options.onError ?? ((error) => process.emitWarning(String(error)));
    this.#restore(onError);
    this.#timer = new FlushTimer({
      everyMs: options.flushEveryMs ?? DEFAULT_FLUSH_EVERY_MS,
      // Keys that were left for another time are tried again at once, after whatever this thread has to do.
      flushSlice: ({ keysMax }) => this.#flushSlice(keysMax) || this.#view.takeUnavailable() !== undefined,
      settleSlice: (keysMax) => this.#settling.settleSlice(keysMax),
      onError,
    });
  }

  get keyCount(): number {
    return Atomics.load(this.#memory.header, KEY_COUNT);
  }

  readLastUsed(keyIds: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const keyId of keyIds) {
      const lastUsedAt = this.#findLastUsed(keyId);
      if (lastUsedAt !== undefined) found.set(keyId, lastUsedAt);
    }
    return found;
  }

  pruneKeys(known: ReadonlySet<string>): void {
    for (const keyId of this.#journal.listKeysWithLastUse()) if (!known.has(keyId)) this.#forget(keyId);
    const made = Atomics.load(this.#memory.header, RECORDS_MADE);
    for (let record = 0; record < made; record++) {
      const keyId = this.#view.withRecord(record, () => this.#keys.readName(record));
      if (keyId !== undefined && !known.has(keyId)) this.#forget(keyId);
    }
  }

  repairAfter(worker: number): void {
    repairAfter(worker + FIRST_WORKER, this.#memory, this.#keys, this.#addresses);
  }

  flush(): void {
    this.#flushAll();
    while (this.#settling.settleSlice(SETTLED_MAX));
  }

  settle(): void {
    try {
      this.#flushAll();
      this.#settling.settleAll();
    } catch {
      // What is pending, a close writes or complains of; what passes have is in the file, and is settled at the next start.
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#timer.stop();
    for (let worker = 0; worker < this.handle.workers; worker++) this.repairAfter(worker);
    try {
      this.#flushAll();
    } finally {
      this.#journal.close();
    }
  }

  #flushAll(): void {
    this.#view.takeUnavailable();
    // The timer may have stopped in the middle of a pass.
    this.#view.startOver();
    while (this.#flushSlice(KEYS_MAX));
    const unavailable = this.#view.takeUnavailable();
    if (unavailable !== undefined) throw unavailable;
  }

  #restore(onError: (error: unknown) => void): void {
    try {
      const keys = this.#journal.load();
      this.#settleBefore(keys.values(), onError);
      for (const key of keys.values()) this.#restoreKey(key);
    } catch (error) {
      this.#journal.close();
      throw error;
    }
  }

  /** Before a worker asks for the last use of a key that was used before the start. It can wait, if that is how the file is. */
  #settleBefore(keys: Iterable<KeyAdmissions>, onError: (error: unknown) => void): void {
    try {
      this.#journal.settleAll(keys);
    } catch (error) {
      onError(error);
    }
  }

  #restoreKey(key: KeyAdmissions): void {
    const { keyId, ring, nextNumber, writtenTo } = key;
    const nowMs = ring.newestMs;
    const { record } = this.#keys.findOrAdd(keyId, nextNumber - ring.length);
    this.#view.withRecord(record, () => {
      for (let index = 0; index < ring.length; index++) this.#ring.push(nowMs - ring.ageMs(index, nowMs));
    });
    this.#view.setJournaled(record, key);
    if (writtenTo < nextNumber) this.#memory.marks[record] = CHANGED;
  }

  #forget(keyId: string): void {
    const record = this.#keys.find(keyId)?.record;
    if (record !== undefined) this.#view.withRecord(record, () => this.#keys.remove(record));
    this.#forgotten.add(keyId);
  }

  #findLastUsed(keyId: string): number | undefined {
    const record = this.#keys.find(keyId)?.record;
    const newestMs =
      record === undefined || this.#memory.marks[record] === UNUSED
        ? undefined
        : this.#view.withRecord(record, () => this.#ring.newestMs);
    if (newestMs !== undefined) return newestMs + this.#clock.wallMs() - this.#clock.monotonicMs();
    return this.#forgotten.has(keyId) ? undefined : this.#journal.findLastUse(keyId);
  }

  /** Writes some of what is pending; says whether more is. */
  #flushSlice(keysMax: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    const idle = this.#view.findIdle(KEYS_PER_SWEEP, nowMs);
    const forgotten = this.#forgotten.values().take(keysMax).toArray();
    // Nothing is written before all that is forgotten is gone, lest a key that has come back lose its new admissions.
    const isAllForgotten = forgotten.length === this.#forgotten.size;
    const { changed, isMore } = isAllForgotten ? this.#view.copyChanged(keysMax, nowMs) : { changed: [], isMore: true };
    const isPending = changed.length > 0 || forgotten.length > 0 || idle.length > 0;
    if (!isPending && !this.#journal.hasDrifted()) return isMore;
    try {
      this.#journal.write({ changed, idle, forgotten });
    } catch (error) {
      this.#view.markAgain(changed);
      throw error;
    }
    for (const keyId of forgotten) this.#forgotten.delete(keyId);
    this.#view.keepWritten(changed);
    this.#view.removeIdle(idle, nowMs);
    return isMore;
  }
}
