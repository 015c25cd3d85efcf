/**
 * The admissions of one key within the last day, oldest first, as a ring of timestamps.
 *
 * What always holds after `advance(now)`: the ring contains exactly the admissions t with now < t + 24 h, and
 * `minuteCount` of them, the newest, also satisfy now < t + 60 s. An admission stops counting at t + window exactly. Each
 * admission is passed at most once by the minute's cursor and once by the ring's head, so that advancing costs amortized
 * constant time.
 *
 * A slot holds the low 32 bits of a monotonic time in milliseconds. Every admission in the ring is younger than two days
 * whenever it is read (the newest is kept in full, and a ring whose newest has left is emptied without a look at the rest),
 * far less than the 49 days at which 32 bits would repeat; so the age `(now - slot) mod 2^32` is exact. A full ring of a tier costs
 * 4.1 to 6.6 bytes a request (Enterprise: 131,072 slots, 512 KiB), a growing one at most 8, a key that has done little 32 bytes.
 */
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";

const SMALLEST_CAPACITY = 8;

export class AdmissionRing {
  #slots = new Uint32Array(SMALLEST_CAPACITY);
  #head = 0;
  #length = 0;
  /** How many of the oldest admissions have left the minute. */
  #pastMinute = 0;
  #newestMs = Number.NEGATIVE_INFINITY;

  /** Admissions in the day. */
  get length(): number {
    return this.#length;
  }

  get minuteCount(): number {
    return this.#length - this.#pastMinute;
  }

  /** Monotonic time of the last admission, also after it has left; -Infinity if there was none. */
  get newestMs(): number {
    return this.#newestMs;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.#newestMs >= DAY_MS;
  }

  /** Forgets what has left the windows. To be called with the present time before anything is read. */
  advance(nowMs: number): void {
    if (this.isIdle(nowMs)) {
      this.#head = 0;
      this.#length = 0;
      this.#pastMinute = 0;
    } else {
      while (this.#pastMinute < this.#length && this.ageMs(this.#pastMinute, nowMs) >= MINUTE_MS) this.#pastMinute++;
      while (this.#length > 0 && this.ageMs(0, nowMs) >= DAY_MS) {
        this.#head = (this.#head + 1) & (this.#slots.length - 1);
        this.#length--;
        this.#pastMinute--;
      }
    }
    if (this.#length * 4 <= this.#slots.length && this.#slots.length > SMALLEST_CAPACITY) this.#shrink();
  }

  /** Counts an admission; times must not decrease from one call to the next. */
  push(timeMs: number): void {
    if (this.#length === this.#slots.length) this.#resize(this.#length * 2);
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = timeMs;
    this.#length++;
    this.#newestMs = timeMs;
  }

  /** The age of an admission, counted from the oldest in the day. */
  ageMs(index: number, nowMs: number): number {
    const slot = this.#slots[(this.#head + index) & (this.#slots.length - 1)] as number;
    return (nowMs - slot) >>> 0;
  }

  /** Of all admissions, oldest first. */
  listTimes(nowMs: number): number[] {
    return Array.from({ length: this.#length }, (_, index) => nowMs - this.ageMs(index, nowMs));
  }

  /** The age of an admission, counted from the oldest within the minute. */
  minuteAgeMs(index: number, nowMs: number): number {
    return this.ageMs(this.#pastMinute + index, nowMs);
  }

  /** Leaves half the new slots free, so that neither growing nor shrinking again is near. */
  #shrink(): void {
    let capacity = SMALLEST_CAPACITY;
    while (capacity < this.#length * 2) capacity *= 2;
    this.#resize(capacity);
  }

  #resize(capacity: number): void {
    const slots = new Uint32Array(capacity);
    const end = this.#head + this.#length;
    const first = this.#slots.subarray(this.#head, Math.min(end, this.#slots.length));
    slots.set(first);
    if (end > this.#slots.length) slots.set(this.#slots.subarray(0, end - this.#slots.length), first.length);
    this.#slots = slots;
    this.#head = 0;
  }
}
