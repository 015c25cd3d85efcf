/**
 * Opens the store in PostgreSQL. All that differs from the embedded one stands here and in the files beside it that bear the
 * same name. Every refusal is a `StoreError` that says what to do, and none repeats the address, which may hold a password.
 */

import { CompiledQuery, type Kysely, sql } from "kysely";
import { type Client, type ClientConfig, Pool } from "pg";
import type { AuditSealer } from "./audit-chain.ts";
import type { ChainLook } from "./audit-look.ts";
import { AuditMarks } from "./audit-marks.ts";
import { send } from "./direct-handle.ts";
import { OrgStore } from "./org-store.ts";
import { connectionOf, destroy, explained, withClient } from "./postgres-connection.ts";
import { handleOn, type MakeStatement, makeNamedStatement, makeStatement, SingleReads } from "./postgres-driver.ts";
import { findStep, migratePostgres } from "./postgres-migrate.ts";
import { CHANGES_CHANNEL, POSTGRES_MIGRATIONS, SCHEMA } from "./postgres-migrations.ts";
import { PostgresWatch, type ServerLock } from "./postgres-watch.ts";
import { PostgresWriter, postgresChains, transact } from "./postgres-writer.ts";
import { type Database, RECORD_TABLES } from "./schema.ts";
import type { Migration } from "./sqlite-migrations.ts";
import { type FoundKey, type Opened, type Scope, Store, type StoreEngine } from "./store.ts";
import { OrganizationGone, StoreError } from "./store-error.ts";
import { type GroupMode, type Work, WriteGroups } from "./write-groups.ts";

const POOL_SETTING = "LINEUP_DATABASE_URL";
const DIRECT_SETTING = "LINEUP_DATABASE_DIRECT_URL";
const IDLE_CONNECTION_MS = 30_000;
/** Those that hold values of people, or held them. */
const SWEPT_TABLES = [...RECORD_TABLES, "external_ids", "audit", "idempotent_writes", "request_blocks"];
const POOL_SIZE_DEFAULT = 10;
const RAISE_REVISION = CompiledQuery.raw("UPDATE organizations SET revision = revision + 1 WHERE id = $1");

export interface PostgresOptions {
  readonly url: string;
  /** Past a pooler, for notifications and locks, which belong to a connection. */
  readonly directUrl?: string | undefined;
  readonly poolSize?: number | undefined;
  /** Gives what seals the audit log. Without it the store is for reading. */
  readonly makeSealer?: () => AuditSealer;
  /** How far the audit log was seen; unless told, in memory alone. */
  readonly marks?: AuditMarks;
  /** For a server: whether it counts requests alone or together with others. A command takes none. */
  readonly lock?: ServerLock | undefined;
  readonly migrations?: readonly Migration[];
  /** The connection over which changes by others are heard was lost, or is back. */
  onLost?(error: Error): void;
  onBack?(): void;
  /** A connection of the pool broke while nobody used it. */
  onIdleFault?(error: Error): void;
}

export async function openPostgresStore(options: PostgresOptions): Promise<Opened> {
  const migrations = options.migrations ?? POSTGRES_MIGRATIONS;
  const config = connectionOf(POOL_SETTING, options.url);
  const direct = options.directUrl === undefined ? config : connectionOf(DIRECT_SETTING, options.directUrl);
  const directSetting = options.directUrl === undefined ? POOL_SETTING : DIRECT_SETTING;
  let migrated: number;
  let engine: PostgresEngine | undefined;
  try {
    migrated = await withClient(direct, (client) => migratePostgres(client, migrations));
    engine = new PostgresEngine(config, direct, options, migrations.length);
    await engine.start();
  } catch (error) {
    await engine?.close();
    throw explained(error, direct, directSetting);
  }
  try {
    // The way of requests may be another, and lead elsewhere.
    await engine.ping();
    const marks = options.marks ?? new AuditMarks({ dataDir: undefined, store: "postgres" });
    return { store: new Store(engine, options.makeSealer ?? refuseToSeal, marks), migrated };
  } catch (error) {
    await engine.close();
    throw explained(error, config, POOL_SETTING);
  }
}

function refuseToSeal(): never {
  throw new Error("The store was opened for reading: nothing was given to seal the audit log with.");
}

class PostgresEngine implements StoreEngine {
  readonly kind = "postgres";
  readonly claimChain = postgresChains.claimChain;
  readonly appendToChain = postgresChains.appendToChain;
  readonly fillCommitments = postgresChains.fillCommitments;
  readonly revisions: PostgresWatch;
  readonly #pool: Pool;
  readonly #clients = new Set<Client>();
  /** Of each organization that somebody is writing to. */
  readonly #groups = new Map<string, WriteGroups>();
  /** For statements that are asked again and again. */
  readonly #makeRepeated: MakeStatement;
  readonly #schemaVersion: number;
  readonly #isServer: boolean;
  readonly #direct: ClientConfig;

  constructor(config: ClientConfig, direct: ClientConfig, options: PostgresOptions, schemaVersion: number) {
    this.#schemaVersion = schemaVersion;
    this.#direct = direct;
    this.#isServer = options.lock !== undefined;
    // Behind a pooler each transaction may have another connection, which knows no names. A server that `start` lets go on without a second
    // address has no pooler before it.
    this.#makeRepeated = this.#isServer && options.directUrl === undefined ? makeNamedStatement : makeStatement;
    this.#pool = new Pool({
      ...config,
      max: options.poolSize ?? POOL_SIZE_DEFAULT,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      // A query travels with the transaction around it.
      pipeline: true,
      allowExitOnIdle: !this.#isServer,
    } as ConstructorParameters<typeof Pool>[0]);
    this.#pool.on("error", (error) => {
      // With it would go into the log what can cancel queries.
      delete (error as { client?: unknown }).client;
      options.onIdleFault?.(error);
    });
    this.#pool.on("connect", (client) => {
      this.#clients.add(client as unknown as Client);
      // One that breaks between two statements says so to anyone who sends the next; unheard, it would end the process.
      client.on("error", () => undefined);
    });
    this.#pool.on("remove", (client) => this.#clients.delete(client as unknown as Client));
    this.revisions = new PostgresWatch({
      connection: direct,
      lock: options.lock,
      readRevision: (orgId) => new OrgStore(this.readsOf({ orgId }), orgId).readRevision(),
      readRevisions: (orgIds) => this.#readRevisions(orgIds),
      readAccessRevision: () => this.#readAccessRevision(),
      say: async (word) => {
        await sql`SELECT pg_notify(${CHANGES_CHANNEL}, ${word})`.execute(this.readsOf({ orgId: "" }));
      },
      onSilent: () => {
        for (const client of this.#clients) destroy(client);
      },
      onLost: (error) => options.onLost?.(error),
      onBack: () => options.onBack?.(),
    });
  }

  /** A command reads what is stored and keeps nothing, so it need not listen. */
  async start(): Promise<void> {
    if (this.#isServer) await this.revisions.start();
  }

  readsOf(scope: Scope): Kysely<Database> {
    return handleOn<Database>(new SingleReads(this.#pool, scope));
  }

  readAtOnce<T>(scope: Scope, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
    const reading = async (db: Kysely<Database>) => {
      // Nothing can be restored while a server runs.
      if (!this.#isServer) await refuseReplaced(db);
      return work(db);
    };
    return transact(this.#pool, scope, this.#makeRepeated, reading, "ISOLATION LEVEL REPEATABLE READ READ ONLY");
  }

  write<T>(scope: Scope, mode: GroupMode, work: Work<T>, look?: () => ChainLook): Promise<T> {
    if (scope !== "operator") return this.#groupsOf(scope.orgId).write(mode, work, look);
    return transact(this.#pool, scope, this.#makeRepeated, (db) => work(db));
  }

  /** Who waits for the row that all writers of an organization take first waits here, where no connection is held meanwhile. */
  #groupsOf(orgId: string): WriteGroups {
    const known = this.#groups.get(orgId);
    if (known !== undefined) return known;
    const groups = new WriteGroups(new PostgresWriter(this.#pool, orgId, this.#makeRepeated), {
      // Before the writer is told so.
      onEnd: () => this.revisions.noteOwnWrite(orgId),
      onIdle: () => this.#groups.delete(orgId),
    });
    this.#groups.set(orgId, groups);
    return groups;
  }

  async lockOrganization(db: Kysely<Database>, orgId: string): Promise<void> {
    const query = db.selectFrom("organizations").select("id").where("id", "=", orgId).forNoKeyUpdate();
    if ((await query.execute()).length === 0) throw new OrganizationGone(orgId);
  }

  async raiseRevision(db: Kysely<Database>, orgId: string): Promise<void> {
    await send(db, RAISE_REVISION, [orgId]);
  }

  /** As the tables' owner, who alone may. What lies in the database's own journal, in copies and in backups, it cannot reach. */
  async sweepFreePages(): Promise<void> {
    const tables = SWEPT_TABLES.map((table) => `${SCHEMA}.${table}`).join(", ");
    await withClient(this.#direct, (client) => client.query(`VACUUM (INDEX_CLEANUP ON) ${tables}`));
  }

  /** Changes of keys and tiers go one after another, so that two of them cannot wait for each other. */
  async claimAccess(db: Kysely<Database>): Promise<void> {
    await db.selectFrom("settings").select("value").where("name", "=", "access_revision").forUpdate().execute();
  }

  async findKey(hash: string): Promise<FoundKey | undefined> {
    const { rows } = await sql<FoundKey>`SELECT * FROM find_key(${hash})`.execute(this.readsOf({ orgId: "" }));
    return rows[0];
  }

  async ping(): Promise<void> {
    const { rows } = await sql<{ step: number }>`SELECT max(step) AS step FROM schema_steps`.execute(
      this.readsOf({ orgId: "" }),
    );
    const step = rows[0]?.step ?? 0;
    // A newer version may have taken further steps already, while this one still serves.
    if (step < this.#schemaVersion) {
      throw new StoreError(`The schema is at step ${step}, not at ${this.#schemaVersion}.`);
    }
    if (this.revisions.hasLostLock) {
      throw new StoreError("Another server without Redis has taken this one's lock on the database.");
    }
  }

  async close(): Promise<void> {
    await this.revisions.close();
    if (!this.#pool.ended) await this.#pool.end();
  }

  /** For no request, and of many organizations; so it takes the operator's role. */
  async #readRevisions(orgIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const query = sql<{
      id: string;
      revision: number;
    }>`SELECT id, revision FROM organizations WHERE id = ANY (${orgIds})`;
    const { rows } = await query.execute(this.readsOf("operator"));
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async #readAccessRevision(): Promise<number> {
    const query = sql<{ value: number }>`SELECT value FROM settings WHERE name = 'access_revision'`;
    const { rows } = await query.execute(this.readsOf({ orgId: "" }));
    return rows[0]?.value ?? 0;
  }
}

/** A snapshot from before a restore sees all tables of the restored store empty, that of the steps among them. */
async function refuseReplaced(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql`SELECT step FROM schema_steps LIMIT 1`.execute(db);
  if (rows.length > 0) return;
  throw new StoreError("A backup was restored into the database at this moment. Try again.");
}

/** How many steps the database has taken; 0 where it holds no store. */
export async function findPostgresStep(options: Pick<PostgresOptions, "url" | "directUrl">): Promise<number> {
  const setting = options.directUrl === undefined ? POOL_SETTING : DIRECT_SETTING;
  const config = connectionOf(setting, options.directUrl ?? options.url);
  try {
    return await withClient(config, findStep);
  } catch (error) {
    throw explained(error, config, setting);
  }
}
