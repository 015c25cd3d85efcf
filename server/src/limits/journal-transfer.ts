/**
 * Counted requests out of a journal and into one, for a move between engines and for backups; only while no server uses it.
 *
 * What always holds: a time comes out as the epoch millisecond it went in as. The journal is read by a clock that stands still and
 * whose two hands agree, so that its timeline is the wall clock's and nothing is rounded. An import adds a time only as often as it is
 * missing, a slice of keys in one transaction, and so may be repeated after a failure.
 */
import { existsSync } from "node:fs";
import { DAY_MS } from "@lineup/api/tiers";
import { AdmissionJournal } from "./admission-journal.ts";
import type { Clock } from "./clock.ts";
import { openJournalFile } from "./journal-file.ts";
import { createKeyAdmissions, type KeyAdmissions, TO_BE_REWRITTEN } from "./key-admissions.ts";
import type { CountedAdmissions } from "./redis-admissions.ts";

const KEYS_PER_SLICE = 256;

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
      const lastUsedAt = journal.findLastUse(keyId, key) ?? admissions.at(-1);
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
  const lastUses = new Map<string, number>();
  const journal = new AdmissionJournal(file, standingClock(nowMs));
  let added = 0;
  try {
    const keys = journal.load();
    // So that all last uses are where the import writes its own.
    journal.settleAll(keys.values());
    let changed: KeyAdmissions[] = [];
    const writeSlice = () => {
      journal.write({ changed, idle: [], forgotten: changed.map(({ keyId }) => keyId) });
      changed = [];
    };
    for await (const { keyId, admissions, lastUsedAt } of entries) {
      const lastUse = Math.max(journal.findLastUse(keyId) ?? 0, lastUsedAt ?? 0);
      if (lastUse > 0) lastUses.set(keyId, lastUse);
      const existing = listTimes(keys.get(keyId), nowMs);
      const merged = mergeTimes(existing, admissions, nowMs);
      if (merged.length === existing.length) continue;
      added += merged.length - existing.length;
      changed.push(makeKey(keyId, merged));
      if (changed.length >= KEYS_PER_SLICE) writeSlice();
    }
    writeSlice();
  } finally {
    journal.close();
  }
  writeLastUses(file, lastUses);
  return added;
}

function standingClock(nowMs: number): Clock {
  return { wallMs: () => nowMs, monotonicMs: () => nowMs };
}

function listTimes(key: KeyAdmissions | undefined, nowMs: number): number[] {
  if (key === undefined) return [];
  key.ring.advance(nowMs);
  return Array.from({ length: key.ring.length }, (_, index) => nowMs - key.ring.ageMs(index, nowMs));
}

/** Each time as often as the list has it in which it is more often; what has left the day is dropped, and nothing is later than now. */
function mergeTimes(existing: readonly number[], added: readonly number[], nowMs: number): number[] {
  const sorted = added.map((time) => Math.min(time, nowMs)).sort((a, b) => a - b);
  const fresh = sorted.filter((time) => nowMs - time < DAY_MS);
  const merged: number[] = [];
  let next = 0;
  for (const time of existing) {
    for (let earlier = fresh[next]; earlier !== undefined && earlier < time; earlier = fresh[++next])
      merged.push(earlier);
    if (fresh[next] === time) next++;
    merged.push(time);
  }
  return merged.concat(fresh.slice(next));
}

function makeKey(keyId: string, times: readonly number[]): KeyAdmissions {
  const key = createKeyAdmissions(keyId);
  for (const time of times) key.ring.push(time);
  key.nextNumber = times.length;
  key.settledTo = TO_BE_REWRITTEN;
  return key;
}

/** The journal writes the last use down with admissions; a key that has none left has to be told apart. */
function writeLastUses(file: string, lastUses: ReadonlyMap<string, number>): void {
  const database = openJournalFile(file);
  try {
    const write = database.prepare<[string, number]>(
      `INSERT INTO last_uses (key_id, last_used_at) VALUES (?, ?)
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    );
    database.transaction(() => {
      for (const [keyId, lastUse] of lastUses) write.run(keyId, lastUse);
    })();
  } finally {
    database.close();
  }
}
