/**
 * What the engines of one process remember across restarts, written behind to an SQLite file of its own, because a long import
 * holds the write lock of the main store.
 *
 * The admissions of a key are numbered from 0. A row holds those of one chunk of 128 numbers that were still in the day's
 * window when it was written, 6 bytes each: small enough to lie within a page, and cheap to write again while it fills. A
 * chunk is always rebuilt from the key's ring, so nothing is kept in memory for the journal's sake.
 *
 * Times are written on the journal's timeline: it starts as wall time and then follows the monotonic clock, so that a jump
 * of the wall clock moves nothing that is already written. How far the wall clock has since moved away from it, the drift,
 * is one number, written with every flush; the next start subtracts it from the wall time to find where the timeline
 * has got to. Only the time between two runs is measured by the wall clock alone. What then lies in the future counts as now.
 *
 * Every write is one transaction: when it fails (disk full, locked), the file is as it was and the caller tries again.
 * A file that cannot be read throws JournalUnreadableError at opening, rather than starting with windows emptied silently.
 */

import { DAY_MS } from "@lineup/api/tiers";
import type Database from "better-sqlite3";
import type { Clock } from "./clock.ts";
import { JournalUnreadableError, openJournalFile } from "./journal-file.ts";
import { AdmissionRing } from "./ring.ts";
import { BATCH_ROWS, UpsertBatch } from "./upsert-batch.ts";

export const CHUNK_SIZE = 128;
const TIME_BYTES = 6;
const CHUNK_BYTES = CHUNK_SIZE * TIME_BYTES;
/** A drift smaller than this is not worth a write of its own. */
const NOTABLE_DRIFT_MS = 250;

/** What of a ring is written. */
export interface WritableRing {
  readonly length: number;
  readonly newestMs: number;
  advance(nowMs: number): void;
  ageMs(index: number, nowMs: number): number;
}

/** One key as the engine holds it. The admissions in the ring are the last before `nextNumber`. */
export interface KeyAdmissions<Ring extends WritableRing = AdmissionRing> {
  readonly keyId: string;
  readonly ring: Ring;
  nextNumber: number;
  /** Admissions below this number are in the file, unless they have left the window. */
  writtenTo: number;
  /** No chunk below this one is in the file. */
  firstChunk: number;
}

export interface JournalChanges {
  /** Keys with admissions that are not written yet. */
  readonly changed: readonly KeyAdmissions<WritableRing>[];
  /** Keys whose last admission has left the window: only their last use stays. */
  readonly idle: readonly { readonly keyId: string }[];
  /** Keys of which nothing is to stay. */
  readonly forgotten: readonly string[];
}

interface ChunkRow {
  readonly keyId: string;
  readonly chunk: number;
  readonly firstNumber: number;
  readonly times: Buffer;
}

export function createKeyAdmissions(keyId: string): KeyAdmissions {
  return { keyId, ring: new AdmissionRing(DAY_MS), nextNumber: 0, writtenTo: 0, firstChunk: 0 };
}

export class AdmissionJournal {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** A chunk's place for each row of a statement. */
  readonly #buffer = Buffer.alloc(BATCH_ROWS * CHUNK_BYTES);
  readonly #view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, this.#buffer.length);
  /** Timeline minus monotonic time: fixed for as long as the journal is open. */
  readonly #timelineOffsetMs: number;
  #writtenDriftMs: number;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#database = openJournalFile(file);
    this.#statements = this.#orUnreadable(() => prepareStatements(this.#database));
    this.#writtenDriftMs = this.#statements.readDrift.get() ?? 0;
    // A machine that starts without knowing the time would otherwise lead to times before the timeline's beginning.
    const timelineNowMs = Math.max(0, clock.wallMs() - this.#writtenDriftMs);
    this.#timelineOffsetMs = timelineNowMs - clock.monotonicMs();
  }

  /** Everything that still counts. Keys that have only rows left to delete come with an empty ring. */
  load(): Map<string, KeyAdmissions> {
    const keys = new Map<string, KeyAdmissions>();
    const nowMs = this.#clock.monotonicMs();
    this.#orUnreadable(() => {
      for (const row of this.#statements.readChunks.iterate()) {
        let key = keys.get(row.keyId);
        if (key === undefined) {
          key = { ...createKeyAdmissions(row.keyId), firstChunk: row.chunk };
          keys.set(row.keyId, key);
        }
        this.#restoreChunk(key, row, nowMs);
      }
    });
    return keys;
  }

  /** Whether the wall clock has moved so far that the file should know, even if nothing was admitted. */
  hasDrifted(): boolean {
    return Math.abs(this.#driftMs() - this.#writtenDriftMs) >= NOTABLE_DRIFT_MS;
  }

  /** Writes all of it or throws and writes nothing. */
  write(changes: JournalChanges): void {
    const nowMs = this.#clock.monotonicMs();
    const driftMs = this.#driftMs();
    this.#statements.begin.run();
    try {
      for (const keyId of changes.forgotten) {
        this.#statements.deleteChunks.run(keyId, Number.MAX_SAFE_INTEGER);
        this.#statements.deleteLastUse.run(keyId);
      }
      for (const key of changes.idle) this.#statements.deleteChunks.run(key.keyId, Number.MAX_SAFE_INTEGER);
      for (const key of changes.changed) this.#writeKey(key, nowMs, driftMs);
      this.#statements.chunks.finish();
      this.#statements.lastUses.finish();
      this.#statements.writeDrift.run(driftMs);
      this.#statements.commit.run();
    } catch (error) {
      this.#statements.chunks.discard();
      this.#statements.lastUses.discard();
      if (this.#database.inTransaction) this.#statements.rollback.run();
      throw error;
    }
    for (const key of changes.changed) {
      key.writtenTo = key.nextNumber;
      key.firstChunk = firstLiveChunk(key);
    }
    this.#writtenDriftMs = driftMs;
  }

  /** Wall time of the last admission written for a key. */
  findLastUse(keyId: string): number | undefined {
    return this.#statements.readLastUse.get(keyId);
  }

  listKeysWithLastUse(): string[] {
    return this.#statements.listLastUses.all();
  }

  close(): void {
    this.#database.close();
  }

  #orUnreadable<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      this.#database.close();
      throw new JournalUnreadableError(this.#file, error);
    }
  }

  #driftMs(): number {
    return this.#clock.wallMs() - this.#clock.monotonicMs() - this.#timelineOffsetMs;
  }

  #writeKey(key: KeyAdmissions<WritableRing>, nowMs: number, driftMs: number): void {
    key.ring.advance(nowMs);
    const firstLive = key.nextNumber - key.ring.length;
    const from = Math.max(firstLive, key.writtenTo);
    for (let chunk = Math.floor(from / CHUNK_SIZE); chunk * CHUNK_SIZE < key.nextNumber; chunk++) {
      this.#writeChunk(key, chunk, firstLive, nowMs);
    }
    const live = firstLiveChunk(key);
    if (live > key.firstChunk) this.#statements.deleteChunks.run(key.keyId, live);
    this.#statements.lastUses.add([key.keyId, key.ring.newestMs + this.#timelineOffsetMs + driftMs]);
  }

  #writeChunk(key: KeyAdmissions<WritableRing>, chunk: number, firstLive: number, nowMs: number): void {
    const first = Math.max(chunk * CHUNK_SIZE, firstLive);
    const end = Math.min((chunk + 1) * CHUNK_SIZE, key.nextNumber);
    if (first >= end) return;
    const start = this.#statements.chunks.nextPlace * CHUNK_BYTES;
    let at = start;
    for (let number = first; number < end; number++) {
      const timeMs = nowMs - key.ring.ageMs(number - firstLive, nowMs) + this.#timelineOffsetMs;
      // Some fifty are written again with every new one, so this is a good part of what counting costs.
      this.#view.setUint16(at, timeMs / 0x1_0000_0000);
      this.#view.setUint32(at + 2, timeMs);
      at += TIME_BYTES;
    }
    this.#statements.chunks.add([key.keyId, chunk, first, this.#buffer.subarray(start, at)]);
  }

  /** Times never decrease with the numbers; where a clock set back between two runs made them, the chunk is written anew. */
  #restoreChunk(key: KeyAdmissions, row: ChunkRow, nowMs: number): void {
    const count = row.times.length / TIME_BYTES;
    const chunkStart = row.chunk * CHUNK_SIZE;
    const isFirst = row.chunk === key.firstChunk;
    const isInPlace = isFirst ? row.firstNumber >= chunkStart : row.firstNumber === key.nextNumber;
    if (!isInPlace || !Number.isInteger(count) || row.firstNumber + count > chunkStart + CHUNK_SIZE) {
      throw new Error(`chunk ${row.chunk} of ${row.keyId} is malformed`);
    }
    let changedFrom = key.writtenTo < key.nextNumber ? key.writtenTo : row.firstNumber + count;
    for (let index = 0; index < count; index++) {
      const writtenMs = row.times.readUIntBE(index * TIME_BYTES, TIME_BYTES) - this.#timelineOffsetMs;
      const timeMs = Math.max(Math.min(writtenMs, nowMs), key.ring.newestMs);
      if (nowMs - timeMs >= DAY_MS) continue;
      key.ring.push(timeMs);
      if (timeMs !== writtenMs) changedFrom = Math.min(changedFrom, row.firstNumber + index);
    }
    key.nextNumber = row.firstNumber + count;
    key.writtenTo = changedFrom;
  }
}

function firstLiveChunk(key: KeyAdmissions<WritableRing>): number {
  return Math.floor((key.nextNumber - key.ring.length) / CHUNK_SIZE);
}

function prepareStatements(database: Database.Database) {
  const chunkColumns = `key_id AS "keyId", chunk, first_number AS "firstNumber", times`;
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    readChunks: database.prepare<[], ChunkRow>(`SELECT ${chunkColumns} FROM admissions ORDER BY key_id, chunk`),
    chunks: new UpsertBatch<[keyId: string, chunk: number, firstNumber: number, times: Buffer]>(
      database,
      `INSERT INTO admissions (key_id, chunk, first_number, times) VALUES (?, ?, ?, ?)
       ON CONFLICT (key_id, chunk) DO UPDATE SET first_number = excluded.first_number, times = excluded.times`,
    ),
    deleteChunks: database.prepare<[string, number]>("DELETE FROM admissions WHERE key_id = ? AND chunk < ?"),
    readLastUse: database.prepare<[string], number>("SELECT last_used_at FROM last_uses WHERE key_id = ?").pluck(),
    listLastUses: database.prepare<[], string>("SELECT key_id FROM last_uses").pluck(),
    lastUses: new UpsertBatch<[keyId: string, lastUsedAt: number]>(
      database,
      `INSERT INTO last_uses (key_id, last_used_at) VALUES (?, ?)
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at`,
    ),
    deleteLastUse: database.prepare<[string]>("DELETE FROM last_uses WHERE key_id = ?"),
    readDrift: database.prepare<[], number>("SELECT drift_ms FROM timeline").pluck(),
    writeDrift: database.prepare<[number]>(
      "INSERT INTO timeline (id, drift_ms) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET drift_ms = excluded.drift_ms",
    ),
  };
}
