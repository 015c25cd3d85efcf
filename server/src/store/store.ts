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

/** The organization was deleted between the moment its key was looked up and that of writing. */
export class OrganizationGone extends Error {}

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

/** What belongs to the operator, and to no organization alone. */
export type OperatorTables = Pick<Database, "organizations" | "api_keys" | "settings">;

export type Operator = Kysely<OperatorTables>;

const VERSION_GOOD_FOR_MS = 0.25;

export class Store {
  readonly #engine: StoreEngine;
  /** Revisions known under one version of the store; forgotten when it changes. */
  #revisions = new Map<string, number>();
  #revisionsVersion = -1;
  #versionThisTurn: number | undefined;
  #versionAskedAt = 0;

  constructor(engine: StoreEngine) {
    this.#engine = engine;
  }

  /** The tables of the operator (organizations, keys), outside of any one organization. Only `access/` and commands use it. */
  get operator(): Operator {
    return this.#engine.reads as unknown as Operator;
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
    return this.#write(async (transaction) => {
      await requireOrganization(transaction, orgId);
      const org = new OrgStore(transaction, orgId);
      const result = await work(org);
      await org.finish();
      return result;
    });
  }

  /** Changes organizations and keys; whoever remembers either looks again. `dataOf` reaches an organization's data with them. */
  async writeAccess<T>(work: (operator: Operator, dataOf: (orgId: string) => OrgStore) => Promise<T>): Promise<T> {
    return this.#write(async (transaction) => {
      const operator = transaction as unknown as Operator;
      const result = await work(operator, (orgId) => new OrgStore(transaction, orgId));
      await operator
        .updateTable("settings")
        .set((eb) => ({ value: eb("value", "+", 1) }))
        .where("name", "=", "access_revision")
        .execute();
      return result;
    });
  }

  async #write<T>(work: (transaction: Transaction<Database>) => Promise<T>): Promise<T> {
    try {
      return await this.#engine.writes.transaction().execute(work);
    } finally {
      this.#versionThisTurn = undefined;
    }
  }

  version(): number {
    return this.#engine.version();
  }

  /**
   * The version, asked once for the requests that one turn of the event loop found waiting, and again after a write of this
   * store's own or a quarter of a millisecond. What others commit after it was asked, they commit after those requests were
   * sent; only one whose last bytes come in that quarter could be younger, and no command ends so soon after its commit.
   */
  versionThisTurn(): number {
    const now = performance.now();
    if (this.#versionThisTurn === undefined || now - this.#versionAskedAt > VERSION_GOOD_FOR_MS) {
      if (this.#versionThisTurn === undefined) {
        setImmediate(() => {
          this.#versionThisTurn = undefined;
        });
      }
      this.#versionThisTurn = this.version();
      this.#versionAskedAt = now;
    }
    return this.#versionThisTurn;
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

  /**
   * Changes with every write to the organization's data; undefined when the organization is gone. Nobody waits for
   * one that is known under the store's version, which whoever asked for it since a request came in may pass on.
   */
  revisionOf(orgId: string, version = this.version()): number | Promise<number | undefined> {
    const known = version === this.#revisionsVersion ? this.#revisions.get(orgId) : undefined;
    return known ?? this.#readRevision(orgId, version);
  }

  async #readRevision(orgId: string, version: number): Promise<number | undefined> {
    if (version !== this.#revisionsVersion) {
      this.#revisions = new Map();
      this.#revisionsVersion = version;
    }
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

async function requireOrganization(transaction: Transaction<Database>, orgId: string): Promise<void> {
  const found = await transaction.selectFrom("organizations").select("id").where("id", "=", orgId).executeTakeFirst();
  if (found === undefined) throw new OrganizationGone(`The organization ${orgId} is gone.`);
}
