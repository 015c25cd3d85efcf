/**
 * When each key was last used, in wall milliseconds: the rows of `last_uses` in the journal's file, and what those read who are not the
 * journal. A row says what is settled; of what came after, passes know.
 */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { isEmptyFile, JournalUnreadableError } from "./journal-file.ts";
import { replayPasses } from "./journal-passes.ts";
import { UpsertBatch } from "./upsert-batch.ts";

export class JournalLastUses {
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** What only passes of earlier runs know, until the key is used again or settled. */
  readonly #before = new Map<string, number>();

  constructor(database: Database.Database) {
    this.#statements = prepareStatements(database);
  }

  /** Of a run before, as a pass has it. */
  findBefore(keyId: string): number | undefined {
    return this.#before.get(keyId);
  }

  keepBefore(keyId: string, lastUsedAt: number): void {
    this.#before.set(keyId, lastUsedAt);
  }

  /** For a key that was used since, settled or forgotten. */
  dropBefore(keyId: string): void {
    if (this.#before.size > 0) this.#before.delete(keyId);
  }

  find(keyId: string): number | undefined {
    return this.#before.get(keyId) ?? this.#statements.read.get(keyId);
  }

  /** But keys that were used since the start and are not settled. */
  list(): Set<string> {
    return new Set([...this.#statements.list.all(), ...this.#before.keys()]);
  }

  /** Within a transaction. It is in the file when `finish` was called. */
  write(keyId: string, lastUsedAt: number, settledPass: number): void {
    this.#statements.rows.add([keyId, lastUsedAt, settledPass]);
  }

  /** Within a transaction. */
  delete(keyId: string): void {
    this.#statements.delete.run(keyId);
  }

  finish(): void {
    this.#statements.rows.finish();
  }

  /** For a transaction that is rolled back. */
  discard(): void {
    this.#statements.rows.discard();
  }
}

/**
 * Of all keys, for a process other than the server; that one may be running, and its last second may be missing. Nothing is known where
 * there is no file yet.
 */
export function readLastUsed(file: string): Map<string, number> {
  if (!existsSync(file)) return new Map();
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      // In one transaction: between two, what is in a pass may have been settled.
      return database.transaction(() => readAll(database))();
    } finally {
      database.close();
    }
  } catch (error) {
    throw new JournalUnreadableError(file, error);
  }
}

/**
 * Of one key, as a statement to ask again and again, in a thread beside the one that has the journal. It knows what is settled, and so all
 * of keys that were not used since the server's start (`settleAll`); the others are in memory. Its database is for the caller to close.
 */
export function openLastUses(file: string): Database.Statement<[string], number> {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    return database.prepare<[string], number>("SELECT last_used_at FROM last_uses WHERE key_id = ?").pluck();
  } catch (error) {
    throw new JournalUnreadableError(file, error);
  }
}

function readAll(database: Database.Database): Map<string, number> {
  if (isEmptyFile(database)) return new Map();
  const rows = database.prepare<[], [string, number]>("SELECT key_id, last_used_at FROM last_uses").raw().all();
  const lastUses = new Map(rows);
  // A file of the first form has no passes, for as long as no server has opened it since.
  const hasPasses = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'passes'").get() !== undefined;
  if (hasPasses) replayPasses(database, ({ keyId, lastUsedAt }) => lastUses.set(keyId, lastUsedAt));
  return lastUses;
}

function prepareStatements(database: Database.Database) {
  return {
    read: database.prepare<[string], number>("SELECT last_used_at FROM last_uses WHERE key_id = ?").pluck(),
    list: database.prepare<[], string>("SELECT key_id FROM last_uses").pluck(),
    rows: new UpsertBatch<[keyId: string, lastUsedAt: number, settledPass: number]>(
      database,
      `INSERT INTO last_uses (key_id, last_used_at, settled_pass) VALUES (?, ?, ?)
       ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at, settled_pass = excluded.settled_pass`,
    ),
    delete: database.prepare<[string]>("DELETE FROM last_uses WHERE key_id = ?"),
  };
}
