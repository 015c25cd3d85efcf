/**
 * One clock for all connections on which nothing is under way. Node would set one for each and put it off with everything that comes or
 * goes, which costs more than to look at all of them now and then.
 *
 * What always holds: nobody is told of before it was quiet for the whole time, and everybody at most two ticks after it. While nobody is
 * watched, no clock runs.
 */
const TICK_MAX_MS = 1_000;

export interface Watched {
  /** The watch's `now` when something last came or went; undefined while something is under way. */
  readonly quietSince: number | undefined;
  /** It has been quiet for too long. */
  onQuiet(): void;
}

export class QuietWatch {
  /** Counts the ticks. */
  now = 0;
  readonly #watched = new Set<Watched>();
  readonly #tickMs: number;
  readonly #ticks: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(quietMs: number) {
    this.#tickMs = Math.min(TICK_MAX_MS, quietMs);
    // What came just before a tick is one tick old right after it.
    this.#ticks = Math.ceil(quietMs / this.#tickMs) + 1;
  }

  add(one: Watched): void {
    this.#watched.add(one);
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref();
  }

  delete(one: Watched): void {
    this.#watched.delete(one);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    this.now++;
    for (const one of this.#watched) {
      if (one.quietSince !== undefined && this.now - one.quietSince >= this.#ticks) one.onQuiet();
    }
  }
}
