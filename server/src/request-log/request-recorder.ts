/**
 * Records requests by keys. On the way of a request it only adds a few numbers in memory; they are written about once a second, up
 * to every three seconds where hundreds of organizations are heard of, or sooner where blocks are full or much waits.
 *
 * What always holds: recording neither fails nor waits. Where there is no room for more, requests are not recorded but counted as
 * dropped. So are a key's refusals with 429 beyond as many a minute as the largest tier admits requests, because nothing else bounds
 * those. How much each key is used is counted in any case. When the log cannot be written, what fits waits, and is written as soon as
 * it can be; a stop writes what is left; `kill -9` loses what was not written.
 */
import { TIERS } from "@lineup/api/tiers";
import type { Store } from "../store/store.ts";
import { BlockQueue } from "./block-queue.ts";
import type { BlockStore } from "./block-store.ts";
import type { RequestRecord } from "./request-record.ts";
import { SteadyWriter } from "./steady-writer.ts";
import { UseCounts } from "./use-counts.ts";

/** A block is written whole each time, so where hundreds of organizations have one open, they are written less often. */
const BLOCKS_PAUSE_MS = 800;
const BLOCKS_PAUSE_MS_A_BLOCK = 3;
const BLOCKS_PAUSE_MAX_MS = 2_800;
const CLOSED_BLOCKS_WAITING_MAX = 4;
/** The store's writer is shared with requests, so many keys are written less often: to write one takes some 6 µs. */
const USE_PAUSE_MS = 900;
const USE_PAUSE_MS_A_KEY = 20;
const USE_PAUSE_MAX_MS = 15_000;
const REFUSALS_A_MINUTE = TIERS.Enterprise.perMinute;
const REFUSED_KEYS_MAX = 10_000;
const MINUTE_MS = 60_000;

export interface RecorderOptions {
  readonly store: Store;
  /** Undefined where no requests are kept, but only how many there were. */
  readonly blocks: BlockStore | undefined;
  now(): number;
  /** `what` names what cannot be written, in words for the log. */
  onFault(what: string, error: unknown): void;
  onRecovery(what: string): void;
}

export class RequestRecorder {
  /** Requests that are not in the log and will not be. */
  dropped = 0;
  readonly #now: () => number;
  readonly #use: UseCounts;
  readonly #useWriter: SteadyWriter;
  readonly #queue: BlockQueue | undefined;
  readonly #blockWriter: SteadyWriter;
  #refusals = new Map<string, number>();
  #refusalMinute = 0;

  constructor({ store, blocks, now, onFault, onRecovery }: RecorderOptions) {
    this.#now = now;
    const use = new UseCounts(store);
    const queue = blocks && new BlockQueue(blocks);
    this.#use = use;
    this.#queue = queue;
    this.#useWriter = new SteadyWriter({
      write: () => use.write(),
      pauseMs: () => pauseFor(use.keysWritten, USE_PAUSE_MS, USE_PAUSE_MS_A_KEY, USE_PAUSE_MAX_MS),
      hasMore: () => !use.isEmpty,
      onFault: (error) => onFault("how much keys are used", error),
      onRecovery: () => onRecovery("how much keys are used"),
    });
    this.#blockWriter = new SteadyWriter({
      write: async (isEarly) => {
        if (!isEarly) queue?.closeOld(now());
        await queue?.write(isEarly ? "closed" : "all");
      },
      pauseMs: () => pauseFor(queue?.blocksWritten ?? 0, BLOCKS_PAUSE_MS, BLOCKS_PAUSE_MS_A_BLOCK, BLOCKS_PAUSE_MAX_MS),
      hasMore: () => queue?.isEmpty === false,
      onFault: (error) => onFault("the request log", error),
      onRecovery: () => onRecovery("the request log"),
    });
  }

  /** Requests that are in the log. */
  get recorded(): number {
    return this.#queue?.written ?? 0;
  }

  /** How often something could not be written. */
  get faults(): number {
    return this.#useWriter.faults + this.#blockWriter.faults;
  }

  record(record: RequestRecord): void {
    try {
      const now = this.#now();
      const key = this.#use.count(record, now);
      this.#useWriter.wake();
      const queue = this.#queue;
      if (queue === undefined) return;
      if (!queue.hasRoom || (record.status === 429 && !this.#mayRecordRefusal(record.keyId, now))) {
        this.dropped++;
        return;
      }
      queue.add(record, key, now);
      this.#blockWriter.wake();
      this.#writeSooner(queue);
    } catch {
      this.dropped++;
    }
  }

  /** Writes what was recorded so far, where anything waits. */
  async writeRequests(): Promise<void> {
    if (this.#queue?.isEmpty === false) await this.#blockWriter.run();
  }

  /** And how much keys were used. */
  async flush(): Promise<void> {
    await Promise.all([this.writeRequests(), this.#useWriter.run()]);
  }

  /** Returns what could not be written, in words for the log. */
  async close(): Promise<string[]> {
    await Promise.all([this.#blockWriter.stop(), this.#useWriter.stop()]);
    await Promise.all([this.#blockWriter.run(), this.#useWriter.run()]);
    const requests = this.#queue?.countUnwritten() ?? 0;
    this.dropped += requests;
    const unwritten = requests > 0 ? [`${requests} requests of the request log`] : [];
    return this.#use.isEmpty ? unwritten : [...unwritten, "how much keys were used lately"];
  }

  /** Where that is worth it. What cannot be written is not tried again with every request. */
  #writeSooner(queue: BlockQueue): void {
    if (this.#blockWriter.isFaulty) return;
    if (queue.isHalfFull) void this.#blockWriter.run();
    else if (queue.closedBlocks >= CLOSED_BLOCKS_WAITING_MAX) this.#blockWriter.runEarly();
  }

  #mayRecordRefusal(keyId: string, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#refusalMinute) {
      this.#refusalMinute = minute;
      this.#refusals = new Map();
    }
    const refusals = this.#refusals.get(keyId) ?? 0;
    if (refusals >= REFUSALS_A_MINUTE || (refusals === 0 && this.#refusals.size >= REFUSED_KEYS_MAX)) return false;
    this.#refusals.set(keyId, refusals + 1);
    return true;
  }
}

function pauseFor(written: number, least: number, forEach: number, most: number): number {
  return Math.min(Math.max(least, written * forEach), most);
}
