/**
 * What others than the server read of a journal and write into one: counted requests, for a move between engines, while no server uses it;
 * and last uses at any time.
 *
 * What always holds: a time comes out as the epoch millisecond it went in as. The journal is read by a clock that stands still and
 * whose two hands agree, so that its timeline is the wall clock's and nothing is rounded. An import adds a time only as often as it is
 * missing, a slice of keys in one transaction, and so may be repeated after a failure.
 */
import { existsSync } from "node:fs";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { AdmissionJournal, createKeyAdmissions, type KeyAdmissions } from "./admission-journal.ts";
import type { Clock } from "./clock.ts";
import {
  findOldFormat,
  isEmptyFile,
  JournalUnreadableError,
  prepareStatements,
  readLog,
  requireKnownFormat,
} from "./journal-file.ts";
import type { CountedAdmissions } from "./redis-admissions.ts";

const KEYS_PER_SLICE = 256;

/**
 * When each key was last used, for a process other than the server; that one may be running, and its last second may be missing. Nothing is known where
 * there is no file yet, and a file of an older format stays as it is.
 */
export function readLastUsed(file: string): Map<string, number> {
  if (!existsSync(file)) return new Map();
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      // In one transaction: between two, what is in the log may come into a snapshot.
      return database.transaction(() => readLastUses(database))();
    } finally {
      database.close();
    }
  } catch (error) {
    throw new JournalUnreadableError(file, error);
  }
}

function readLastUses(database: Database.Database): Map<string, number> {
  const lastUses = new Map<string, number>();
  if (isEmptyFile(database)) return lastUses;
  requireKnownFormat(database);
  const old = findOldFormat(database);
  if (old !== undefined) {
    for (const [keyId, { lastUsedAt }] of old.keys) lastUses.set(keyId, lastUsedAt);
    return lastUses;
  }
  const statements = prepareStatements(database);
  const logIds = new Map<string, number>();
  for (const { keyId, logId, lastUsedAt } of statements.readLastUses.iterate()) {
    lastUses.set(keyId, lastUsedAt);
    logIds.set(keyId, logId);
  }
  for (const { keyId, lastUsedAt } of readLog(statements, logIds)) lastUses.set(keyId, lastUsedAt);
  return lastUses;
}

/** The keys' admissions that still count, and their last uses; keys that were never used are left out. */
export function* exportJournal(file: string, keyIds: Iterable<string>): Generator<CountedAdmissions> {
  if (!existsSync(file)) return;
  const nowMs = Date.now();
  const journal = new AdmissionJournal(file, standingClock(nowMs));
  try {
    const keys = journal.load();
    for (const keyId of keyIds) {
      const key = keys.get(keyId);
      const admissions = listTimes(key, nowMs);
      const lastUsedAt = key?.lastUsedAt ?? journal.findLastUse(keyId);
      if (lastUsedAt !== undefined) yield { keyId, admissions, lastUsedAt };
    }
  } finally {
    journal.close();
  }
}

/** Makes the file where there is none. Returns how many admissions were added. */
export async function importIntoJournal(
  file: string,
  entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>,
): Promise<number> {
  const nowMs = Date.now();
  const journal = new AdmissionJournal(file, standingClock(nowMs));
  let added = 0;
  try {
    const keys = journal.load();
    let slice: KeyAdmissions[] = [];
    for await (const { keyId, admissions, lastUsedAt = 0 } of entries) {
      const key = keys.get(keyId);
      const existing = listTimes(key, nowMs);
      const merged = mergeTimes(existing, admissions, nowMs);
      added += merged.length - existing.length;
      const knownUse = key?.lastUsedAt ?? journal.findLastUse(keyId) ?? 0;
      const lastUse = Math.max(lastUsedAt, knownUse, merged.at(-1) ?? 0);
      if (lastUse > 0) slice.push(makeKey(keyId, merged, lastUse));
      if (slice.length < KEYS_PER_SLICE) continue;
      journal.write([], slice);
      slice = [];
    }
    if (slice.length > 0) journal.write([], slice);
  } finally {
    journal.close();
  }
  return added;
}

function standingClock(nowMs: number): Clock {
  return { wallMs: () => nowMs, monotonicMs: () => nowMs };
}

function listTimes(key: KeyAdmissions | undefined, nowMs: number): number[] {
  if (key === undefined) return [];
  key.ring.advance(nowMs);
  return key.ring.listTimes(nowMs);
}

/** Each time as often as the list has it in which it is more often; what has left the day is dropped, and nothing is later than now. */
function mergeTimes(existing: readonly number[], added: readonly number[], nowMs: number): number[] {
  const unmatched = new Map<number, number>();
  for (const time of existing) unmatched.set(time, (unmatched.get(time) ?? 0) + 1);
  const missing = added
    .map((time) => Math.min(time, nowMs))
    .filter((time) => {
      const same = unmatched.get(time) ?? 0;
      unmatched.set(time, same - 1);
      return same <= 0 && nowMs - time < DAY_MS;
    });
  return [...existing, ...missing].sort((a, b) => a - b);
}

function makeKey(keyId: string, times: readonly number[], lastUsedAt: number): KeyAdmissions {
  const key = createKeyAdmissions(keyId);
  for (const time of times) key.ring.push(time);
  key.lastUsedAt = lastUsedAt;
  return key;
}
