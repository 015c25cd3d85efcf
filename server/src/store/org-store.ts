/**
 * A handle on the data of one organization. It is the only way to that data, and it cannot leave the organization: every
 * query begins with the organization's filter, every row written carries its id, and both are put there by this file, not
 * by whoever asks.
 */
import type {
  DeleteQueryBuilder,
  DeleteResult,
  Insertable,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from "kysely";
import { type ChainEnd, EMPTY_CHAIN } from "./audit-chain.ts";
import type { AuditEntry } from "./audit-entry.ts";
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
