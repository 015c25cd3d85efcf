/**
 * The requests that wait for Redis, under one deadline: when the oldest has waited too long and nothing has come from Redis of late,
 * nobody waits any longer. While answers do come, there is only a queue, and it is given three times as long.
 *
 * What always holds: every call is decided exactly once, by Redis's answer or, when Redis is given up on, alone. A call that was decided
 * alone is still listened for, because its answer says whether Redis has counted it too. Time is counted in ticks between which
 * the network is read, so that a busy event loop, behind which answers lie unread, is not taken for a silent Redis; and ticks that come
 * late are not counted, a few of them at most, for where this process is short of a processor, Redis may be as well.
 */
export interface Call {
  readonly sentAtTick: number;
  isDecided: boolean;
  isAnswered: boolean;
  decideAlone(): void;
}

const TICKS = 3;
/** For a queue that moves. */
const QUEUE_TICKS = 3 * TICKS;
/** Without an answer for this long, Redis is silent. */
const SILENT_TICKS = 2;
const MOST_UNCOUNTED = 8;

export class CallsInFlight {
  readonly #tickMs: number;
  readonly #onLate: () => void;
  /** In the order they were sent; those that are decided are passed over. */
  #calls: Call[] = [];
  #first = 0;
  #unanswered = 0;
  #tick = 0;
  #answeredAtTick = 0;
  #tickDueMs = 0;
  #uncounted = 0;
  #timer: NodeJS.Timeout | undefined;
  #whenQuiet: (() => void) | undefined;

  constructor(deadlineMs: number, onLate: () => void) {
    this.#tickMs = deadlineMs / TICKS;
    this.#onLate = onLate;
  }

  add(decideAlone: () => void): Call {
    const call = { sentAtTick: this.#tick, isDecided: false, isAnswered: false, decideAlone };
    this.#calls.push(call);
    this.#unanswered++;
    this.#timer ??= this.#tickLater();
    return call;
  }

  /** To be called once for every call, with the answer or the failure. Says whether it was in time. */
  settle(call: Call): boolean {
    const isInTime = !call.isDecided;
    call.isDecided = true;
    call.isAnswered = true;
    this.#answeredAtTick = this.#tick;
    this.#uncounted = 0;
    this.#unanswered--;
    if (this.#unanswered === 0) {
      this.#calls = [];
      this.#first = 0;
      this.#whenQuiet?.();
    }
    return isInTime;
  }

  /** Nobody waits any longer. */
  decideAll(): void {
    for (const call of this.#calls.slice(this.#first)) {
      if (call.isDecided) continue;
      call.isDecided = true;
      call.decideAlone();
    }
  }

  /** Settles when all calls are answered, or after a time. */
  async becomeQuiet(withinMs: number): Promise<void> {
    if (this.#unanswered === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#whenQuiet = resolve;
    await promise;
    clearTimeout(timer);
    this.#whenQuiet = undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
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
    const oldest = this.#findOldest();
    if (oldest === undefined) return;
    const waited = this.#tick - oldest.sentAtTick;
    const isSilent = this.#tick - this.#answeredAtTick >= SILENT_TICKS;
    if (waited >= (isSilent ? TICKS : QUEUE_TICKS)) this.#onLate();
    else this.#timer = this.#tickLater();
  }

  /** The oldest call that somebody waits for. */
  #findOldest(): Call | undefined {
    while (this.#first < this.#calls.length && this.#calls[this.#first]?.isDecided) this.#first++;
    if (this.#first > 1_024) {
      this.#calls = this.#calls.filter((call, index) => index >= this.#first && !call.isAnswered);
      this.#first = 0;
    }
    return this.#calls[this.#first];
  }
}
