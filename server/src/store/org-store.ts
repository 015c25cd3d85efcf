/**
 * A handle on the data of one organization. It is the only way to that data, and it cannot leave the organization: every
 * query begins with the organization's filter, every row written carries its id, and both are put there by this file, not
 * by anyone who asks.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DeleteQueryBuilder,
  type DeleteResult,
  type Expression,
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type UpdateQueryBuilder,
  type UpdateResult,
} from "kysely";
import { type ChainEnd, EMPTY_CHAIN } from "./audit-chain.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { ask, givesNothing, PreparedQuery, type QueryValues, send, withValues } from "./direct-handle.ts";
import { type JsonWriter, postgresJson, sqliteJson } from "./json-writer.ts";
import type { Database, OrgTable } from "./schema.ts";

/** The audit log is read here like any other table, and written by `record` alone. */
export type WritableTable = Exclude<OrgTable, "audit">;

type Row<T extends WritableTable> = Omit<Insertable<Database[T]>, "org_id">;

/** The tables as an update sees them: a record cannot be moved to another organization. */
type Unmovable = { [T in WritableTable]: Omit<Database[T], "org_id"> };

/** Gathers what the audit log is told by a transaction. */
export interface AuditRecorder {
  record(chainId: string, entries: Iterable<AuditEntry>): void;
}

/** Rows of a query, as one piece of JSON. */
export interface GatheredJson {
  /** Of no use unless it is whole. */
  readonly bytes: Buffer;
  /** The same memory with the bracket that ends a list behind it. */
  readonly closed: Buffer;
  readonly count: number;
  /** Whether every row could be written. */
  readonly isWhole: boolean;
  /** The first and the last id of them, in the order of ids. */
  readonly firstId: string | null;
  readonly lastId: string | null;
}

export class OrgStore {
  readonly orgId: string;
  readonly #db: Kysely<Database>;
  readonly #audit: AuditRecorder | undefined;
  #changed = false;

  /** Without a recorder it is for reading. */
  constructor(db: Kysely<Database>, orgId: string, audit?: AuditRecorder) {
    this.#db = db;
    this.#audit = audit;
    this.orgId = orgId;
  }

  selectFrom<T extends OrgTable>(table: T): SelectQueryBuilder<Database, T, object> {
    // Kysely cannot see through the type parameter that every table of an organization has the column.
    const query = this.#db.selectFrom(table as "players").where(`${table as "players"}.org_id`, "=", this.orgId);
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }

  /** How the database behind this handle writes JSON. */
  get json(): JsonWriter {
    return this.#db.getExecutor().adapter instanceof PostgresAdapter ? postgresJson : sqliteJson;
  }

  /**
   * Makes ready to read rows that a query of this handle gives, in its order. It is put together once, however often it is asked: what
   * stands in it as a parameter may be another value each time, which is given by that.
   */
  gatherJson<T extends keyof Database>(
    rows: SelectQueryBuilder<Database, T, { id: string; json: string | null }>,
  ): (values: ReadonlyMap<unknown, unknown>) => Promise<GatheredJson> {
    const compiled = this.#db
      .selectFrom(rows.as("slice"))
      .select([
        this.json.joinClosed("slice.json").as("closed"),
        sql.raw<number>("count(*)").as("count"),
        sql.raw<number>("count(slice.json)").as("written"),
        sql.raw<string | null>("min(slice.id)").as("first_id"),
        sql.raw<string | null>("max(slice.id)").as("last_id"),
      ])
      .compile();
    return async (values) => {
      const [found] = await this.#ask(compiled, values);
      if (found === undefined) throw new Error("The database gave no sum of no rows.");
      const { count, written, first_id: firstId, last_id: lastId } = found;
      // Of no rows there is no text.
      const closed = found.closed instanceof Buffer ? found.closed : Buffer.from(found.closed ?? "]");
      return { bytes: closed.subarray(0, -1), closed, count, isWhole: written === count, firstId, lastId };
    };
  }

  /** How many rows a query of this handle gives. */
  async countRows<T extends keyof Database>(rows: SelectQueryBuilder<Database, T, { id: string }>): Promise<number> {
    const [found] = await this.#db
      .selectFrom(rows.as("slice"))
      .select(sql.raw<number>("count(*)").as("count"))
      .execute();
    return found?.count ?? 0;
  }

  /** A query of this handle, with the values that take the places of its parameters. */
  readWith<T extends keyof Database, Row>(
    query: SelectQueryBuilder<Database, T, Row>,
    values: ReadonlyMap<unknown, unknown>,
  ): Promise<Row[]> {
    return this.#ask(query.compile() as CompiledQuery<unknown> as CompiledQuery<Row>, values);
  }

  async #ask<Row>(query: CompiledQuery<Row>, values: ReadonlyMap<unknown, unknown>): Promise<Row[]> {
    const parameters = query.parameters.map((one) => (values.has(one) ? values.get(one) : one));
    return (await this.#db.executeQuery(withValues<Row>(query, parameters))).rows;
  }

  /** Asks a query that was built before, of this organization. */
  async run<V extends QueryValues, R>(prepared: PreparedQuery<OrgStore, V, R>, values: V): Promise<readonly R[]> {
    const makeHandle = (orgId: string) => new OrgStore(this.#db, orgId);
    const built = prepared.buildFor(this.#db.getExecutor().adapter, makeHandle, values);
    if (built.writes) this.#changed = true;
    const parameters = built.fill(this.orgId, values);
    if (!givesNothing(built.query)) return ask(this.#db, built.query, parameters);
    await send(this.#db, built.query, parameters);
    return [];
  }

  insertInto<T extends WritableTable>(
    table: T,
    rows: readonly Row<T>[],
  ): InsertQueryBuilder<Database, T, InsertResult> {
    this.#changed = true;
    const owned = rows.map((row) => ({ ...row, org_id: this.orgId }));
    return this.#db.insertInto(table).values(owned as never);
  }

  updateTable<T extends WritableTable>(table: T): UpdateQueryBuilder<Unmovable, T, T, UpdateResult> {
    this.#changed = true;
    const query = this.#db.updateTable(table as "players").where("org_id", "=", this.orgId);
    return query as unknown as UpdateQueryBuilder<Unmovable, T, T, UpdateResult>;
  }

  deleteFrom<T extends WritableTable>(table: T): DeleteQueryBuilder<Database, T, DeleteResult> {
    this.#changed = true;
    const query = this.#db.deleteFrom(table as "players").where("org_id", "=", this.orgId);
    return query as unknown as DeleteQueryBuilder<Database, T, DeleteResult>;
  }

  /** Tells the organization's audit log what was changed, in the transaction that changes it. */
  async record(entries: Iterable<AuditEntry>): Promise<void> {
    if (this.#audit === undefined) throw new Error("What is only read is not recorded. Write through Store.writeOrg.");
    this.#audit.record(this.orgId, entries);
  }

  /** How many entries the organization's audit log has, and the hash of the last. */
  async readAuditEnd(): Promise<ChainEnd> {
    const head = await this.#db
      .selectFrom("audit_heads")
      .select(["count", "hash"])
      .where("org_id", "=", this.orgId)
      .executeTakeFirst();
    return head ?? EMPTY_CHAIN;
  }

  /** As this handle sees it: within a transaction, the one that it began with. Undefined when the organization is gone. */
  async readRevision(): Promise<number | undefined> {
    const found = await this.#db
      .selectFrom("organizations")
      .select("revision")
      .where("id", "=", this.orgId)
      .executeTakeFirst();
    return found?.revision;
  }

  /** Whether anything was written to the organization's data: it then gets a new revision. */
  get hasChanged(): boolean {
    return this.#changed;
  }
}

/** The moment of a change, for rows that are changed without being read: now, but always later than the row was changed before, whatever the clock says. `shown` is when it last seemed to be. */
export function laterThan(now: number, shown: Expression<number> = sql.ref("updated_at")): RawBuilder<number> {
  return sql<number>`case when ${shown} < ${now} then ${now} else ${shown} + 1 end`;
}

/** The query must be the same for all values: it may not look at them. */
export function prepareQuery<V extends QueryValues, R>(
  build: (org: OrgStore, values: V) => Compilable<R>,
): PreparedQuery<OrgStore, V, R> {
  return new PreparedQuery(build);
}
