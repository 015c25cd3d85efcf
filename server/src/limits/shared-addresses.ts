/**
 * The windows of client addresses, for requests without a valid key, in memory that threads share, under one lock for all of them. A window
 * has a ring of 64 slots, for 60 are the most that count.
 *
 * What always holds: at most `maxAddresses` windows are kept. They are linked in the order of their last admission, so that
 * those with nothing left to count are always the first, and after them comes the least recently used. A few of the empty
 * ones are dropped with every request; a newcomer that finds no place takes that of the first. Addresses are not remembered
 * across restarts.
 *
 * A thread that dies under the lock leaves every window as it was or with one admission more, for first and length of its ring are one
 * word, which is written last. The places of the windows are then linked anew.
 */
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS } from "@lineup/api/tiers";
import { addressBucket } from "./address-bucket.ts";
import type { Clock } from "./clock.ts";
import { type HashKey, hashText } from "./keyed-hash.ts";
import {
  AddressPlaces,
  NEWEST_MS,
  RING,
  RING_SLOTS,
  type SharedAddressesHandle,
  SLOTS,
} from "./shared-address-places.ts";
import { acquireLock, releaseLock } from "./shared-lock.ts";
import { ADDRESS_COUNT, ADDRESS_LOCK } from "./shared-memory.ts";
import { addressVerdict, type Verdict } from "./windows.ts";

const DROPPED_PER_REQUEST = 2;

export class SharedAddresses {
  readonly #places: AddressPlaces;
  readonly #slots: Uint32Array;
  readonly #hashKey: HashKey;
  readonly #clock: Clock;
  readonly #owner: number;
  readonly #patienceMs: number;
  /** What the last request found: kept here, so that nothing is allocated under the lock. */
  #count = 0;
  #oldestAgeMs = 0;

  constructor(handle: SharedAddressesHandle, clock: Clock, owner: number, patienceMs: number) {
    this.#places = new AddressPlaces(handle);
    this.#slots = new Uint32Array(handle.addresses);
    this.#hashKey = handle.hashKey;
    this.#clock = clock;
    this.#owner = owner;
    this.#patienceMs = patienceMs;
  }

  get count(): number {
    return Atomics.load(this.#places.header, ADDRESS_COUNT);
  }

  take(address: string): Verdict {
    const bucket = addressBucket(address);
    const hash = hashText(bucket, this.#hashKey);
    let admitted: boolean;
    this.#lock();
    try {
      const nowMs = this.#nowMs();
      this.#dropSome(nowMs);
      const at = this.#places.find(bucket, hash) ?? this.#places.add(bucket, hash);
      this.#advance(at, nowMs);
      admitted = this.#lengthOf(at) < ADDRESS_LIMIT_PER_MINUTE;
      if (admitted) {
        this.#push(at, nowMs);
        this.#places.moveToNewest(at);
      }
      this.#read(at, nowMs);
    } finally {
      this.#unlock();
    }
    return this.#verdict(admitted);
  }

  peek(address: string): Verdict {
    const bucket = addressBucket(address);
    const hash = hashText(bucket, this.#hashKey);
    this.#lock();
    try {
      const nowMs = this.#nowMs();
      const at = this.#places.find(bucket, hash);
      if (at !== undefined) this.#advance(at, nowMs);
      this.#read(at, nowMs);
    } finally {
      this.#unlock();
    }
    return this.#verdict(this.#count < ADDRESS_LIMIT_PER_MINUTE);
  }

  /** With the lock held, after a thread has died under it. */
  rebuild(): void {
    this.#places.rebuild();
  }

  #lock(): void {
    acquireLock(this.#places.header, ADDRESS_LOCK, this.#owner, this.#patienceMs);
  }

  #unlock(): void {
    releaseLock(this.#places.header, ADDRESS_LOCK);
  }

  /** Never before the last admission of all, so that they are in order whatever threads they came to. */
  #nowMs(): number {
    const nowMs = this.#clock.monotonicMs();
    const { newest } = this.#places;
    return newest === undefined ? nowMs : Math.max(nowMs, this.#newestMs(newest));
  }

  #verdict(admitted: boolean): Verdict {
    return addressVerdict(admitted, { count: this.#count, decisiveAgeMs: this.#oldestAgeMs }, this.#clock.wallMs());
  }

  #read(at: number | undefined, nowMs: number): void {
    this.#count = at === undefined ? 0 : this.#lengthOf(at);
    this.#oldestAgeMs = at === undefined || this.#count === 0 ? 0 : this.#oldestAge(at, nowMs);
  }

  #dropSome(nowMs: number): void {
    for (let left = DROPPED_PER_REQUEST; left > 0; left--) {
      const { oldest } = this.#places;
      if (oldest === undefined || nowMs - this.#newestMs(oldest) < MINUTE_MS) return;
      this.#places.drop(oldest);
    }
  }

  #newestMs(at: number): number {
    return this.#places.floats[(at + NEWEST_MS) / 2] as number;
  }

  #ringOf(at: number): number {
    return this.#places.words[at + RING] as number;
  }

  #lengthOf(at: number): number {
    return this.#ringOf(at) & 0xff;
  }

  #oldestAge(at: number, nowMs: number): number {
    return (nowMs - (this.#slots[at + SLOTS + (this.#ringOf(at) >> 8)] as number)) >>> 0;
  }

  #advance(at: number, nowMs: number): void {
    if (nowMs - this.#newestMs(at) >= MINUTE_MS) this.#places.words[at + RING] = 0;
    while (this.#lengthOf(at) > 0 && this.#oldestAge(at, nowMs) >= MINUTE_MS) {
      const first = ((this.#ringOf(at) >> 8) + 1) & (RING_SLOTS - 1);
      this.#places.words[at + RING] = (first << 8) | (this.#lengthOf(at) - 1);
    }
  }

  /** The time of the newest comes before the count: one too late only keeps a window for longer than it would have to. */
  #push(at: number, timeMs: number): void {
    const ring = this.#ringOf(at);
    this.#slots[at + SLOTS + (((ring >> 8) + (ring & 0xff)) & (RING_SLOTS - 1))] = timeMs;
    this.#places.floats[(at + NEWEST_MS) / 2] = timeMs;
    this.#places.words[at + RING] = ring + 1;
  }
}
