/** Brings the keys back that a journal's file has: first what is settled, then what passes tell. */
import type Database from "better-sqlite3";
import type { JournalChunks, StoredChunk } from "./journal-chunks.ts";
import type { JournalLastUses } from "./journal-last-uses.ts";
import { type PassedKey, replayPasses } from "./journal-passes.ts";
import { createKeyAdmissions, type KeyAdmissions, restoreAdmissions, TO_BE_REWRITTEN } from "./key-admissions.ts";

type Keys = Map<string, KeyAdmissions>;

export interface StoredAdmissions {
  readonly database: Database.Database;
  readonly chunks: JournalChunks;
  readonly lastUses: JournalLastUses;
}

/** `offsetMs` is how far the journal's timeline is ahead of the monotonic clock. */
export function loadAdmissions(stored: StoredAdmissions, nowMs: number, offsetMs: number): Keys {
  const keys: Keys = new Map();
  for (const chunk of stored.chunks.read()) restoreChunk(keys, chunk, nowMs, offsetMs);
  for (const key of keys.values()) key.settledTo = key.nextNumber;
  replayPasses(stored.database, (passed) => {
    restorePassed(keys, passed, nowMs, offsetMs);
    stored.lastUses.keepBefore(passed.keyId, passed.lastUsedAt);
  });
  for (const key of keys.values()) {
    if (key.writtenTo === key.nextNumber) continue;
    key.settledTo = TO_BE_REWRITTEN;
    stored.lastUses.dropBefore(key.keyId);
  }
  return keys;
}

function restoreChunk(keys: Keys, chunk: StoredChunk, nowMs: number, offsetMs: number): void {
  const { keyId, firstNumber, times } = chunk;
  let key = keys.get(keyId);
  if (key === undefined) {
    key = createKeyAdmissions(keyId);
    key.firstChunk = chunk.chunk;
    keys.set(keyId, key);
  } else if (firstNumber !== key.nextNumber) throw new Error(`chunk ${chunk.chunk} of ${keyId} is malformed`);
  restoreAdmissions(key, firstNumber, times, nowMs, offsetMs);
}

function restorePassed(keys: Keys, { keyId, first, times }: PassedKey, nowMs: number, offsetMs: number): void {
  let key = keys.get(keyId);
  if (key === undefined || first > key.nextNumber) {
    // Where numbers are missing, all before them had left the window when this was written.
    const { settledTo, firstChunk } = key ?? { settledTo: 0, firstChunk: 0 };
    key = createKeyAdmissions(keyId);
    key.settledTo = settledTo;
    key.firstChunk = firstChunk;
    keys.set(keyId, key);
  } else if (first < key.nextNumber) throw new Error(`number ${first} of ${keyId} is there twice`);
  restoreAdmissions(key, first, times, nowMs, offsetMs);
}
