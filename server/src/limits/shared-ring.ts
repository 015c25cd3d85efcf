/**
 * The admissions of one key in shared memory, as one thread works on them: a ring like that of ring.ts, in pages. The admissions of a key are numbered;
 * those of one page are those of one chunk of the journal.
 *
 * What always holds: a record has two states and a word that says which one counts. A change is written to the other, and takes hold when that
 * word is written. So a thread that dies at any moment leaves the key as it was before or as it was to be, and an admission is counted
 * whole or not at all. What stands in the pages before or after the admissions of the state is never read.
 *
 * Everything here is done with the record locked, and nothing of it allocates: a collection of garbage would hold up the other threads.
 */
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import type { SharedKeys } from "./shared-keys.ts";
import {
  CURRENT,
  HEAD_PAGE,
  LENGTH,
  MINUTE_PAGE,
  NEWEST_MS,
  NEXT_NUMBER,
  PAST_MINUTE,
  RECORD_WORDS,
  type SharedMemory,
  SLOTS_PER_PAGE,
  STATE_WORDS,
  STATES,
  TAIL_PAGE,
} from "./shared-memory.ts";

const LAST_SLOT = SLOTS_PER_PAGE - 1;

export class SharedRing {
  readonly #memory: SharedMemory;
  readonly #keys: SharedKeys;
  #at = 0;
  #headPage = 0;
  #minutePage = 0;
  #tailPage = 0;
  #pastMinute = 0;
  /** As the record has them. */
  #keptHeadPage = 0;
  #keptPastMinute = 0;
  #keptLength = 0;
  /** Where `#pass` has got to. */
  #passedPage = 0;
  /** Admissions in the day. */
  length = 0;
  /** Monotonic time of the last admission; -Infinity if there was none. */
  newestMs = 0;
  nextNumber = 0;

  constructor(memory: SharedMemory, keys: SharedKeys) {
    this.#memory = memory;
    this.#keys = keys;
  }

  get minuteCount(): number {
    return this.length - this.#pastMinute;
  }

  /** The number of the oldest admission in the day. */
  get firstNumber(): number {
    return this.nextNumber - this.length;
  }

  /** Reads a record. */
  open(record: number): void {
    this.#memory.follow();
    const { words, floats } = this.#memory;
    this.#at = record * RECORD_WORDS;
    const state = this.#at + STATES + (words[this.#at + CURRENT] as number) * STATE_WORDS;
    this.newestMs = floats[(state + NEWEST_MS) / 2] as number;
    this.nextNumber = floats[(state + NEXT_NUMBER) / 2] as number;
    this.length = this.#keptLength = words[state + LENGTH] as number;
    this.#pastMinute = this.#keptPastMinute = words[state + PAST_MINUTE] as number;
    this.#headPage = this.#keptHeadPage = words[state + HEAD_PAGE] as number;
    this.#minutePage = words[state + MINUTE_PAGE] as number;
    this.#tailPage = words[state + TAIL_PAGE] as number;
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.newestMs >= DAY_MS;
  }

  /** Leaves out what has left the windows, here and not yet in the record. */
  advance(nowMs: number): void {
    if (this.isIdle(nowMs)) {
      this.#headPage = this.#tailPage;
      this.#minutePage = this.#tailPage;
      this.length = 0;
      this.#pastMinute = 0;
      return;
    }
    const first = this.firstNumber;
    const minute = this.#pass(MINUTE_MS, first + this.#pastMinute, this.#minutePage, nowMs);
    this.#minutePage = this.#passedPage;
    const head = this.#pass(DAY_MS, first, this.#headPage, nowMs);
    this.#headPage = this.#passedPage;
    this.#pastMinute = minute - head;
    this.length = this.nextNumber - head;
  }

  /** Writes down how far the windows have advanced, so that the next need not pass the same again. */
  keepAdvance(): void {
    if (this.#headPage !== this.#keptHeadPage) this.#keepAndRelease();
    else if (this.#pastMinute !== this.#keptPastMinute || this.length !== this.#keptLength) this.#keep();
  }

  /** Counts an admission, after `advance`; times must not decrease. Throws, and counts nothing, where no page is left. */
  push(timeMs: number): void {
    if (this.#headPage !== this.#keptHeadPage) this.#keepAndRelease();
    // Where nothing counts any more, what stands in the last page is written over.
    if ((this.nextNumber & LAST_SLOT) === 0 && this.length > 0) this.#pushToNewPage(timeMs);
    else this.#push(timeMs);
  }

  /** The age of an admission, counted from the oldest in the day. */
  ageMs(index: number, nowMs: number): number {
    const number = this.firstNumber + index;
    const page = this.#pageOf(number);
    return this.#ageMs(page, number & LAST_SLOT, nowMs);
  }

  /** The age of an admission, counted from the oldest within the minute. */
  minuteAgeMs(index: number, nowMs: number): number {
    return this.ageMs(this.#pastMinute + index, nowMs);
  }

  /** Copies the slots of the admissions from a number on. */
  copyFrom(number: number, target: Uint32Array): void {
    const { slots, links } = this.#memory;
    let page = this.#pageOf(number);
    for (let from = number; from < this.nextNumber; ) {
      const count = Math.min(SLOTS_PER_PAGE - (from & LAST_SLOT), this.nextNumber - from);
      const start = page * SLOTS_PER_PAGE + (from & LAST_SLOT);
      for (let index = 0; index < count; index++) target[from - number + index] = slots[start + index] as number;
      from += count;
      page = links[page] as number;
    }
  }

  #ageMs(page: number, slot: number, nowMs: number): number {
    return (nowMs - (this.#memory.slots[page * SLOTS_PER_PAGE + slot] as number)) >>> 0;
  }

  /** The first number from the given one on that is younger than a window; whole pages at once. */
  #pass(windowMs: number, from: number, fromPage: number, nowMs: number): number {
    let number = from;
    let page = fromPage;
    while (number < this.nextNumber) {
      const slot = number & LAST_SLOT;
      if (page !== this.#tailPage && this.#ageMs(page, LAST_SLOT, nowMs) >= windowMs) {
        number += SLOTS_PER_PAGE - slot;
        page = this.#memory.links[page] as number;
      } else if (this.#ageMs(page, slot, nowMs) >= windowMs) {
        // The last of a page that is not the last page is passed above.
        number++;
      } else break;
    }
    this.#passedPage = page;
    return number;
  }

  /** Pages away from the minute's are rarely asked for: where a tier was lowered, and by the journal after a failure. */
  #pageOf(number: number): number {
    const minuteNumber = this.firstNumber + this.#pastMinute;
    const isWithinMinute = number >= minuteNumber;
    let page = isWithinMinute ? this.#minutePage : this.#headPage;
    let left = chunkOf(number) - chunkOf(isWithinMinute ? minuteNumber : this.firstNumber);
    for (; left > 0; left--) page = this.#memory.links[page] as number;
    return page;
  }

  #push(timeMs: number): void {
    this.#memory.slots[this.#tailPage * SLOTS_PER_PAGE + (this.nextNumber & LAST_SLOT)] = timeMs;
    this.length++;
    this.nextNumber++;
    this.newestMs = timeMs;
    this.#keep();
  }

  #pushToNewPage(timeMs: number): void {
    this.#keys.lock();
    try {
      const page = this.#keys.takePage();
      this.#memory.links[this.#tailPage] = page;
      if (this.#pastMinute === this.length) this.#minutePage = page;
      this.#tailPage = page;
      this.#push(timeMs);
    } finally {
      this.#keys.unlock();
    }
  }

  /** The pages that were passed are free only after the record has let go of them, and both under one lock. */
  #keepAndRelease(): void {
    this.#keys.lock();
    try {
      const first = this.#keptHeadPage;
      let last = first;
      while (this.#memory.links[last] !== this.#headPage) last = this.#memory.links[last] as number;
      this.#keep();
      this.#keys.releasePages(first, last);
    } finally {
      this.#keys.unlock();
    }
  }

  #keep(): void {
    const { words, floats } = this.#memory;
    const other = 1 - (words[this.#at + CURRENT] as number);
    const state = this.#at + STATES + other * STATE_WORDS;
    floats[(state + NEWEST_MS) / 2] = this.newestMs;
    floats[(state + NEXT_NUMBER) / 2] = this.nextNumber;
    words[state + LENGTH] = this.length;
    words[state + PAST_MINUTE] = this.#pastMinute;
    words[state + HEAD_PAGE] = this.#headPage;
    words[state + MINUTE_PAGE] = this.#minutePage;
    words[state + TAIL_PAGE] = this.#tailPage;
    words[this.#at + CURRENT] = other;
    this.#keptHeadPage = this.#headPage;
    this.#keptPastMinute = this.#pastMinute;
    this.#keptLength = this.length;
  }
}

function chunkOf(number: number): number {
  return Math.floor(number / SLOTS_PER_PAGE);
}
