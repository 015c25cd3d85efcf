/**
 * The table of the keys that are counted, and the pages their admissions stand in. All of it is done under the structure's lock but the
 * look at a record that is locked itself. Locks are taken in one order, the record's before the structure's.
 *
 * The order of the writes is such that a thread may die between any two: a record is a key's from the moment its
 * generation is odd until the moment it is even, and whatever else stands here can be made from that.
 */
import { hashText } from "./keyed-hash.ts";
import { acquireLock, releaseLock } from "./shared-lock.ts";
import {
  CURRENT,
  FREE_PAGE,
  FREE_RECORD,
  GENERATION,
  HASH,
  HEAD_PAGE,
  JOURNALED,
  KEY_COUNT,
  LENGTH,
  MAX_KEY_ID_LENGTH,
  MINUTE_PAGE,
  NAME,
  NAME_LENGTH,
  NEWEST_MS,
  NEXT,
  NEXT_NUMBER,
  PAST_MINUTE,
  RECORD_WORDS,
  type SharedMemory,
  STATE_WORDS,
  STATES,
  STRUCTURE_LOCK,
  TAIL_PAGE,
  UNUSED,
} from "./shared-memory.ts";
import { isSameName, requireName, writeName } from "./shared-names.ts";

/** Where a key's record is; it is another's, or nobody's, once its generation differs. */
export interface KnownKey {
  readonly record: number;
  readonly generation: number;
}

export class SharedKeys {
  readonly #memory: SharedMemory;
  readonly #owner: number;
  readonly #patienceMs: number;

  constructor(memory: SharedMemory, owner: number, patienceMs: number) {
    this.#memory = memory;
    this.#owner = owner;
    this.#patienceMs = patienceMs;
  }

  lock(): void {
    acquireLock(this.#memory.locks, STRUCTURE_LOCK, this.#owner, this.#patienceMs);
    this.#memory.follow();
  }

  unlock(): void {
    releaseLock(this.#memory.locks, STRUCTURE_LOCK);
  }

  find(keyId: string): KnownKey | undefined {
    const hash = hashText(keyId, this.#memory.handle.hashKey);
    this.lock();
    try {
      return this.#known(this.#find(keyId, hash));
    } finally {
      this.unlock();
    }
  }

  /** Makes a record where the key has none; its first admission will have the number given. */
  findOrAdd(keyId: string, nextNumber = 0): KnownKey {
    requireName(keyId, MAX_KEY_ID_LENGTH);
    const hash = hashText(keyId, this.#memory.handle.hashKey);
    this.lock();
    try {
      return this.#known(this.#find(keyId, hash) ?? this.#add(keyId, hash, nextNumber));
    } finally {
      this.unlock();
    }
  }

  /** With the record locked: it is nobody's any more, and its pages are free. */
  remove(record: number): void {
    this.lock();
    try {
      const { words, marks } = this.#memory;
      const at = record * RECORD_WORDS;
      words[at + GENERATION] = (words[at + GENERATION] as number) + 1;
      marks[record] = UNUSED;
      this.#unlink(record);
      const state = at + STATES + (words[at + CURRENT] as number) * STATE_WORDS;
      this.releasePages(words[state + HEAD_PAGE] as number, words[state + TAIL_PAGE] as number);
      this.addFreeRecord(record);
      this.#count(-1);
    } finally {
      this.unlock();
    }
  }

  readName(record: number): string {
    const { words, bytes } = this.#memory;
    const at = record * RECORD_WORDS;
    const start = (at + NAME) * 4;
    return bytes.toString("latin1", start, start + (words[at + NAME_LENGTH] as number));
  }

  /** Under the structure's lock. */
  takePage(): number {
    const { header, links } = this.#memory;
    const free = header[FREE_PAGE] as number;
    if (free === 0) return this.#memory.makePage();
    header[FREE_PAGE] = (links[free - 1] as number) + 1;
    return free - 1;
  }

  /** Under the structure's lock: all from one page of a chain to another. They stay linked to each other as they were. */
  releasePages(first: number, last: number): void {
    const { header, links } = this.#memory;
    links[last] = (header[FREE_PAGE] as number) - 1;
    header[FREE_PAGE] = first + 1;
  }

  /** Under the structure's lock. */
  addFreeRecord(record: number): void {
    const { words, header } = this.#memory;
    words[record * RECORD_WORDS + NEXT] = header[FREE_RECORD] as number;
    header[FREE_RECORD] = record + 1;
  }

  /** Under the structure's lock: makes a record known in the table. */
  link(record: number): void {
    const { words, buckets } = this.#memory;
    const at = record * RECORD_WORDS;
    const bucket = this.#bucketOf(words[at + HASH] as number);
    words[at + NEXT] = buckets[bucket] as number;
    buckets[bucket] = record + 1;
  }

  #known(record: number): KnownKey;
  #known(record: number | undefined): KnownKey | undefined;
  #known(record: number | undefined): KnownKey | undefined {
    if (record === undefined) return undefined;
    return { record, generation: this.#memory.words[record * RECORD_WORDS + GENERATION] as number };
  }

  #find(keyId: string, hash: number): number | undefined {
    const { words, bytes, buckets } = this.#memory;
    let next = buckets[this.#bucketOf(hash)] as number;
    while (next !== 0) {
      const at = (next - 1) * RECORD_WORDS;
      const isHere =
        words[at + HASH] === hash &&
        words[at + NAME_LENGTH] === keyId.length &&
        isSameName(bytes, (at + NAME) * 4, keyId);
      if (isHere) return next - 1;
      next = words[at + NEXT] as number;
    }
    return undefined;
  }

  #add(keyId: string, hash: number, nextNumber: number): number {
    const page = this.takePage();
    const record = this.#takeRecord(page);
    const { words, floats, bytes } = this.#memory;
    const at = record * RECORD_WORDS;
    words[at + HASH] = hash;
    words[at + NAME_LENGTH] = keyId.length;
    writeName(bytes, (at + NAME) * 4, keyId);
    words[at + CURRENT] = 0;
    floats.fill(0, (at + JOURNALED) / 2, (at + JOURNALED) / 2 + 3);
    const state = at + STATES;
    floats[(state + NEWEST_MS) / 2] = Number.NEGATIVE_INFINITY;
    floats[(state + NEXT_NUMBER) / 2] = nextNumber;
    words[state + LENGTH] = 0;
    words[state + PAST_MINUTE] = 0;
    words[state + HEAD_PAGE] = page;
    words[state + MINUTE_PAGE] = page;
    words[state + TAIL_PAGE] = page;
    words[at + GENERATION] = (words[at + GENERATION] as number) + 1;
    this.link(record);
    this.#count(1);
    return record;
  }

  #takeRecord(page: number): number {
    const { header, words } = this.#memory;
    const free = header[FREE_RECORD] as number;
    if (free !== 0) {
      header[FREE_RECORD] = words[(free - 1) * RECORD_WORDS + NEXT] as number;
      return free - 1;
    }
    try {
      return this.#memory.makeRecord();
    } catch (error) {
      this.releasePages(page, page);
      throw error;
    }
  }

  #unlink(record: number): void {
    const { words, buckets } = this.#memory;
    const at = record * RECORD_WORDS;
    const bucket = this.#bucketOf(words[at + HASH] as number);
    if (buckets[bucket] === record + 1) {
      buckets[bucket] = words[at + NEXT] as number;
      return;
    }
    let before = ((buckets[bucket] as number) - 1) * RECORD_WORDS;
    while (words[before + NEXT] !== record + 1) before = ((words[before + NEXT] as number) - 1) * RECORD_WORDS;
    words[before + NEXT] = words[at + NEXT] as number;
  }

  #bucketOf(hash: number): number {
    return hash & (this.#memory.buckets.length - 1);
  }

  #count(change: number): void {
    const { header } = this.#memory;
    header[KEY_COUNT] = (header[KEY_COUNT] as number) + change;
  }
}
