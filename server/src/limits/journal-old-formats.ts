/**
 * Reads a journal of the formats 1 to 3. They had up to 128 of a key's admissions in a row, 6 bytes each, and its last use in another. The second
 * added a log, `passes`, whose rows count for a key only after the one that `settled_pass` or `forgotten` names; the third added the boot.
 */
import type Database from "better-sqlite3";

const TIME_BYTES = 6;

export interface OldJournal {
  readonly keys: ReadonlyMap<string, OldKey>;
  /** The latest time of all, on the journal's timeline. */
  readonly newestMs: number;
  readonly driftMs: number;
  readonly bootId: string | null;
  readonly offsetMs: number;
}

interface OldKey {
  /** Never decreasing. */
  readonly times: number[];
  lastUsedAt: number;
}

type TimelineRow = { drift_ms: number; boot_id?: string | null; offset_ms?: number | null };
type LastUseRow = { key_id: string; last_used_at: number; settled_pass?: number };
type PassRow = { id: number; written_ms: number; drift_ms: number; admissions: Buffer };

export function readOldFormat(database: Database.Database): OldJournal {
  const all = <Row>(sql: string) => database.prepare<[], Row>(sql).all();
  const keys = new Map<string, OldKey>();
  const countsAfter = new Map<string, number>();
  let newestMs = 0;
  const addTime = (keyId: string, timeMs: number) => {
    const key = keys.get(keyId) ?? { times: [], lastUsedAt: 0 };
    keys.set(keyId, key);
    key.times.push(Math.max(timeMs, key.times.at(-1) ?? 0));
    newestMs = Math.max(newestMs, timeMs);
    return key;
  };

  const [timeline] = all<TimelineRow>("SELECT * FROM timeline");
  for (const { key_id, last_used_at, settled_pass = 0 } of all<LastUseRow>("SELECT * FROM last_uses")) {
    keys.set(key_id, { times: [], lastUsedAt: last_used_at });
    countsAfter.set(key_id, settled_pass);
  }
  const rows = "SELECT key_id, times FROM admissions ORDER BY key_id, chunk";
  for (const { key_id, times } of all<{ key_id: string; times: Buffer }>(rows)) {
    for (let at = 0; at < times.length; at += TIME_BYTES) addTime(key_id, times.readUIntBE(at, TIME_BYTES));
  }
  if (database.pragma("user_version", { simple: true }) !== 1) {
    for (const { key_id, pass } of all<{ key_id: string; pass: number }>("SELECT key_id, pass FROM forgotten")) {
      countsAfter.set(key_id, Math.max(pass, countsAfter.get(key_id) ?? 0));
    }
    for (const { id, written_ms, drift_ms, admissions } of all<PassRow>("SELECT * FROM passes ORDER BY id")) {
      newestMs = Math.max(newestMs, written_ms);
      readPass(admissions, written_ms, (keyId, timeMs) => {
        if (id > (countsAfter.get(keyId) ?? 0)) addTime(keyId, timeMs).lastUsedAt = timeMs + drift_ms;
      });
    }
  }
  const { drift_ms = 0, boot_id, offset_ms } = timeline ?? {};
  return { keys, newestMs, driftMs: drift_ms, bootId: boot_id ?? null, offsetMs: offset_ms ?? 0 };
}

/**
 * Key after key: the length of its id and the id, a number, how many times there are, how long before the writing the first was, and the gaps between
 * them. Each number is in as many bytes as it needs, seven bits in each, the lowest first.
 */
function readPass(bytes: Buffer, writtenMs: number, visit: (keyId: string, timeMs: number) => void): void {
  let at = 0;
  const readNumber = () => {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("a row of its log ends too soon");
      number += (byte & 0x7f) * unit;
      if (byte < 0x80) return number;
    }
  };
  while (at < bytes.length) {
    const length = readNumber();
    const keyId = bytes.toString("utf8", at, at + length);
    at += length;
    readNumber();
    const count = readNumber();
    let timeMs = writtenMs;
    for (let index = 0; index < count; index++) {
      timeMs = index === 0 ? writtenMs - readNumber() : timeMs + readNumber();
      visit(keyId, timeMs);
    }
  }
}
