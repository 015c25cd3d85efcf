/**
 * A handle on the data of one organization. It is the only way to that data, and it cannot leave the organization: every
 * query begins with the organization's filter, every row written carries its id, and both are put there by this file, not
 * by anyone who asks.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DeleteQueryBuilder,
  DeleteQueryNode,
  type DeleteResult,
  type Expression,
  type Insertable,
  type InsertQueryBuilder,
  InsertQueryNode,
  type InsertResult,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type UpdateQueryBuilder,
  UpdateQueryNode,
  type UpdateResult,
} from "kysely";
import { type ChainEnd, EMPTY_CHAIN } from "./audit-chain.ts";
import type { AuditEntry } from "./audit-entry.ts";
import type { AuditWriting } from "./audit-writing.ts";
import { ask, send } from "./direct-handle.ts";
import { type JsonWriter, postgresJson, sqliteJson } from "./json-writer.ts";
import type { Database, OrgTable } from "./schema.ts";

/** The audit log is read here like any other table, and written by `record` alone. */
export type WritableTable = Exclude<OrgTable, "audit">;

type Row<T extends WritableTable> = Omit<Insertable<Database[T]>, "org_id">;

/** The tables as an update sees them: a record cannot be moved to another organization. */
type Unmovable = { [T in WritableTable]: Omit<Database[T], "org_id"> };

/** Rows of a query, as one piece of JSON. */
export interface GatheredJson {
  /** Of no use unless it is whole. */
  readonly bytes: Buffer;
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
  readonly #audit: Pick<AuditWriting, "record"> | undefined;
  #changed = false;

  /** Without the audit log it is for reading. */
  constructor(db: Kysely<Database>, orgId: string, audit?: Pick<AuditWriting, "record">) {
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

  /** Rows that a query of this handle gives, in its order. */
  async gatherJson<T extends keyof Database>(
    rows: SelectQueryBuilder<Database, T, { id: string; json: string | null }>,
  ): Promise<GatheredJson> {
    const found = await this.#db
      .selectFrom(rows.as("slice"))
      .select([
        this.json.join("slice.json").as("json"),
        sql.raw<number>("count(*)").as("count"),
        sql.raw<number>("count(slice.json)").as("written"),
        sql.raw<string | null>("min(slice.id)").as("first_id"),
        sql.raw<string | null>("max(slice.id)").as("last_id"),
      ])
      .executeTakeFirstOrThrow();
    const { json, count, written, first_id: firstId, last_id: lastId } = found;
    // Of no rows there is no text.
    const bytes = json instanceof Buffer ? json : Buffer.from(json ?? "");
    return { bytes, count, isWhole: written === count, firstId, lastId };
  }

  /** How many rows a query of this handle gives. */
  async countRows<T extends keyof Database>(rows: SelectQueryBuilder<Database, T, { id: string }>): Promise<number> {
    const [found] = await this.#db
      .selectFrom(rows.as("slice"))
      .select(sql.raw<number>("count(*)").as("count"))
      .execute();
    return found?.count ?? 0;
  }

  /** Asks a query that was built before, of this organization. */
  async run<V extends QueryValues, R>(prepared: PreparedQuery<V, R>, values: V): Promise<readonly R[]> {
    const { query, writes, givesRows, parameters } = prepared.fill(this.#db, this.orgId, values);
    if (writes) this.#changed = true;
    if (givesRows) return ask(this.#db, query, parameters);
    await send(this.#db, query, parameters);
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

/*
 * Queries that are asked again and again with other values. To build one and to write its text takes several times as long as SQLite takes
 * to answer it, so it is built once for each database, with a mark in the place of every value, the organization's id among them. Only
 * the values are new each time.
 */

export type QueryValues = Readonly<Record<string, string | number | null>>;

/** Stands for a value while the query is built. It is an object, so no value that anybody sends is ever taken for it. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const ORGANIZATION = new Placeholder("the organization");

interface BuiltQuery<R> {
  readonly query: CompiledQuery<R>;
  readonly writes: boolean;
  readonly givesRows: boolean;
  /** How many values it was built with; not one more may be given to it, which it would silently leave out. */
  readonly size: number;
}

export class PreparedQuery<V extends QueryValues, R> {
  readonly #build: (org: OrgStore, values: V) => Compilable<R>;
  /** By adapter: there is one for each database, however many handles there are on it. */
  readonly #built = new Map<unknown, BuiltQuery<R>>();

  constructor(build: (org: OrgStore, values: V) => Compilable<R>) {
    this.#build = build;
  }

  fill(db: Kysely<Database>, orgId: string, values: V) {
    const built = this.#built.get(db.getExecutor().adapter) ?? this.#buildFor(db, values);
    if (Object.keys(values).length !== built.size) throw new Error("A prepared query always takes the same values.");
    const fillIn = (one: unknown) => (one instanceof Placeholder ? valueAt(one, orgId, values) : one);
    return { ...built, parameters: built.query.parameters.map(fillIn) };
  }

  #buildFor(db: Kysely<Database>, values: V): BuiltQuery<R> {
    const names = Object.keys(values);
    const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)]));
    // Whatever a query is built of, Kysely takes for a value and hands on as it is.
    const org = new OrgStore(db, ORGANIZATION as unknown as string);
    const query = this.#build(org, placeholders as unknown as V).compile();
    const built = { query, writes: org.hasChanged, givesRows: givesRows(query), size: names.length };
    this.#built.set(db.getExecutor().adapter, built);
    return built;
  }
}

function givesRows({ query: node }: CompiledQuery): boolean {
  const writes = InsertQueryNode.is(node) || UpdateQueryNode.is(node) || DeleteQueryNode.is(node);
  return !writes || node.returning !== undefined;
}

function valueAt(placeholder: Placeholder, orgId: string, values: QueryValues): string | number | null {
  if (placeholder === ORGANIZATION) return orgId;
  const value = values[placeholder.name];
  if (value === undefined) throw new Error(`A prepared query was not given its value for ${placeholder.name}.`);
  return value;
}

/** The query must be the same for all values: it may not look at them. */
export function prepareQuery<V extends QueryValues, R>(
  build: (org: OrgStore, values: V) => Compilable<R>,
): PreparedQuery<V, R> {
  return new PreparedQuery(build);
}
