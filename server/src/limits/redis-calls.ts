/**
 * The requests that wait for Redis, under one deadline: when the oldest has waited too long and nothing has come from Redis of late,
 * none waits any longer. While answers do come, there is only a queue, and it is given three times as long.
 *
 * What always holds: every call is decided exactly once, by Redis's answer or, when Redis is given up on, alone. The answer to a call that was
 * decided alone is still listened for, because it says whether Redis has counted the request too. Time is counted in ticks between which
 * the network is read, so that a busy event loop, behind which answers lie unread, is not taken for a silent Redis; and ticks that come
 * late are not counted, a few of them at most, because where this process is short of a processor, Redis may be as well.
 */
const TICKS = 3;
/** For a queue that moves. */
const QUEUE_TICKS = 3 * TICKS;
/** Without an answer for this long, Redis is silent. */
const SILENT_TICKS = 2;
const MOST_UNCOUNTED = 8;

interface CallHandlers<Answer, Result> {
  /** Makes the result of an answer that came in time. */
  hear(answer: Answer): Result;
  alone(): Result;
  /** After `alone`: with the answer, or undefined where there will be none. */
  late(answer: Answer | undefined): void;
}

export class CallsInFlight {
  readonly #tickMs: number;
  readonly #onFailure: (error: Error) => void;
  /** In the order they were sent. */
  readonly #waiting = new Set<{ readonly sinceTick: number; decideAlone(): void }>();
  #unanswered = 0;
  #tick = 0;
  #answeredAtTick = 0;
  #tickDueMs = 0;
  #uncounted = 0;
  #timer: NodeJS.Timeout | undefined;
  #whenQuiet: (() => void) | undefined;

  /** A failure may be a reason to give up on Redis, and so to call `decideAll`. */
  constructor(deadlineMs: number, onFailure: (error: Error) => void) {
    this.#tickMs = deadlineMs / TICKS;
    this.#onFailure = onFailure;
  }

  wait<Answer, Result>(answer: Promise<Answer>, handlers: CallHandlers<Answer, Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    const waiting = {
      sinceTick: this.#tick,
      decideAlone: () => {
        if (this.#waiting.delete(waiting)) resolve(handlers.alone());
      },
    };
    this.#waiting.add(waiting);
    this.#unanswered++;
    this.#timer ??= this.#tickLater();
    answer.then(
      (heard) => {
        this.#settle();
        if (this.#waiting.delete(waiting)) resolve(handlers.hear(heard));
        else handlers.late(heard);
      },
      (error: Error) => {
        this.#settle();
        if (this.#waiting.has(waiting)) this.#onFailure(error);
        waiting.decideAlone();
        handlers.late(undefined);
      },
    );
    return promise;
  }

  /** None waits any longer. */
  decideAll(): void {
    for (const waiting of this.#waiting) waiting.decideAlone();
  }

  /** Settles when all calls are answered, or after a time. */
  async becomeQuiet(withinMs: number): Promise<void> {
    if (this.#unanswered === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#whenQuiet = resolve;
    await promise;
    clearTimeout(timer);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #settle(): void {
    this.#answeredAtTick = this.#tick;
    this.#uncounted = 0;
    this.#unanswered--;
    if (this.#unanswered === 0) this.#whenQuiet?.();
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
