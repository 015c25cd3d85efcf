/**
 * The requests that wait for Redis, under one deadline: when the oldest has waited too long and nothing has come from Redis of late,
 * none waits any longer. While answers do come, there is only a queue, and it is given three times as long.
 *
 * What always holds: who waits hears exactly once, Redis's answer or that Redis is given up on. Time is counted in ticks between which
 * the network is read, so that a busy event loop, behind which answers lie unread, is not taken for a silent Redis; and ticks that come
 * late are not counted, a few of them at most, because where this process is short of a processor, Redis may be as well.
 */
import { setTimeout as sleep } from "node:timers/promises";

const TICKS = 3;
/** For a queue that moves. */
const QUEUE_TICKS = 3 * TICKS;
/** Without an answer for this long, Redis is silent. */
const SILENT_TICKS = 2;
const MOST_UNCOUNTED = 8;

export class CallsInFlight {
  readonly #tickMs: number;
  readonly #onFailure: (error: Error) => void;
  /** In the order they were sent. */
  readonly #waiting = new Set<{ readonly sinceTick: number; giveUp(): void }>();
  readonly #unanswered = new Set<Promise<unknown>>();
  #tick = 0;
  #answeredAtTick = 0;
  #tickDueMs = 0;
  #uncounted = 0;
  #timer: NodeJS.Timeout | undefined;

  /** A failure may be a reason to give up on Redis, and so to call `giveUpAll`. */
  constructor(deadlineMs: number, onFailure: (error: Error) => void) {
    this.#tickMs = deadlineMs / TICKS;
    this.#onFailure = onFailure;
  }

  /** The answer, or undefined where Redis failed or was given up on before it came. */
  wait<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const waiting = { sinceTick: this.#tick, giveUp: () => resolve(undefined) };
    this.#waiting.add(waiting);
    this.#unanswered.add(answer);
    this.#timer ??= this.#tickLater();
    answer.then(
      (heard) => {
        this.#settle(answer);
        this.#waiting.delete(waiting);
        resolve(heard);
      },
      (error: Error) => {
        this.#settle(answer);
        if (this.#waiting.delete(waiting)) this.#onFailure(error);
        resolve(undefined);
      },
    );
    return promise;
  }

  /** None waits any longer. */
  giveUpAll(): void {
    for (const { giveUp } of this.#waiting) giveUp();
    this.#waiting.clear();
  }

  /** Settles when all calls are answered, or after a time. */
  async becomeQuiet(withinMs: number): Promise<void> {
    if (this.#unanswered.size > 0) await Promise.race([Promise.allSettled(this.#unanswered), sleep(withinMs)]);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #settle(answer: Promise<unknown>): void {
    this.#answeredAtTick = this.#tick;
    this.#uncounted = 0;
    this.#unanswered.delete(answer);
  }

  #tickLater(): NodeJS.Timeout {
    // Between a timer and what follows it comes what the network has brought.
    this.#tickDueMs = performance.now() + this.#tickMs;
    return setTimeout(() => setImmediate(() => this.#look()), this.#tickMs);
  }

  #look(): void {
    this.#timer = undefined;
    const isLate = performance.now() - this.#tickDueMs > this.#tickMs / 2;
    if (isLate && this.#uncounted < MOST_UNCOUNTED) this.#uncounted++;
    else this.#tick++;
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    const isSilent = this.#tick - this.#answeredAtTick >= SILENT_TICKS;
    if (this.#tick - oldest.sinceTick >= (isSilent ? TICKS : QUEUE_TICKS)) {
      this.#onFailure(new Error(`Redis has not answered within ${Math.round(this.#tickMs * TICKS)} ms`));
    } else this.#timer = this.#tickLater();
  }
}
