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
import type { ChangesTable, Database, OrgTable } from "./schema.ts";

type Row<T extends OrgTable> = Omit<Insertable<Database[T]>, "org_id">;

/** The tables as an update sees them: a record cannot be moved to another organization. */
type Unmovable = { [T in OrgTable]: Omit<Database[T], "org_id"> };

export class OrgStore {
  readonly orgId: string;
  readonly #db: Kysely<Database>;
  #changed = false;

  constructor(db: Kysely<Database>, orgId: string) {
    this.#db = db;
    this.orgId = orgId;
  }

  selectFrom<T extends OrgTable>(table: T): SelectQueryBuilder<Database, T, object> {
    // Kysely cannot see through the type parameter that every table of an organization has the column.
    const query = this.#db.selectFrom(table as "players").where(`${table as "players"}.org_id`, "=", this.orgId);
    return query as unknown as SelectQueryBuilder<Database, T, object>;
  }

  insertInto<T extends OrgTable>(table: T, rows: readonly Row<T>[]): InsertQueryBuilder<Database, T, InsertResult> {
    this.#changed = true;
    const owned = rows.map((row) => ({ ...row, org_id: this.orgId }));
    return this.#db.insertInto(table).values(owned as never);
  }

  updateTable<T extends OrgTable>(table: T): UpdateQueryBuilder<Unmovable, T, T, UpdateResult> {
    this.#changed = true;
    const query = this.#db.updateTable(table as "players").where("org_id", "=", this.orgId);
    return query as unknown as UpdateQueryBuilder<Unmovable, T, T, UpdateResult>;
  }

  deleteFrom<T extends OrgTable>(table: T): DeleteQueryBuilder<Database, T, DeleteResult> {
    this.#changed = true;
    const query = this.#db.deleteFrom(table as "players").where("org_id", "=", this.orgId);
    return query as unknown as DeleteQueryBuilder<Database, T, DeleteResult>;
  }

  /** Remembers what was changed, in the transaction that changes it. */
  async recordChanges(changes: readonly Omit<ChangesTable, "org_id">[]): Promise<void> {
    if (changes.length > 0) await this.insertInto("changes", changes).execute();
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

  /** Ends a transaction: if anything was written, the organization has a new revision. */
  async finish(): Promise<void> {
    if (!this.#changed) return;
    await this.#db
      .updateTable("organizations")
      .set((eb) => ({ revision: eb("revision", "+", 1) }))
      .where("id", "=", this.orgId)
      .execute();
  }
}
