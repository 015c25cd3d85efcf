/**
 * Writes what is pending every so often, a slice at a time, so that what has come in meanwhile is served between two of them, and
 * between two such passes lets settle what they have written, in slices too.
 *
 * What always holds: one pass at a time, and none waits for what is settled. What comes just behind its slice waits for the next pass and that pass's own length, so the
 * longer a pass takes, the sooner the next begins, and slices grow once it takes long: within a second all is written, for as long as the disk keeps up.
 * Settling goes on where it was after each pass, and if there is no time between two of them, with one slice.
 */
const WRITTEN_WITHIN_MS = 900;
/** The first slices, of either, take a few tenths of a millisecond, which nobody notices who waits for one of them. */
const KEYS_MIN = 512;
export const KEYS_MAX = 8_192;
const DOUBLED_EVERY_MS = 25;
const SETTLED_MIN = 8;
export const SETTLED_MAX = 1_024;
const SETTLED_DOUBLED_EVERY_MS = 1_000;

export interface FlushTimerOptions {
  readonly everyMs: number;
  /** Writes some of what is pending; says whether more is. */
  readonly flushSlice: (slice: Slice) => boolean;
  /** Settles some of what is written, if it is time; says whether there is more to settle. */
  readonly settleSlice: (keysMax: number) => boolean;
  /** Hears of the first failure of a streak; the next time tries again. */
  readonly onError: (error: unknown) => void;
}

export interface Slice {
  readonly isFirst: boolean;
  /** More, the longer the pass has taken so far. */
  readonly keysMax: number;
}

export class FlushTimer {
  readonly #options: FlushTimerOptions;
  #timer: NodeJS.Timeout | undefined;
  #passBeganAt = 0;
  #nextPassAt = 0;
  /** Undefined while there is nothing to settle. */
  #settlingBeganAt: number | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(options: FlushTimerOptions) {
    this.#options = options;
    this.#beginLater(options.everyMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #beginNext(): void {
    this.#beginLater(Math.max(0, this.#nextPassAt - performance.now()));
  }

  #beginLater(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#passBeganAt = performance.now();
      this.#flushInSlices(true);
    }, waitMs).unref();
  }

  #flushInSlices(isFirst: boolean): void {
    this.#try(() => {
      const keysMax = keysAfter(performance.now() - this.#passBeganAt);
      if (this.#options.flushSlice({ isFirst, keysMax })) return () => this.#flushInSlices(false);
      this.#planNext();
      return () => this.#settleInSlices();
    });
  }

  #settleInSlices(): void {
    this.#try(() => {
      const nowMs = performance.now();
      this.#settlingBeganAt ??= nowMs;
      const isMore = this.#options.settleSlice(settledAfter(nowMs - this.#settlingBeganAt));
      if (!isMore) this.#settlingBeganAt = undefined;
      else if (performance.now() < this.#nextPassAt) return () => this.#settleInSlices();
      this.#isFailing = false;
      this.#beginNext();
      return undefined;
    });
  }

  /** Does a slice, and later what that returns. */
  #try(slice: () => (() => void) | undefined): void {
    if (this.#isStopped) return;
    try {
      const next = slice();
      if (next !== undefined) setImmediate(next);
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
      this.#planNext();
      this.#beginNext();
    }
  }

  #planNext(): void {
    const nowMs = performance.now();
    this.#nextPassAt = nowMs + waitAfter(nowMs - this.#passBeganAt, this.#options.everyMs);
  }
}

/** How many keys the next slice of a pass writes that has taken so long. */
export function keysAfter(passMs: number): number {
  return Math.min(KEYS_MAX, KEYS_MIN * 2 ** Math.floor(passMs / DOUBLED_EVERY_MS));
}

/** How many keys are settled at once when it has taken so long. */
export function settledAfter(settlingMs: number): number {
  return Math.min(SETTLED_MAX, SETTLED_MIN * 2 ** Math.floor(settlingMs / SETTLED_DOUBLED_EVERY_MS));
}

/** From the end of a pass to the beginning of the next. */
export function waitAfter(passMs: number, everyMs: number): number {
  return Math.max(0, Math.min(everyMs - passMs, WRITTEN_WITHIN_MS - 3 * passMs));
}
