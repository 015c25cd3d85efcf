/**
 * The rows of `admissions` in the journal's file: what is settled. A row holds those of one chunk of 128 numbers that were still in the day's
 * window when it was written, 6 bytes each: small enough to lie within a page. A chunk is always rebuilt from the key's ring, so nothing
 * is kept in memory for its sake.
 */
import type Database from "better-sqlite3";
import type { KeyAdmissions, WritableRing } from "./key-admissions.ts";
import { BATCH_ROWS, UpsertBatch } from "./upsert-batch.ts";

export const CHUNK_SIZE = 128;
const TIME_BYTES = 6;
const CHUNK_BYTES = CHUNK_SIZE * TIME_BYTES;

export interface StoredChunk {
  readonly keyId: string;
  readonly chunk: number;
  readonly firstNumber: number;
  /** On the journal's timeline. Good until the next chunk is read. */
  readonly times: ArrayLike<number>;
}

interface ChunkRow extends Omit<StoredChunk, "times"> {
  readonly times: Buffer;
}

export class JournalChunks {
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** A chunk's place for each row of a statement. */
  readonly #buffer = Buffer.alloc(BATCH_ROWS * CHUNK_BYTES);
  /** A chunk's times, as they are read. */
  readonly #times = new Float64Array(CHUNK_SIZE);
  readonly #view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.length);

  constructor(database: Database.Database) {
    this.#statements = prepareStatements(database);
  }

  /** All there are, a key's in the order of their numbers. */
  *read(): Generator<StoredChunk> {
    for (const row of this.#statements.read.iterate()) {
      const count = row.times.length / TIME_BYTES;
      const start = row.chunk * CHUNK_SIZE;
      if (!Number.isInteger(count) || row.firstNumber < start || row.firstNumber + count > start + CHUNK_SIZE) {
        throw new Error(`chunk ${row.chunk} of ${row.keyId} is malformed`);
      }
      const times = this.#times.subarray(0, count);
      readTimes(row.times, times);
      yield { keyId: row.keyId, chunk: row.chunk, firstNumber: row.firstNumber, times };
    }
  }

  /** The latest time in any chunk, on the journal's timeline; 0 where there is none. */
  findNewestMs(): number {
    const bytes = this.#statements.newest.get();
    return bytes?.length === TIME_BYTES ? bytes.readUIntBE(0, TIME_BYTES) : 0;
  }

  /** Within a transaction: what of the key is not in chunks. It is in the file when `finish` was called. */
  write(key: KeyAdmissions<WritableRing>, nowMs: number, timelineOffsetMs: number): void {
    key.ring.advance(nowMs);
    const firstLive = key.nextNumber - key.ring.length;
    const from = Math.max(firstLive, key.settledTo);
    for (let chunk = Math.floor(from / CHUNK_SIZE); chunk * CHUNK_SIZE < key.nextNumber; chunk++) {
      this.#writeChunk(key, chunk, firstLive, nowMs, timelineOffsetMs);
    }
    const live = firstLiveChunk(key);
    if (live > key.firstChunk) this.#statements.delete.run(key.keyId, live);
  }

  /** Within a transaction: all of a key. */
  delete(keyId: string): void {
    this.#statements.delete.run(keyId, Number.MAX_SAFE_INTEGER);
  }

  finish(): void {
    this.#statements.rows.finish();
  }

  /** For a transaction that is rolled back. */
  discard(): void {
    this.#statements.rows.discard();
  }

  #writeChunk(
    key: KeyAdmissions<WritableRing>,
    chunk: number,
    firstLive: number,
    nowMs: number,
    timelineOffsetMs: number,
  ): void {
    const first = Math.max(chunk * CHUNK_SIZE, firstLive);
    const end = Math.min((chunk + 1) * CHUNK_SIZE, key.nextNumber);
    if (first >= end) return;
    const start = this.#statements.rows.nextPlace * CHUNK_BYTES;
    let at = start;
    for (let number = first; number < end; number++) {
      const timeMs = nowMs - key.ring.ageMs(number - firstLive, nowMs) + timelineOffsetMs;
      this.#view.setUint16(at, timeMs / 0x1_0000_0000);
      this.#view.setUint32(at + 2, timeMs);
      at += TIME_BYTES;
    }
    this.#statements.rows.add([key.keyId, chunk, first, this.#buffer.subarray(start, at)]);
  }
}

/** A start reads all there are, long before V8 has made anything of it quick. */
function readTimes(bytes: Buffer, times: Float64Array): void {
  for (let index = 0; index < times.length; index++) {
    const at = index * TIME_BYTES;
    times[index] = bytes.readUInt16BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 2);
  }
}

export function firstLiveChunk(key: KeyAdmissions<WritableRing>): number {
  return Math.floor((key.nextNumber - key.ring.length) / CHUNK_SIZE);
}

function prepareStatements(database: Database.Database) {
  return {
    read: database.prepare<[], ChunkRow>(
      `SELECT key_id AS "keyId", chunk, first_number AS "firstNumber", times FROM admissions ORDER BY key_id, chunk`,
    ),
    // Bytes compare as the numbers that they are.
    newest: database.prepare<[], Buffer | null>(`SELECT max(substr(times, -${TIME_BYTES})) FROM admissions`).pluck(),
    rows: new UpsertBatch<[keyId: string, chunk: number, firstNumber: number, times: Buffer]>(
      database,
      `INSERT INTO admissions (key_id, chunk, first_number, times) VALUES (?, ?, ?, ?)
       ON CONFLICT (key_id, chunk) DO UPDATE SET first_number = excluded.first_number, times = excluded.times`,
    ),
    delete: database.prepare<[string, number]>("DELETE FROM admissions WHERE key_id = ? AND chunk < ?"),
  };
}
