/**
 * Writes what is pending every so often, a slice at a time, so that what has come in meanwhile is served between two of them.
 *
 * What always holds: one pass at a time. What comes just behind its slice waits for the next pass and that pass's own length, so the longer a pass
 * takes, the sooner the next begins, and slices grow once it takes long: within a second all is written, for as long as the disk keeps up.
 */
const WRITTEN_WITHIN_MS = 900;
/** The first slices take a few tenths of a millisecond, which nobody notices who waits for one of them. */
const KEYS_MIN = 32;
export const KEYS_MAX = 2_048;
const DOUBLED_EVERY_MS = 25;

export interface FlushTimerOptions {
  readonly everyMs: number;
  /** Writes some of what is pending; says whether more is. */
  readonly flushSlice: (slice: Slice) => boolean;
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

  #beginLater(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#passBeganAt = performance.now();
      this.#flushInSlices(true);
    }, waitMs).unref();
  }

  #flushInSlices(isFirst: boolean): void {
    if (this.#isStopped) return;
    try {
      const keysMax = keysAfter(performance.now() - this.#passBeganAt);
      const isMore = this.#options.flushSlice({ isFirst, keysMax });
      this.#isFailing = false;
      if (isMore) return void setImmediate(() => this.#flushInSlices(false));
    } catch (error) {
      if (!this.#isFailing) this.#options.onError(error);
      this.#isFailing = true;
    }
    const passMs = performance.now() - this.#passBeganAt;
    this.#beginLater(waitAfter(passMs, this.#options.everyMs));
  }
}

/** How many keys the next slice of a pass writes that has taken so long. */
export function keysAfter(passMs: number): number {
  return Math.min(KEYS_MAX, KEYS_MIN * 2 ** Math.floor(passMs / DOUBLED_EVERY_MS));
}

/** From the end of a pass to the beginning of the next. */
export function waitAfter(passMs: number, everyMs: number): number {
  return Math.max(0, Math.min(everyMs - passMs, WRITTEN_WITHIN_MS - 3 * passMs));
}
