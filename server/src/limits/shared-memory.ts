/**
 * The memory that the threads of one server count in, and where everything stands in it. Nothing here decides anything.
 *
 * A key has a record of fixed size; its admissions stand in pages of 128, each linked to the next. Records and pages are never moved, so that
 * a thread may keep the number of either. Their buffers are reserved at their largest and grow in place; a thread notices by a word
 * of the header that there is more, and makes its views anew. Space is taken from the system when it is first written
 * to, and used again by others, but not given back.
 *
 * One lock, the structure's, guards what is linked to what: the table of keys, the chains of pages, the lists of what is free. All of that
 * can be made anew from the records alone (shared-repair.ts), which is what happens when a thread has died under that lock.
 */
import { type HashKey, makeHashKey } from "./keyed-hash.ts";

export const SLOTS_PER_PAGE = 128;
export const MAX_KEY_ID_LENGTH = 60;
/** The coordinating thread's number as a holder of locks; a worker's is its own and these. */
export const COORDINATOR = 1;
export const FIRST_WORKER = 2;

/** Words of the header; those that are written often are not in one line of the processor's cache with those that are always read. */
export const STRUCTURE_LOCK = 0;
export const PAGES_MADE = 1;
/** Lists begin with the number of the first and 1, so that 0 is an empty one. */
export const FREE_PAGE = 2;
export const RECORDS_MADE = 3;
export const FREE_RECORD = 4;
export const KEY_COUNT = 5;
export const PAGE_ROOM = 32;
export const RECORD_ROOM = 33;
export const ADDRESS_LOCK = 64;
export const ADDRESSES_MADE = 65;
export const FREE_ADDRESS = 66;
export const ADDRESS_COUNT = 67;
export const OLDEST_ADDRESS = 68;
export const NEWEST_ADDRESS = 69;
const HEADER_WORDS = 96;

/** Words of a record. */
export const RECORD_LOCK = 0;
/** Odd while the record is a key's. It changes with the key, so that a thread notices that what it remembers is gone. */
export const GENERATION = 1;
/** Which of the two states holds. */
export const CURRENT = 2;
export const HASH = 3;
/** The next record of the bucket, or of those that are free, and 1. */
export const NEXT = 4;
export const NAME_LENGTH = 5;
export const NAME = 6;
export const STATES = 22;
/** What only the coordinating thread reads and writes, three numbers. */
export const JOURNALED = 42;
export const RECORD_WORDS = 48;

/** Words of a state: two of the size of two words, then five. */
export const NEWEST_MS = 0;
export const NEXT_NUMBER = 2;
export const LENGTH = 4;
export const PAST_MINUTE = 5;
export const HEAD_PAGE = 6;
export const MINUTE_PAGE = 7;
export const TAIL_PAGE = 8;
export const STATE_WORDS = 10;

/** Nothing was admitted since the start; something was that is not written; something was, and all of it is written. */
export const UNUSED = 0;
export const CHANGED = 1;
export const WRITTEN = 2;

const RECORD_BYTES = RECORD_WORDS * 4;
const PAGE_BYTES = SLOTS_PER_PAGE * 4;
const FIRST_ROOM = 1_024;
const LEAST_PAGES = 65_536;

/** As it is handed to workers. */
export interface SharedMemoryHandle {
  readonly header: SharedArrayBuffer;
  readonly records: SharedArrayBuffer;
  readonly pages: SharedArrayBuffer;
  readonly links: SharedArrayBuffer;
  readonly buckets: SharedArrayBuffer;
  readonly marks: SharedArrayBuffer;
  readonly maxKeys: number;
  readonly maxPages: number;
  readonly hashKey: HashKey;
}

export class SharedLimitsFullError extends Error {
  constructor(what: string) {
    super(
      `The memory that the workers count requests in is full: ${what}. Nothing that still counts is forgotten for it, so ` +
        "requests that need more fail until some of it is a day old. Set LINEUP_REDIS_URL to count in Redis instead.",
    );
    this.name = "SharedLimitsFullError";
  }
}

export function reserveHeader(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_WORDS * 4);
}

export function reserveSharedMemory(maxKeys: number, maxPages: number): SharedMemoryHandle {
  const records = new SharedArrayBuffer(Math.min(FIRST_ROOM, maxKeys) * RECORD_BYTES, {
    maxByteLength: maxKeys * RECORD_BYTES,
  });
  const pages = reservePages(maxPages);
  const reservedPages = pages.maxByteLength / PAGE_BYTES;
  const header = reserveHeader();
  new Int32Array(header).set([pages.byteLength / PAGE_BYTES, records.byteLength / RECORD_BYTES], PAGE_ROOM);
  return {
    header,
    records,
    pages,
    links: new SharedArrayBuffer(reservedPages * 4),
    buckets: new SharedArrayBuffer(2 ** Math.ceil(Math.log2(maxKeys)) * 4),
    marks: new SharedArrayBuffer(maxKeys),
    maxKeys,
    maxPages: reservedPages,
    hashKey: makeHashKey(),
  };
}

/** Reserving costs addresses and no memory; but where even those are rationed, less is better than no server. */
function reservePages(maxPages: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(Math.min(FIRST_ROOM, maxPages) * PAGE_BYTES, { maxByteLength: maxPages * PAGE_BYTES });
  } catch (error) {
    if (maxPages / 2 < LEAST_PAGES) throw error;
    return reservePages(maxPages / 2);
  }
}

/** One thread's views. */
export class SharedMemory {
  readonly handle: SharedMemoryHandle;
  readonly header: Int32Array;
  /** The header once more, for its lock. */
  readonly locks: Int32Array;
  readonly links: Int32Array;
  readonly buckets: Int32Array;
  readonly marks: Uint8Array;
  /** The records: as words, as numbers of the size of two words, as bytes. */
  words: Int32Array;
  floats: Float64Array;
  bytes: Buffer;
  slots: Uint32Array;
  #pageRoom = 0;
  #recordRoom = 0;

  constructor(handle: SharedMemoryHandle) {
    this.handle = handle;
    this.header = new Int32Array(handle.header);
    this.locks = this.header;
    this.links = new Int32Array(handle.links);
    this.buckets = new Int32Array(handle.buckets);
    this.marks = new Uint8Array(handle.marks);
    this.words = new Int32Array(0);
    this.floats = new Float64Array(0);
    this.bytes = Buffer.alloc(0);
    this.slots = new Uint32Array(0);
    this.follow();
  }

  /** To be called under any lock before what it guards is read: another thread may have made it grow. */
  follow(): void {
    if (this.header[PAGE_ROOM] !== this.#pageRoom || this.header[RECORD_ROOM] !== this.#recordRoom) this.#view();
  }

  /** Under the structure's lock: the number of a page or a record that was never used. */
  makePage(): number {
    const page = this.#make(PAGES_MADE, PAGE_ROOM, this.handle.pages, this.handle.maxPages, PAGE_BYTES);
    if (page === undefined) throw new SharedLimitsFullError(`${this.handle.maxPages * SLOTS_PER_PAGE} requests count`);
    return page;
  }

  makeRecord(): number {
    const record = this.#make(RECORDS_MADE, RECORD_ROOM, this.handle.records, this.handle.maxKeys, RECORD_BYTES);
    if (record === undefined) throw new SharedLimitsFullError(`${this.handle.maxKeys} keys were used within a day`);
    return record;
  }

  #make(made: number, room: number, buffer: SharedArrayBuffer, max: number, bytes: number): number | undefined {
    const { header } = this;
    const number = header[made] as number;
    if (number === max) return undefined;
    if (number === header[room]) {
      const more = Math.min(max, number * 2);
      buffer.grow(more * bytes);
      header[room] = more;
      this.#view();
    }
    header[made] = number + 1;
    return number;
  }

  /** Of fixed length each, because views that grow by themselves are ten times as slow. */
  #view(): void {
    const { handle, header } = this;
    this.#pageRoom = header[PAGE_ROOM] as number;
    this.#recordRoom = header[RECORD_ROOM] as number;
    this.slots = new Uint32Array(handle.pages, 0, this.#pageRoom * SLOTS_PER_PAGE);
    this.words = new Int32Array(handle.records, 0, this.#recordRoom * RECORD_WORDS);
    this.floats = new Float64Array(handle.records, 0, (this.#recordRoom * RECORD_WORDS) / 2);
    this.bytes = Buffer.from(handle.records, 0, this.#recordRoom * RECORD_BYTES);
  }
}
