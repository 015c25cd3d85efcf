/** The journal's SQLite file: what makes a file one, and what is in it. Lists are JSON, so that any SQLite shell can show them. */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { DAY_MS } from "@lineup/api/tiers";
import Database from "better-sqlite3";
import { type OldJournal, readOldFormat } from "./journal-old-formats.ts";
import type { AdmissionRing } from "./ring.ts";

/** "LnuJ": tells the journal from any other SQLite file that a path may lead to by mistake. */
export const APPLICATION_ID = 0x4c6e754a;
export const FORMAT_VERSION = 4;
/** A writer that finds the file locked tries again at the next flush instead of holding up requests. */
const BUSY_TIMEOUT_MS = 20;
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;

/** `forgotten` is empty: builds before this one named keys there that were deleted, which a start now passes over by itself. */
const SCHEMA = `
  CREATE TABLE log (
    id INTEGER NOT NULL PRIMARY KEY,
    written_ms INTEGER NOT NULL,
    drift_ms INTEGER NOT NULL,
    boot_id TEXT,
    offset_ms INTEGER NOT NULL,
    forgotten TEXT NOT NULL,
    admissions TEXT NOT NULL
  ) STRICT;
  CREATE TABLE snapshots (
    key_id TEXT NOT NULL PRIMARY KEY,
    log_id INTEGER NOT NULL,
    written_ms INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    admissions TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT_VERSION};
`;

/** When and by which clocks a log row was written; admission-journal.ts tells what the journal's time is. */
export interface LogPosition {
  readonly id: number;
  /** In the journal's time. */
  readonly writtenMs: number;
  /** Wall time minus the journal's. */
  readonly driftMs: number;
  readonly bootId: string | null;
  /** The journal's time minus the monotonic time of that boot. */
  readonly offsetMs: number;
}

export interface LogRow extends LogPosition {
  /** Pairs of a key's id and its new admissions, as `listGaps` has them. */
  readonly admissions: string;
}

export interface SnapshotRow {
  readonly keyId: string;
  /** The log row as of which it is. */
  readonly logId: number;
  readonly writtenMs: number;
  /** In wall time. */
  readonly lastUsedAt: number;
  /** All that counted, as `listGaps` has them. */
  readonly admissions: string;
}

/** What a log row says of a key. */
export interface LogEntry {
  readonly logId: number;
  readonly keyId: string;
  /** In the journal's time. */
  readonly times: readonly number[];
  readonly lastUsedAt: number;
}

export class JournalUnreadableError extends Error {
  constructor(file: string, cause: unknown) {
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    const reason = isFolder ? "it is a folder" : cause instanceof Error ? cause.message : String(cause);
    super(`The journal of the rate limits, ${file}, cannot be used: ${reason}. ${isFolder ? MOVE : adviceFor(cause)}`, {
      cause,
    });
    this.name = "JournalUnreadableError";
  }
}

const MOVE = "Move it (with its -wal and -shm) away to start with empty windows.";

function adviceFor(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/.test(code)) {
    return "Give this user read and write access to it, to its -wal and -shm, and to their folder.";
  }
  if (/^(SQLITE_FULL|SQLITE_IOERR|ENOSPC|EDQUOT|EIO)/.test(code)) return "Free space on its disk, or check the disk.";
  return MOVE;
}

/** Makes a new file a journal, and makes sure that an old one is one, of a format known here and without damage. */
export function openJournalFile(file: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    // Made first, for nobody else on the machine to read; closing it later would give up SQLite's locks on it.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    database = new Database(file);
    database.transaction(createOrConvert).immediate(database);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL");
    database.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw new JournalUnreadableError(file, error);
  }
}

function createOrConvert(database: Database.Database): void {
  if (isEmptyFile(database)) {
    database.exec(SCHEMA);
    return;
  }
  const version = requireKnownFormat(database);
  const damage = database.pragma("quick_check(1)", { simple: true });
  if (damage !== "ok") throw new Error(`it is damaged (${damage})`);
  if (version < FORMAT_VERSION) convert(database);
}

export function requireKnownFormat(database: Database.Database): number {
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new Error("it is another kind of SQLite file");
  }
  const version = readVersion(database);
  if (version < 1 || version > FORMAT_VERSION) {
    throw new Error(`its format ${version} is not known to this version of Lineup`);
  }
  return version;
}

/** Of what it had, nothing is lost that can count: now is not earlier than its newest time. */
function convert(database: Database.Database): void {
  const { keys, newestMs: writtenMs, ...clocks } = readOldFormat(database);
  const tables = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  for (const table of tables) database.exec(`DROP TABLE ${table}`);
  database.exec(SCHEMA);
  const { insertRow, writeSnapshot } = prepareStatements(database);
  insertRow.run({ id: 1, writtenMs, ...clocks, admissions: "[]" });
  for (const [keyId, { times, lastUsedAt }] of keys) {
    const counting = times.filter((timeMs) => writtenMs - timeMs < DAY_MS);
    const gaps = counting.map((timeMs, index) => Math.abs(timeMs - (counting[index - 1] ?? writtenMs)));
    writeSnapshot.run({ keyId, logId: 1, writtenMs, lastUsedAt, admissions: JSON.stringify(gaps) });
  }
}

export function isEmptyFile(database: Database.Database): boolean {
  return database.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
}

/** Undefined where it has none older than today's. */
export function findOldFormat(database: Database.Database): OldJournal | undefined {
  return readVersion(database) < FORMAT_VERSION ? readOldFormat(database) : undefined;
}

function readVersion(database: Database.Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

export type JournalStatements = ReturnType<typeof prepareStatements>;

export function prepareStatements(database: Database.Database) {
  const position = `id, written_ms AS "writtenMs", drift_ms AS "driftMs", boot_id AS "bootId", offset_ms AS "offsetMs"`;
  const snapshot = `key_id AS "keyId", log_id AS "logId", written_ms AS "writtenMs", last_used_at AS "lastUsedAt"`;
  return {
    readNewest: database.prepare<[], LogPosition>(`SELECT ${position} FROM log ORDER BY id DESC LIMIT 1`),
    readRows: database.prepare<[], LogRow>(`SELECT ${position}, admissions FROM log ORDER BY id`),
    insertRow: database.prepare<[LogRow]>(
      `INSERT INTO log (id, written_ms, drift_ms, boot_id, offset_ms, forgotten, admissions)
       VALUES (:id, :writtenMs, :driftMs, :bootId, :offsetMs, '[]', :admissions)`,
    ),
    deleteRowsBelow: database.prepare<[number]>("DELETE FROM log WHERE id < ?"),
    readSnapshots: database.prepare<[], SnapshotRow>(`SELECT ${snapshot}, admissions FROM snapshots`),
    readLastUses: database.prepare<[], Omit<SnapshotRow, "admissions">>(`SELECT ${snapshot} FROM snapshots`),
    readLastUse: database.prepare<[string], number>("SELECT last_used_at FROM snapshots WHERE key_id = ?").pluck(),
    writeSnapshot: database.prepare<[SnapshotRow]>(
      `INSERT OR REPLACE INTO snapshots (key_id, log_id, written_ms, last_used_at, admissions)
       VALUES (:keyId, :logId, :writtenMs, :lastUsedAt, :admissions)`,
    ),
    deleteSnapshot: database.prepare<[string]>("DELETE FROM snapshots WHERE key_id = ?"),
  };
}

/** What the log has of each key behind the row as of which its snapshot is, in the log's order. */
export function* readLog(statements: JournalStatements, logIds: ReadonlyMap<string, number>): Generator<LogEntry> {
  let previous: LogPosition | undefined;
  for (const row of statements.readRows.iterate()) {
    const { id: logId, writtenMs, driftMs } = row;
    if (previous !== undefined && (logId !== previous.id + 1 || writtenMs < previous.writtenMs)) {
      throw new Error(`log row ${logId} does not follow row ${previous.id}`);
    }
    previous = row;
    const isNew = (keyId: string) => logId > (logIds.get(keyId) ?? 0);
    for (const [keyId, gaps] of JSON.parse(row.admissions) as [string, number[]][]) {
      const times = readGaps(gaps, writtenMs);
      if (isNew(keyId)) yield { logId, keyId, times, lastUsedAt: (times.at(-1) as number) + driftMs };
    }
  }
}

/** How long before it is written the oldest was, and how long after the one before each other was: of those from `first` up to `end`. */
export function listGaps(ring: AdmissionRing, first: number, end: number, writtenMs: number): number[] {
  const gaps: number[] = [];
  let olderMs = 0;
  for (let index = first; index < end; index++) {
    const ageMs = ring.ageMs(index, writtenMs);
    gaps.push(index === first ? ageMs : olderMs - ageMs);
    olderMs = ageMs;
  }
  return gaps;
}

/** Throws where that cannot be what was written. */
export function readGaps(gaps: readonly number[], writtenMs: number): number[] {
  const times: number[] = [];
  let timeMs = writtenMs;
  for (const gap of gaps) {
    if (!Number.isSafeInteger(gap) || gap < 0) throw new Error(`${gap} is no number of milliseconds`);
    timeMs = times.length === 0 ? writtenMs - gap : timeMs + gap;
    times.push(timeMs);
  }
  if (timeMs > writtenMs) throw new Error("an admission is later than its writing");
  return times;
}
