/**
 * Blocks in a SQLite file of their own beside an embedded store. It is a log, not the store: one that is damaged or not ours is set aside
 * under another name, where one that was set aside before gives way to it, and a new one is begun. After a fault of the disk it is opened
 * anew.
 *
 * The process that serves also writes, some tenths of a millisecond at a time, and waits for nothing else: neither for others who have the file,
 * for what is not written then is tried again, nor for the disk, but when the journal is carried over, every few megabytes.
 */
import { renameSync, rmSync, statSync } from "node:fs";
import Sqlite, { type Database as SqliteConnection } from "better-sqlite3";
import type { Kysely } from "kysely";
import { OrgStore } from "../store/org-store.ts";
import { findOtherThanFile, makePrivateFile } from "../store/private-files.ts";
import { handleOn, PreparedConnection, SqliteTransactions, vacuumFile } from "../store/sqlite-driver.ts";
import { codeOf, reasonOf } from "../store/store-error.ts";
import { WriteGroups } from "../store/write-groups.ts";
import type { BlockStore, BlockTables } from "./request-block.ts";

/** "LnuR": tells the log from any other SQLite file that a path may lead to by mistake. */
const APPLICATION_ID = 0x4c6e7552;
const FORMAT_VERSION = 2;
const BUSY_TIMEOUT_MS = 10;
const WAL_SIZE_LIMIT_BYTES = 16 * 1024 * 1024;
const COMPANIONS = ["-wal", "-shm"];
const SET_ASIDE = ".damaged";

interface OpenFile {
  readonly writes: Kysely<BlockTables>;
  readonly reads: WriteGroups;
  close(): void;
}

/** The file cannot be used as it is, and trying again would not help. */
class UnusableFile extends Error {}

/** Opens the file when it is first needed, and where it was closed after a fault. */
export class SqliteBlocks implements BlockStore {
  readonly #file: string;
  readonly #onNotice: (notice: string) => void;
  #open: OpenFile | undefined;

  /** The notice says, in words for the log, that the file was set aside. */
  constructor(file: string, onNotice: (notice: string) => void) {
    this.#file = file;
    this.#onNotice = onNotice;
  }

  write<T>(work: (db: Kysely<BlockTables>) => Promise<T>): Promise<T> {
    return this.#use(({ writes }) => work(writes));
  }

  readAtOnce<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#use(({ reads }) => reads.write("alone", (db) => work(new OrgStore(db, orgId))));
  }

  async sweepFreePages(): Promise<void> {
    await this.#use(() => vacuumFile(this.#file));
  }

  async close(): Promise<void> {
    this.#close();
  }

  async #use<T>(work: (open: OpenFile) => Promise<T>): Promise<T> {
    this.#open ??= this.#openOrBegin();
    const open = this.#open;
    try {
      return await work(open);
    } catch (error) {
      // Another may have met the same fault, and dealt with it.
      if (open === this.#open) {
        if (isUnusable(error)) this.#setAside(error);
        // After these a connection may be of no more use, though the file is.
        else if (/^SQLITE_(IOERR|READONLY|CANTOPEN|FULL)/.test(codeOf(error))) this.#close();
      }
      throw error;
    }
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.close();
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
      this.#close();
    } catch {
      // What is damaged may not let itself be closed either; it is moved away all the same.
    }
    const aside = this.#file + SET_ASIDE;
    for (const end of ["", ...COMPANIONS]) {
      rmSync(aside + end, { force: true });
      if (statSync(this.#file + end, { throwIfNoEntry: false }) !== undefined)
        renameSync(this.#file + end, aside + end);
    }
    this.#onNotice(
      `${this.#file} cannot be used (${reasonOf(error)}) and was set aside as ${aside}; a new one was begun`,
    );
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
  if (other !== undefined) throw new Error(`${file} is ${other}; move it away, and the log is begun anew`);
  const writer = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    createOrCheck(writer);
    writer.pragma("journal_mode = WAL");
    writer.pragma("synchronous = NORMAL");
    writer.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    // What is deleted is overwritten: what people searched for does not stay behind in free pages.
    writer.pragma("secure_delete = ON");
    writer.pragma("trusted_schema = OFF");
    const reader = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS });
    return {
      writes: handleOn<BlockTables>(new PreparedConnection(writer)),
      reads: new WriteGroups(new SqliteTransactions(reader, "BEGIN")),
      close: () => {
        // The writer goes last: the last to close carries the journal over into the file, which a reader may not.
        reader.close();
        writer.close();
      },
    };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function createOrCheck(connection: SqliteConnection): void {
  const run = connection.transaction(() => {
    const isEmpty = connection.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() === 0;
    if (isEmpty) writeSchema(connection);
    else requireRequestLog(connection);
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

function requireRequestLog(connection: SqliteConnection): void {
  if (connection.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    throw new UnusableFile("it is another kind of SQLite file");
  }
  const version = connection.pragma("user_version", { simple: true });
  if (version === FORMAT_VERSION) return;
  if (version !== 1) throw new UnusableFile(`its format ${version} is not known to this version of Lineup`);
  takeOverFirstFormat(connection);
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

function isUnusable(error: unknown): boolean {
  return error instanceof UnusableFile || /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}
