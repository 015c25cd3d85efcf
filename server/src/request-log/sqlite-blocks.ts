/** Blocks in a file of their own beside an embedded store, through Kysely as everywhere. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from "kysely";
import { OrgStore } from "../store/org-store.ts";
import type { Database } from "../store/schema.ts";
import { PlannedOnceCompiler } from "../store/sqlite-compiler.ts";
import type { BlockStore, BlockTables } from "./request-block.ts";
import type { ConnectionName } from "./request-file.ts";
import { RequestFileThread, type StatementRunner } from "./request-file-thread.ts";

/** Searches go one after another; more than these would wait longer than anybody does. */
const SEARCHES_MAX = 100;

export interface SqliteBlocksOptions {
  readonly file: string;
  /** The file was set aside, in words for the log. */
  onNotice(notice: string): void;
  /** Who works on the file; unless told, a thread of its own. */
  readonly thread?: StatementRunner | undefined;
  /** Tells those apart who read through the same thread. */
  readonly reader?: number | undefined;
}

export function sqliteBlocks({ file, onNotice, thread: given, reader = 0 }: SqliteBlocksOptions): BlockStore {
  const thread = given ?? new RequestFileThread(file, onNotice);
  const writes = new Kysely<BlockTables>({ dialect: threadDialect(thread, "writer") });
  const reads = new Kysely<Database>({ dialect: threadDialect(thread, `reader ${reader}`) });
  let searches = 0;
  return {
    write: (work) => work(writes),
    readAtOnce: async (orgId, work) => {
      if (searches >= SEARCHES_MAX) throw new Error("Too many are searching the request log.");
      searches++;
      try {
        return await reads.transaction().execute((db) => work(new OrgStore(db, orgId)));
      } finally {
        searches--;
      }
    },
    close: () => thread.close(),
  };
}

function threadDialect(thread: StatementRunner, name: ConnectionName): Dialect {
  return {
    // Kysely lets one transaction through at a time.
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ThreadDriver(new ThreadConnection(thread, name)),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PlannedOnceCompiler(),
  };
}

class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection;

  constructor(connection: ThreadConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw("BEGIN"));
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw("COMMIT"));
  }

  async rollbackTransaction(): Promise<void> {
    // Where the file had to be opened anew, the transaction went with it; what failed is told in any case.
    await this.#connection.executeQuery(CompiledQuery.raw("ROLLBACK")).catch(() => undefined);
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

class ThreadConnection implements DatabaseConnection {
  readonly #thread: StatementRunner;
  readonly #name: ConnectionName;

  constructor(thread: StatementRunner, name: ConnectionName) {
    this.#thread = thread;
    this.#name = name;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changes } = await this.#thread.run(this.#name, sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator even where nothing is streamed.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("The request log is read in pages; nothing is streamed from it.");
  }
}
