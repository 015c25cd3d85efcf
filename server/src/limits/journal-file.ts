/** The form of the journal's SQLite file, and the one thing that other processes read from it. */
import { closeSync, existsSync, openSync } from "node:fs";
import Database from "better-sqlite3";

/** "LnuJ": tells the journal from any other SQLite file that a path may lead to by mistake. */
const APPLICATION_ID = 0x4c6e754a;
const FORMAT_VERSION = 1;
/** A writer that finds the file locked tries again at the next flush instead of holding up requests. */
const BUSY_TIMEOUT_MS = 20;
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;

export class JournalUnreadableError extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The journal of the rate limits, ${file}, cannot be used: ${reason}. ` +
        "Repair it, or move it (with its -wal and -shm) away to start with empty windows.",
      { cause },
    );
    this.name = "JournalUnreadableError";
    this.file = file;
  }
}

/** Makes a new file a journal, and makes sure that an old one is one, of a form known here and without damage. */
export function openJournalFile(file: string): Database.Database {
  let database: Database.Database | undefined;
  try {
    // Made first, for nobody else on the machine to read; closing it later would give up SQLite's locks on it.
    if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
    database = new Database(file);
    createOrCheck(database);
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

/**
 * When each key was last used, in wall milliseconds, for a process other than the server; that one may be running, and its
 * last second may be missing. Nothing is known where there is no file yet.
 */
export function readLastUsed(file: string): Map<string, number> {
  if (!existsSync(file)) return new Map();
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      if (isEmpty(database)) return new Map();
      const rows = database.prepare<[], [string, number]>("SELECT key_id, last_used_at FROM last_uses").raw().all();
      return new Map(rows);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new JournalUnreadableError(file, error);
  }
}

/** When one key was last used, as a statement to ask again and again. Its database is for the caller to close. */
export function openLastUses(file: string): Database.Statement<[string], number> {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    return database.prepare<[string], number>("SELECT last_used_at FROM last_uses WHERE key_id = ?").pluck();
  } catch (error) {
    throw new JournalUnreadableError(file, error);
  }
}

function createOrCheck(database: Database.Database): void {
  const run = database.transaction(() => {
    if (isEmpty(database)) writeSchema(database);
    else requireJournal(database);
  });
  run.immediate();
}

function isEmpty(database: Database.Database): boolean {
  return database.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
}

function writeSchema(database: Database.Database): void {
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${FORMAT_VERSION}`);
  database.exec(`
    CREATE TABLE admissions (
      key_id TEXT NOT NULL,
      chunk INTEGER NOT NULL,
      first_number INTEGER NOT NULL,
      times BLOB NOT NULL,
      PRIMARY KEY (key_id, chunk)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE last_uses (
      key_id TEXT NOT NULL PRIMARY KEY,
      last_used_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE timeline (
      id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
      drift_ms INTEGER NOT NULL
    ) STRICT;
  `);
}

function requireJournal(database: Database.Database): void {
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new Error("it is another kind of SQLite file");
  }
  const version = database.pragma("user_version", { simple: true });
  if (version !== FORMAT_VERSION) throw new Error(`its format ${version} is not known to this version of Lineup`);
  const damage = database.pragma("quick_check(1)", { simple: true });
  if (damage !== "ok") throw new Error(`it is damaged (${damage})`);
}
