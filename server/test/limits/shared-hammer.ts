/**
 * What a worker does in the tests of the shared limits: it asks as fast as it can, for keys and addresses that all workers ask for, and writes down every
 * question with its answer in memory that outlives it. The clock is shared and moved by the workers themselves. It is read once a question,
 * under the lock, so the number that it draws there tells in which order the questions were decided.
 */

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { TIER_NAMES } from "@lineup/api/tiers";
import type { Clock } from "../../src/limits/clock.ts";
import type { SharedLimitsHandle } from "../../src/limits/shared-coordinator.ts";
import { joinSharedLimits, type SharedLimiter } from "../../src/limits/shared-limiter.ts";
import type { Verdict } from "../../src/limits/windows.ts";

export const TIME_MS = 0;
export const DECIDED = 1;
/** How many questions each worker may ask by now. */
export const ALLOWED = 2;
export const BLOCKED = 3;
export const CONTROL_WORDS = 4;
export const WALL_START_MS = Date.UTC(2026, 0, 1);

/** Words of an entry; the first entry's place holds how many there are. */
export const ENTRY_WORDS = 10;

export interface HammerOptions {
  readonly handle: SharedLimitsHandle;
  readonly worker: number;
  readonly control: Int32Array;
  readonly log: Int32Array;
  /** Then it ends. */
  readonly questions: number;
  /** Half of the questions are for the first four. */
  readonly keys: number;
  /** Of every so many questions, one is for an address. */
  readonly addressEvery: number;
  /** The clock goes on by less than one of these, now and then. */
  readonly stepsMs: readonly number[];
  /** Stops for good in the midst of a question, with what it has locked. */
  readonly isToBlock?: boolean;
}

export interface Entry {
  readonly what: string;
  readonly tier: number;
  readonly number: number;
  readonly nowMs: number;
  readonly admitted: boolean;
  /** Remaining and reset of each window. */
  readonly windows: readonly number[];
}

export class SharedManualClock implements Clock {
  readonly #control: Int32Array;
  readonly #isToBlock: boolean;
  nowMs = 0;
  number = 0;

  constructor(control: Int32Array, isToBlock = false) {
    this.#control = control;
    this.#isToBlock = isToBlock;
  }

  monotonicMs(): number {
    if (this.#isToBlock) {
      Atomics.store(this.#control, BLOCKED, 1);
      Atomics.notify(this.#control, BLOCKED);
      Atomics.wait(this.#control, BLOCKED, 1);
    }
    this.number = Atomics.add(this.#control, DECIDED, 1);
    this.nowMs = Atomics.load(this.#control, TIME_MS);
    return this.nowMs;
  }

  wallMs(): number {
    return WALL_START_MS + Atomics.load(this.#control, TIME_MS);
  }
}

export function keyName(key: number): string {
  return `key_${key}`;
}

export function addressName(address: number): string {
  return `192.0.2.${address}`;
}

export function readLog(log: Int32Array): Entry[] {
  return Array.from({ length: Atomics.load(log, 0) }, (_, index) => {
    const [isAddress, who = 0, tier = 0, number = 0, nowMs = 0, admitted, ...windows] = log.subarray(
      (index + 1) * ENTRY_WORDS,
      (index + 2) * ENTRY_WORDS,
    );
    const what = isAddress === 1 ? addressName(who) : keyName(who);
    return { what, tier, number, nowMs, admitted: admitted === 1, windows };
  });
}

function hammer(options: HammerOptions, clock: SharedManualClock, limiter: SharedLimiter): void {
  const { control, log, questions, keys, addressEvery, stepsMs } = options;
  let state = options.worker + 7;
  const below = (end: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  for (let asked = 0; asked < questions; asked++) {
    while (Atomics.load(control, ALLOWED) <= asked) Atomics.wait(control, ALLOWED, Atomics.load(control, ALLOWED), 10);
    const isAddress = below(addressEvery) === 0;
    const who = below(isAddress || below(2) === 0 ? Math.min(4, keys) : keys);
    const tier = below(10) === 0 ? below(4) : who % 4;
    const verdict = isAddress
      ? limiter.takeAddress(addressName(who))
      : limiter.take(keyName(who), TIER_NAMES[tier] ?? "Free");
    writeEntry(log, asked, [Number(isAddress), who, tier, clock.number, clock.nowMs], verdict);
    if (below(20) === 0) Atomics.add(control, TIME_MS, below(stepsMs[below(stepsMs.length)] ?? 1));
  }
}

function writeEntry(log: Int32Array, index: number, question: readonly number[], verdict: Verdict): void {
  const windows = verdict.windows.flatMap((window) => [window.remaining, window.resetInMs]);
  log.set([...question, Number(verdict.admitted), ...windows], (index + 1) * ENTRY_WORDS);
  Atomics.store(log, 0, index + 1);
}

if (!isMainThread && workerData?.isHammer) {
  const options: HammerOptions = workerData.options;
  const clock = new SharedManualClock(options.control, options.isToBlock);
  const limiter = joinSharedLimits(options.handle, options.worker, { clock });
  parentPort?.postMessage("ready");
  hammer(options, clock, limiter);
}
