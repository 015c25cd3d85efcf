/**
 * The SQLite file in which an embedded store's log of requests lies. It is a log, not the store: one that is damaged or not ours is set
 * aside under another name, where one that was set aside before gives way to it, and a new one is begun.
 */
import { renameSync, rmSync, statSync } from "node:fs";
import Sqlite, { type Database as SqliteConnection, type Statement } from "better-sqlite3";
import { findOtherThanFile, makePrivateFile } from "../store/private-files.ts";

/** "LnuR": tells the log from any other SQLite file that a path may lead to by mistake. */
const APPLICATION_ID = 0x4c6e7552;
const FORMAT_VERSION = 2;
const BUSY_TIMEOUT_MS = 2_000;
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;
/** Up to here every page is looked at before the file is used. */
const CHECKED_MAX_BYTES = 256 * 1024 * 1024;
const STATEMENTS_KEPT = 100;
const COMPANIONS = ["-wal", "-shm"];
const SET_ASIDE = ".damaged";

/** The writer is one. Whoever reads in transactions has a reader of its own, told apart by a number. */
export type ConnectionName = "writer" | `reader ${number}`;

export interface Answer {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

interface OpenFile {
  readonly writer: Prepared;
  readonly readers: Map<ConnectionName, Prepared>;
}

/** The file cannot be used as it is, and trying again would not help. */
class UnusableFile extends Error {}

export class RequestFile {
  readonly #file: string;
  readonly #onSetAside: (reason: string) => void;
  #open: OpenFile | undefined;

  constructor(file: string, onSetAside: (reason: string) => void) {
    this.#file = file;
    this.#onSetAside = onSetAside;
  }

  /** Opens the file where it is not open yet, which is how it is tried again after a fault. */
  run(name: ConnectionName, sql: string, parameters: readonly unknown[]): Answer {
    this.#open ??= this.#openOrBegin();
    try {
      return this.#connection(this.#open, name).run(sql, parameters);
    } catch (error) {
      if (isUnusable(error)) this.#setAside(error);
      else if (isOfDisk(error)) this.close();
      throw error;
    }
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    // The writer goes last: whoever does writes the journal into the file, and a reader may not.
    for (const reader of open?.readers.values() ?? []) reader.close();
    open?.writer.close();
  }

  #connection({ writer, readers }: OpenFile, name: ConnectionName): Prepared {
    if (name === "writer") return writer;
    const known = readers.get(name);
    if (known !== undefined) return known;
    const reader = new Prepared(new Sqlite(this.#file, { readonly: true, timeout: BUSY_TIMEOUT_MS }));
    readers.set(name, reader);
    return reader;
  }

  #openOrBegin(): OpenFile {
    try {
      return openFile(this.#file);
    } catch (error) {
      if (!isUnusable(error)) throw error;
      this.#setAside(error);
      return openFile(this.#file);
    }
  }

  #setAside(error: unknown): void {
    try {
      this.close();
    } catch {
      // What is damaged may not let itself be closed either; it is moved away all the same.
    }
    const aside = this.#file + SET_ASIDE;
    for (const end of ["", ...COMPANIONS]) {
      rmSync(aside + end, { force: true });
      if (statSync(this.#file + end, { throwIfNoEntry: false }) !== undefined)
        renameSync(this.#file + end, aside + end);
    }
    const reason = error instanceof Error ? error.message : String(error);
    this.#onSetAside(`${this.#file} cannot be used (${reason}) and was set aside as ${aside}; a new one was begun`);
  }
}

class Prepared {
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<string, Statement>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  run(sql: string, parameters: readonly unknown[]): Answer {
    const statement = this.#prepare(sql);
    if (statement.reader) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: statement.run(...parameters).changes };
  }

  close(): void {
    this.#connection.close();
  }

  #prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The log, and what was set aside of it. */
export function removeRequestFile(file: string): void {
  for (const end of ["", ...COMPANIONS]) {
    rmSync(file + end, { force: true });
    rmSync(`${file}${SET_ASIDE}${end}`, { force: true });
  }
}

function openFile(file: string): OpenFile {
  makePrivateFile(file);
  const other = findOtherThanFile(file);
  if (other !== undefined) throw new Error(`it is ${other}; move it away, and the log is begun anew`);
  const writer = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    createOrCheck(writer, file);
    writer.pragma("journal_mode = WAL");
    writer.pragma("synchronous = NORMAL");
    writer.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    // What is deleted is overwritten: what people searched for does not stay behind in free pages.
    writer.pragma("secure_delete = ON");
    writer.pragma("trusted_schema = OFF");
    return { writer: new Prepared(writer), readers: new Map() };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function createOrCheck(connection: SqliteConnection, file: string): void {
  const run = connection.transaction(() => {
    const isEmpty = connection.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
    if (isEmpty) writeSchema(connection);
    else requireRequestLog(connection, file);
  });
  run.immediate();
}

function writeSchema(connection: SqliteConnection): void {
  connection.pragma(`application_id = ${APPLICATION_ID}`);
  connection.pragma(`user_version = ${FORMAT_VERSION}`);
  connection.exec(`
    CREATE TABLE request_blocks (
      org_id TEXT NOT NULL,
      id TEXT NOT NULL,
      first_id TEXT NOT NULL,
      last_id TEXT NOT NULL,
      requests INTEGER NOT NULL,
      terms TEXT NOT NULL,
      records BLOB,
      body TEXT,
      PRIMARY KEY (org_id, id)
    ) STRICT;
    CREATE INDEX request_blocks_by_last ON request_blocks (org_id, last_id);
    CREATE INDEX request_blocks_by_age ON request_blocks (last_id);
  `);
}

/** Its blocks stay as they are, in the column `body`; `readBlock` reads both. */
function takeOverFirstFormat(connection: SqliteConnection): void {
  connection.exec(`
    ALTER TABLE request_blocks RENAME TO first_blocks;
    DROP INDEX request_blocks_by_last;
    DROP INDEX request_blocks_by_age;
  `);
  writeSchema(connection);
  connection.exec(`
    INSERT INTO request_blocks
      SELECT org_id, id, first_id, last_id, requests, '', NULL, body FROM first_blocks;
    DROP TABLE first_blocks;
  `);
}

function requireRequestLog(connection: SqliteConnection, file: string): void {
  if (connection.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new UnusableFile("it is another kind of SQLite file");
  }
  const version = connection.pragma("user_version", { simple: true });
  if (version === 1) takeOverFirstFormat(connection);
  else if (version !== FORMAT_VERSION)
    throw new UnusableFile(`its format ${version} is not known to this version of Lineup`);
  if (statSync(file).size > CHECKED_MAX_BYTES) return;
  const damage = connection.pragma("quick_check(1)", { simple: true });
  if (damage !== "ok") throw new UnusableFile(`it is damaged: ${damage}`);
}

function isUnusable(error: unknown): boolean {
  return error instanceof UnusableFile || /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/** After these a connection may be of no more use, though the file is. */
function isOfDisk(error: unknown): boolean {
  return /^SQLITE_(IOERR|READONLY|CANTOPEN|FULL)/.test(codeOf(error));
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
