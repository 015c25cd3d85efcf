/**
 * The store as the rest of the server sees it: handles of organizations, which cannot leave them, and the few tables that
 * belong to the operator. Reads and writes go through different doors, so that a read never waits for a writer.
 *
 * A cache of what was read asks the store's revisions first; so nothing is ever served across a known change.
 */
import type { Tier } from "@lineup/api/tiers";
import type { Kysely } from "kysely";
import type { ApiKeysTable } from "./access-tables.ts";
import { isOlderThanLog, nameOrganizations } from "./audit-beginning.ts";
import type { AuditSealer, ChainEnd } from "./audit-chain.ts";
import { type BrokenChain, ChainConversion, type Converted, listUnconverted } from "./audit-conversion.ts";
import type { AuditEntry, Origin } from "./audit-entry.ts";
import { blankEntries, hideSomeHashes } from "./audit-erasing.ts";
import type { ChainEngine, ChainLook } from "./audit-look.ts";
import type { AuditMarks } from "./audit-marks.ts";
import { AuditWriting, type GroupChains } from "./audit-writing.ts";
import { OrgStore } from "./org-store.ts";
import type { Database, OperatorTable } from "./schema.ts";
import { UnprovenLog } from "./store-error.ts";
import type { GroupMode, Work } from "./write-groups.ts";

/** Whose rows are seen: one organization's, or those of all, which only the operator's own work may. */
export type Scope = { readonly orgId: string } | "operator";

/** How much is remembered, and how often what was asked for was: for anyone who watches. */
export interface MemoryUse {
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
}

/** Says what is current, so that anyone who keeps something it read can tell whether that still stands. */
export interface Revisions {
  /** Changes whenever keys or tiers may have changed, on this node at once: before the one who changed them is told that they are. */
  recentVersion(): number;
  /** Changes whenever an organization or a key does. Nobody waits for it in the embedded store. */
  accessRevision(): number | Promise<number>;
  /**
   * Changes with every write to the organization's data; undefined when the organization is gone. Nobody waits for
   * one that is known under the version, which anyone who asked for it since a request came in may pass on.
   */
  revisionOf(orgId: string, version?: number): number | undefined | Promise<number | undefined>;
  /** For what this process has committed itself: nobody who asks after it may be told what was before. */
  noteOwnWrite(changed: string): void;
  /** Of the revisions of organizations. */
  readonly memory: MemoryUse;
}

/** A key as it is found by its hash, with what its organization adds. */
export type FoundKey = Readonly<
  Pick<ApiKeysTable, "id" | "name" | "permissions" | "expires_at" | "revoked_at" | "org_id"> & {
    org_name: string;
    tier: Tier;
  }
>;

/** All in which the databases differ. */
export interface StoreEngine extends ChainEngine {
  readonly kind: "sqlite" | "postgres";
  readonly revisions: Revisions;
  /** For single queries, each whole by itself. */
  readsOf(scope: Scope): Kysely<Database>;
  /** All that the work reads is of one state of the store, whatever is written meanwhile. */
  readAtOnce<T>(scope: Scope, work: (db: Kysely<Database>) => Promise<T>): Promise<T>;
  /**
   * A transaction: all that the work writes is there after it, or nothing is. In one of an organization's nobody else writes its data; where
   * there is no such organization, it is refused. `look` is at its chain of the audit log, with what is known of that when the transaction begins.
   */
  write<T>(scope: Scope, mode: GroupMode, work: Work<T>, look?: () => ChainLook): Promise<T>;
  /** The same inside a transaction of the operator's: from here on nobody else writes this organization's data. */
  lockOrganization(db: Kysely<Database>, orgId: string): Promise<void>;
  /** Inside the transaction that changes the organization's data. */
  raiseRevision(db: Kysely<Database>, orgId: string): Promise<void>;
  /** Inside a transaction: nobody else changes organizations or keys until it ends. */
  claimAccess(db: Kysely<Database>): Promise<void>;
  findKey(hash: string): Promise<FoundKey | undefined>;
  /** Nothing of what was deleted is left in the store's own files, as far as the database can do that. Takes its time. */
  sweepFreePages(): Promise<void>;
  /** Throws when the store cannot be reached or its schema is not this program's. */
  ping(): void | Promise<void>;
  close(): Promise<void>;
}

/** What belongs to the operator, and to no organization alone; and what is written, or removed, for all organizations at once. */
export type OperatorTables = Pick<
  Database,
  OperatorTable | "key_usage" | "idempotent_writes" | "contract_clock" | "erasures" | "calendar_links"
>;

/** The whole audit log, to be checked. */
export type AuditTables = Pick<Database, "audit" | "audit_heads" | "audit_seals" | "organizations">;

export type Operator = Kysely<OperatorTables>;

/** What is written, or removed, of the use of keys. */
export type UseTables = Pick<
  Database,
  "organizations" | "key_usage" | "idempotent_writes" | "request_blocks" | "erasures" | "calendar_links"
>;

/** What is sent to whom, of all organizations, and who does the sending. */
export type EventTables = Pick<Database, "webhooks" | "webhook_deliveries" | "audit_heads" | "leases">;

export interface Recording {
  /** Tells the audit log of a chain, in the transaction that does what is told. */
  record(chainId: string, entries: Iterable<AuditEntry>): Promise<void>;
}

export interface AccessRecording extends Recording {
  /** An organization's data. */
  dataOf(orgId: string): OrgStore;
  /** For a new organization: its chain begins with this entry, whose hash is returned. */
  beginChain(orgId: string, first: AuditEntry): Promise<string>;
  /** For an organization that goes: its chain goes with it. Returns where it ended. */
  removeChain(orgId: string): Promise<ChainEnd>;
}

/** A store that was opened just now, and how many migrations were taken for that. */
export interface Opened {
  readonly store: Store;
  readonly migrated: number;
}

export class Store {
  readonly #engine: StoreEngine;
  readonly #makeSealer: () => AuditSealer;
  readonly #marks: AuditMarks;
  #sealer: AuditSealer | undefined;
  #pinging: Promise<void> | undefined;
  /** The tables of the operator (organizations, keys), outside of any one organization. Only `access/` and commands use it. */
  readonly operator: Operator;
  /** The audit log of all, to read. */
  readonly audit: Kysely<AuditTables>;
  /** Webhooks and deliveries of all, to read. */
  readonly events: Kysely<EventTables>;

  /** The sealer is asked for when something is first recorded. */
  constructor(engine: StoreEngine, makeSealer: () => AuditSealer, marks: AuditMarks) {
    this.#engine = engine;
    this.#marks = marks;
    this.#makeSealer = makeSealer;
    this.operator = engine.readsOf("operator") as unknown as Operator;
    this.audit = engine.readsOf("operator") as unknown as Kysely<AuditTables>;
    this.events = engine.readsOf("operator") as unknown as Kysely<EventTables>;
  }

  get kind(): StoreEngine["kind"] {
    return this.#engine.kind;
  }

  /** A handle that reads the data of one organization and nothing else. */
  org(orgId: string): OrgStore {
    return new OrgStore(this.#engine.readsOf({ orgId }), orgId);
  }

  /** All that the work reads is of one moment. It is to be short: the store keeps what is overwritten until it ends. */
  async readOrgAtOnce<T>(orgId: string, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#engine.readAtOnce({ orgId }, (db) => work(new OrgStore(db, orgId)));
  }

  /** The audit log as of one moment; to be short, too. */
  async readAuditAtOnce<T>(work: (db: Kysely<AuditTables>) => Promise<T>): Promise<T> {
    return this.#engine.readAtOnce("operator", (db) => work(db as unknown as Kysely<AuditTables>));
  }

  /**
   * Everything the work writes to the organization is there after it, or nothing is; nobody else writes to it meanwhile. The work is to wait
   * for nothing but the store: others may be waiting for it, to be told that theirs is done. It may run again, where one of those had to
   * be undone; so it changes nothing else.
   */
  async writeOrg<T>(orgId: string, origin: Origin, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#writeOrg(orgId, "grouped", origin, work);
  }

  /** The same for work that takes its time, such as an import. */
  async writeOrgAtLength<T>(orgId: string, origin: Origin, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#writeOrg(orgId, "alone", origin, work);
  }

  #writeOrg<T>(orgId: string, mode: GroupMode, origin: Origin, work: (org: OrgStore) => Promise<T>): Promise<T> {
    return this.#record({ orgId }, mode, origin, async (db, audit) => {
      const org = new OrgStore(db, orgId, audit);
      const result = await work(org);
      await audit.finish();
      if (org.hasChanged) await this.#engine.raiseRevision(db, orgId);
      return result;
    });
  }

  /** Changes organizations and keys; anyone who remembers either looks again. */
  async writeAccess<T>(origin: Origin, work: (operator: Operator, more: AccessRecording) => Promise<T>): Promise<T> {
    const written = this.#record("operator", "alone", origin, async (db, audit) => {
      await this.#engine.claimAccess(db);
      const operator = db as unknown as Operator;
      const result = await work(operator, {
        dataOf: (orgId) => new OrgStore(db, orgId, audit),
        record: async (chainId, entries) => audit.record(chainId, entries),
        beginChain: (orgId, first) => audit.begin(orgId, first),
        removeChain: (orgId) => audit.remove(orgId),
      });
      await audit.finish();
      await operator
        .updateTable("settings")
        .set((eb) => ({ value: eb("value", "+", 1) }))
        .where("name", "=", "access_revision")
        .execute();
      return result;
    });
    // Also where it failed: nobody knows how far it came.
    return written.finally(() => this.#engine.revisions.noteOwnWrite("access"));
  }

  /** Changes what belongs to people, or to nobody: nothing that is remembered of keys and organizations becomes stale by it. */
  async writePeople<T>(origin: Origin, work: (operator: Operator, more: Recording) => Promise<T>): Promise<T> {
    return this.#record("operator", "alone", origin, async (db, audit) => {
      const result = await work(db as unknown as Operator, {
        record: async (chainId, entries) => audit.record(chainId, entries),
      });
      await audit.finish();
      return result;
    });
  }

  /** Writes how keys are used, for all organizations at once. Nothing that is remembered becomes stale by it; the last may be lost with the machine. */
  async writeUse<T>(work: (db: Kysely<UseTables>) => Promise<T>): Promise<T> {
    return this.#engine.write("operator", "soon", (db) => work(db as unknown as Kysely<UseTables>));
  }

  /** Writes how deliveries went, for all organizations at once: no organization's data, so that nothing that is remembered becomes stale. */
  async writeEvents<T>(work: (db: Kysely<EventTables>) => Promise<T>): Promise<T> {
    return this.#engine.write("operator", "soon", (db) => work(db as unknown as Kysely<EventTables>));
  }

  /**
   * Brings audit logs of older versions up to date: organizations of before there was one are named in it, and in logs that are older than erasing
   * it is made possible, or in one of them alone. Usually there is nothing to do.
   */
  async convertChains(origin: Origin, now = Date.now(), only?: string): Promise<Converted> {
    // Who cannot seal is told so now, and not with the first write.
    this.#requireSealer();
    const engine = this.#engine;
    if (only === undefined && (await isOlderThanLog(engine.readsOf("operator")))) {
      await this.#record("operator", "alone", origin, (db, audit) => nameOrganizations(db, audit, now));
    }
    let entries = 0;
    const broken: BrokenChain[] = [];
    for (const chainId of await listUnconverted(engine.readsOf("operator"))) {
      if (only !== undefined && chainId !== only) continue;
      const conversion = new ChainConversion(chainId);
      const piece = (db: Kysely<Database>, audit: AuditWriting) => conversion.convertSome(db, audit, engine, now);
      let state: Awaited<ReturnType<typeof piece>>;
      do {
        state = await this.#record("operator", "alone", origin, piece);
      } while (state === "more");
      if (state !== "done") broken.push(state);
      entries += conversion.entries;
    }
    return { entries, broken };
  }

  /**
   * Erases in an organization's data and in its audit log alike. As the operator: nobody else may touch what was recorded. `blank` takes the
   * values of records out of the entries so far; the work is to record that it did.
   */
  async eraseInOrg<T>(
    orgId: string,
    origin: Origin,
    work: (org: OrgStore, blank: (recordIds: readonly string[]) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const result = await this.#record("operator", "alone", origin, async (db, audit) => {
      await this.#engine.lockOrganization(db, orgId);
      await audit.claim(orgId);
      if ((await listUnconverted(db)).includes(orgId)) throw new UnprovenLog(orgId);
      const result = await work(new OrgStore(db, orgId, audit), (ids) => blankEntries(db, orgId, ids));
      await audit.finish();
      await this.#engine.raiseRevision(db, orgId);
      return result;
    });
    this.#engine.revisions.noteOwnWrite(orgId);
    return result;
  }

  /** After an erasure: what would let guesses at erased values be confirmed is hidden, and free pages are emptied. */
  async sweep(orgIds: Iterable<string>): Promise<void> {
    const sealer = this.#requireSealer();
    for (const orgId of orgIds) {
      const hide = (db: Kysely<Database>) => hideSomeHashes(db, sealer, orgId);
      while (await this.#engine.write("operator", "alone", hide));
    }
    await this.#engine.sweepFreePages();
  }

  /** For comparing a text later without keeping it: only those who have the secret can. */
  hashUnderSecret(orgId: string, text: string): string {
    return this.#requireSealer().hashText(orgId, text);
  }

  findKey(hash: string): Promise<FoundKey | undefined> {
    return this.#engine.findKey(hash);
  }

  recentVersion(): number {
    return this.#engine.revisions.recentVersion();
  }

  accessRevision(): number | Promise<number> {
    return this.#engine.revisions.accessRevision();
  }

  revisionOf(orgId: string, version?: number): number | undefined | Promise<number | undefined> {
    return this.#engine.revisions.revisionOf(orgId, version);
  }

  /** Of the revisions of organizations. */
  get revisionMemory(): MemoryUse {
    return this.#engine.revisions.memory;
  }

  /** Those who ask while one is under way wait for that. */
  ping(): Promise<void> {
    this.#pinging ??= Promise.try(() => this.#engine.ping()).finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async close(): Promise<void> {
    try {
      await this.#engine.close();
    } finally {
      await this.#marks.close();
    }
  }

  /** A transaction that the audit log is told of. */
  async #record<T>(
    scope: Scope,
    mode: GroupMode,
    origin: Origin,
    work: (db: Kysely<Database>, audit: AuditWriting) => Promise<T>,
  ): Promise<T> {
    const [engine, sealer, marks] = [this.#engine, this.#requireSealer(), this.#marks];
    await marks.load(this.audit);
    let audit: AuditWriting | undefined;
    const chainId = scope === "operator" ? undefined : scope.orgId;
    const look = chainId === undefined ? undefined : () => ({ chainId, mark: sealer.mark, known: marks.find(chainId) });
    const writing = (db: Kysely<Database>, shared?: GroupChains) => {
      audit = new AuditWriting({ db, engine, sealer, marks, origin, shared });
      return work(db, audit);
    };
    const result = await engine.write(scope, mode, writing, look);
    audit?.noteCommitted();
    return result;
  }

  #requireSealer(): AuditSealer {
    this.#sealer ??= this.#makeSealer();
    return this.#sealer;
  }
}
