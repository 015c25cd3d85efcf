/**
 * Where the windows of addresses stand in shared memory: places of fixed size, a table to find them by name, and links in the
 * order of their last admission. All of it is done under the lock of the addresses.
 *
 * A place is a window's from the moment its first word is 1 until the moment it is 0; all else can be made from that, and is,
 * when a thread has died under the lock.
 */
import type { HashKey } from "./keyed-hash.ts";
import { ADDRESS_COUNT, ADDRESSES_MADE, FREE_ADDRESS, NEWEST_ADDRESS, OLDEST_ADDRESS } from "./shared-memory.ts";
import { isSameName, writeName } from "./shared-names.ts";

export const RING_SLOTS = 64;

/** Words of a place. References are to the number of a place and 1; 0 is none. */
const IS_USED = 0;
const HASH = 1;
/** The next of the bucket, or of the free places. */
const NEXT = 2;
const OLDER = 3;
const NEWER = 4;
/** The ring's first slot, times 256, and how many count. */
export const RING = 5;
export const NEWEST_MS = 6;
const NAME_LENGTH = 8;
const NAME = 9;
export const SLOTS = 16;
/** The longest name, that of a /64, has 24 characters. */
const NAME_MAX = (SLOTS - NAME) * 4;
const PLACE_WORDS = SLOTS + RING_SLOTS;

export interface SharedAddressesHandle {
  readonly header: SharedArrayBuffer;
  readonly addresses: SharedArrayBuffer;
  readonly addressBuckets: SharedArrayBuffer;
  readonly maxAddresses: number;
  readonly hashKey: HashKey;
}

export function reserveAddresses(maxAddresses: number) {
  return {
    addresses: new SharedArrayBuffer(maxAddresses * PLACE_WORDS * 4),
    addressBuckets: new SharedArrayBuffer(2 ** Math.ceil(Math.log2(maxAddresses)) * 4),
    maxAddresses,
  };
}

/** A place is named by where its words begin. */
export class AddressPlaces {
  readonly header: Int32Array;
  readonly words: Int32Array;
  readonly floats: Float64Array;
  readonly #bytes: Uint8Array;
  readonly #buckets: Int32Array;
  readonly #maxAddresses: number;

  constructor(handle: SharedAddressesHandle) {
    this.header = new Int32Array(handle.header);
    this.words = new Int32Array(handle.addresses);
    this.floats = new Float64Array(handle.addresses);
    this.#bytes = new Uint8Array(handle.addresses);
    this.#buckets = new Int32Array(handle.addressBuckets);
    this.#maxAddresses = handle.maxAddresses;
  }

  get oldest(): number | undefined {
    return placeOf(this.header[OLDEST_ADDRESS] as number);
  }

  get newest(): number | undefined {
    return placeOf(this.header[NEWEST_ADDRESS] as number);
  }

  find(name: string, hash: number): number | undefined {
    let at = placeOf(this.#buckets[this.#bucketOf(hash)] as number);
    while (at !== undefined) {
      const isHere =
        this.words[at + HASH] === hash &&
        this.words[at + NAME_LENGTH] === name.length &&
        isSameName(this.#bytes, (at + NAME) * 4, name);
      if (isHere) return at;
      at = placeOf(this.words[at + NEXT] as number);
    }
    return undefined;
  }

  /** A window in which nothing counts; where there is no place for it, it gets that of the oldest. */
  add(name: string, hash: number): number {
    if (name.length > NAME_MAX) throw new Error(`A window's name has at most ${NAME_MAX} characters.`);
    const { oldest } = this;
    if (oldest !== undefined && (this.header[ADDRESS_COUNT] as number) >= this.#maxAddresses) this.drop(oldest);
    const at = this.#takePlace();
    this.words[at + HASH] = hash;
    this.words[at + NAME_LENGTH] = name.length;
    writeName(this.#bytes, (at + NAME) * 4, name);
    this.words[at + RING] = 0;
    this.floats[(at + NEWEST_MS) / 2] = Number.NEGATIVE_INFINITY;
    this.words[at + IS_USED] = 1;
    this.#linkToBucket(at);
    this.#linkAsNewest(at);
    this.#count(1);
    return at;
  }

  drop(at: number): void {
    this.words[at + IS_USED] = 0;
    this.#unlinkFromBucket(at);
    this.#unlink(at);
    this.#addFree(at);
    this.#count(-1);
  }

  moveToNewest(at: number): void {
    this.#unlink(at);
    this.#linkAsNewest(at);
  }

  /** After a thread has died under the lock. */
  rebuild(): void {
    const used: number[] = [];
    for (const list of [FREE_ADDRESS, OLDEST_ADDRESS, NEWEST_ADDRESS]) this.header[list] = 0;
    this.#buckets.fill(0);
    for (let number = 0; number < (this.header[ADDRESSES_MADE] as number); number++) {
      const at = number * PLACE_WORDS;
      if (this.words[at + IS_USED] === 1) used.push(at);
      else this.#addFree(at);
    }
    const newestMs = (at: number) => this.floats[(at + NEWEST_MS) / 2] as number;
    used.sort((one, other) => newestMs(one) - newestMs(other) || one - other);
    for (const at of used) {
      this.#linkToBucket(at);
      this.#linkAsNewest(at);
    }
    this.header[ADDRESS_COUNT] = used.length;
  }

  #bucketOf(hash: number): number {
    return hash & (this.#buckets.length - 1);
  }

  #count(change: number): void {
    this.header[ADDRESS_COUNT] = (this.header[ADDRESS_COUNT] as number) + change;
  }

  #takePlace(): number {
    const free = placeOf(this.header[FREE_ADDRESS] as number);
    if (free !== undefined) {
      this.header[FREE_ADDRESS] = this.words[free + NEXT] as number;
      return free;
    }
    const made = this.header[ADDRESSES_MADE] as number;
    this.header[ADDRESSES_MADE] = made + 1;
    return made * PLACE_WORDS;
  }

  #addFree(at: number): void {
    this.words[at + NEXT] = this.header[FREE_ADDRESS] as number;
    this.header[FREE_ADDRESS] = referenceTo(at);
  }

  #linkToBucket(at: number): void {
    const bucket = this.#bucketOf(this.words[at + HASH] as number);
    this.words[at + NEXT] = this.#buckets[bucket] as number;
    this.#buckets[bucket] = referenceTo(at);
  }

  #unlinkFromBucket(at: number): void {
    const bucket = this.#bucketOf(this.words[at + HASH] as number);
    const next = this.words[at + NEXT] as number;
    let before = placeOf(this.#buckets[bucket] as number);
    if (before === at) this.#buckets[bucket] = next;
    while (before !== undefined && before !== at) {
      const following = placeOf(this.words[before + NEXT] as number);
      if (following === at) this.words[before + NEXT] = next;
      before = following;
    }
  }

  #linkAsNewest(at: number): void {
    const { newest } = this;
    this.words[at + OLDER] = newest === undefined ? 0 : referenceTo(newest);
    this.words[at + NEWER] = 0;
    if (newest === undefined) this.header[OLDEST_ADDRESS] = referenceTo(at);
    else this.words[newest + NEWER] = referenceTo(at);
    this.header[NEWEST_ADDRESS] = referenceTo(at);
  }

  #unlink(at: number): void {
    const older = placeOf(this.words[at + OLDER] as number);
    const newer = placeOf(this.words[at + NEWER] as number);
    if (older === undefined) this.header[OLDEST_ADDRESS] = this.words[at + NEWER] as number;
    else this.words[older + NEWER] = this.words[at + NEWER] as number;
    if (newer === undefined) this.header[NEWEST_ADDRESS] = this.words[at + OLDER] as number;
    else this.words[newer + OLDER] = this.words[at + OLDER] as number;
  }
}

function placeOf(reference: number): number | undefined {
  return reference === 0 ? undefined : (reference - 1) * PLACE_WORDS;
}

function referenceTo(at: number): number {
  return at / PLACE_WORDS + 1;
}
