/** The form of the journal's SQLite file. */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import Database from "better-sqlite3";

/** "LnuJ": tells the journal from any other SQLite file that a path may lead to by mistake. */
const APPLICATION_ID = 0x4c6e754a;
/** The first form had no passes, the second no boot; a file of an earlier form is brought into this one when it is opened. */
const FORMAT_VERSION = 3;
/** A writer that finds the file locked tries again at the next flush instead of holding up requests. */
const BUSY_TIMEOUT_MS = 20;
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;

export class JournalUnreadableError extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    const reason = isFolder ? "it is a folder" : cause instanceof Error ? cause.message : String(cause);
    super(`The journal of the rate limits, ${file}, cannot be used: ${reason}. ${isFolder ? MOVE : adviceFor(cause)}`, {
      cause,
    });
    this.name = "JournalUnreadableError";
    this.file = file;
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

function createOrCheck(database: Database.Database): void {
  const run = database.transaction(() => {
    if (isEmptyFile(database)) writeSchema(database);
    else upgrade(database, requireJournal(database));
  });
  run.immediate();
}

export function isEmptyFile(database: Database.Database): boolean {
  return database.prepare<[], number>("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
}

function writeSchema(database: Database.Database): void {
  database.pragma(`application_id = ${APPLICATION_ID}`);
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
  upgrade(database, 1);
}

function upgrade(database: Database.Database, from: number): void {
  if (from < 2) addPasses(database);
  if (from < 3) addBoot(database);
  if (from < FORMAT_VERSION) database.pragma(`user_version = ${FORMAT_VERSION}`);
}

/** What the third form has more than the second: by which clock the timeline can be told without the wall clock. */
function addBoot(database: Database.Database): void {
  database.exec("ALTER TABLE timeline ADD COLUMN boot_id TEXT; ALTER TABLE timeline ADD COLUMN offset_ms INTEGER");
}

/** What the second form has more than the first. */
function addPasses(database: Database.Database): void {
  database.exec(`
    CREATE TABLE passes (
      id INTEGER NOT NULL PRIMARY KEY,
      written_ms INTEGER NOT NULL,
      drift_ms INTEGER NOT NULL,
      admissions BLOB NOT NULL
    ) STRICT;
    CREATE TABLE forgotten (
      key_id TEXT NOT NULL PRIMARY KEY,
      pass INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE last_uses ADD COLUMN settled_pass INTEGER NOT NULL DEFAULT 0;
  `);
}

/** Returns which form it has. */
function requireJournal(database: Database.Database): number {
  if (database.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new Error("it is another kind of SQLite file");
  }
  const version = database.pragma("user_version", { simple: true }) as number;
  if (version < 1 || version > FORMAT_VERSION)
    throw new Error(`its format ${version} is not known to this version of Lineup`);
  const damage = database.pragma("quick_check(1)", { simple: true });
  if (damage !== "ok") throw new Error(`it is damaged (${damage})`);
  return version;
}
