/**
 * The store as the rest of the server sees it: handles of organizations, which cannot leave them, and the few tables that
 * belong to the operator. Reads and writes go through different doors, so that a read never waits for a writer.
 *
 * `version()` is a number that differs whenever anything was committed since, by this process or another. Whoever keeps
 * something it read asks for it first; so nothing is ever served across a known change.
 */
import type { Kysely, Transaction } from "kysely";
import { OrgStore } from "./org-store.ts";
import type { Database } from "./schema.ts";

/** A reason not to open or use a store, in words for the operator. */
export class StoreError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
  }
}

export interface StoreEngine {
  readonly reads: Kysely<Database>;
  /** Each transaction of it sees one state of the store, whatever is written meanwhile. */
  readonly readsOfOneState: Kysely<Database>;
  readonly writes: Kysely<Database>;
  version(): number;
  /** Throws when the store cannot be reached or its schema is not this program's. */
  ping(): void | Promise<void>;
  close(): Promise<void>;
}

export type Operator = Kysely<Database> | Transaction<Database>;

export class Store {
  readonly #engine: StoreEngine;
  /** Revisions known under one version of the store; forgotten when it changes. */
  #revisions = new Map<string, number>();
  #revisionsVersion = -1;

  constructor(engine: StoreEngine) {
    this.#engine = engine;
  }

  /** The tables of the operator (organizations, keys), outside of any one organization. Only `access/` and commands use it. */
  get operator(): Kysely<Database> {
    return this.#engine.reads;
  }

  /** A handle that reads the data of one organization and nothing else. */
  org(orgId: string): OrgStore {
    return new OrgStore(this.#engine.reads, orgId);
  }

  /** All that the work reads is of one moment. It is to be short: the store keeps what is overwritten until it ends. */
  async readOrgAtOnce<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#engine.readsOfOneState.transaction().execute((transaction) => work(new OrgStore(transaction, orgId)));
  }

  /** Everything the work writes to the organization is there after it, or nothing is. */
  async writeOrg<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#engine.writes.transaction().execute(async (transaction) => {
      const org = new OrgStore(transaction, orgId);
      const result = await work(org);
      await org.finish();
      return result;
    });
  }

  /** Changes organizations and keys; whoever remembers either looks again. */
  async writeAccess<T>(work: (operator: Transaction<Database>) => Promise<T>): Promise<T> {
    return this.#engine.writes.transaction().execute(async (transaction) => {
      const result = await work(transaction);
      await transaction
        .updateTable("settings")
        .set((eb) => ({ value: eb("value", "+", 1) }))
        .where("name", "=", "access_revision")
        .execute();
      return result;
    });
  }

  version(): number {
    return this.#engine.version();
  }

  /** Changes whenever an organization or a key does. */
  async accessRevision(): Promise<number> {
    const row = await this.#engine.reads
      .selectFrom("settings")
      .select("value")
      .where("name", "=", "access_revision")
      .executeTakeFirst();
    return row?.value ?? 0;
  }

  /** Changes with every write to the organization's data; undefined when the organization is gone. */
  async revisionOf(orgId: string): Promise<number | undefined> {
    const version = this.version();
    if (version !== this.#revisionsVersion) {
      this.#revisions = new Map();
      this.#revisionsVersion = version;
    }
    const known = this.#revisions.get(orgId);
    if (known !== undefined) return known;
    const row = await this.#engine.reads
      .selectFrom("organizations")
      .select("revision")
      .where("id", "=", orgId)
      .executeTakeFirst();
    if (row !== undefined && this.#revisionsVersion === version) this.#revisions.set(orgId, row.revision);
    return row?.revision;
  }

  async ping(): Promise<void> {
    await this.#engine.ping();
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }
}
