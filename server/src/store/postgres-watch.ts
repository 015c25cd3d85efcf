/**
 * The connection over which a node hears of changes, and what it therefore knows to be current (postgres-revisions.ts). It is watched: one that
 * breaks, or does not answer its heartbeat, is given up with all that was known, and made anew.
 *
 * The same connection holds the server's lock, which a node counting by itself holds alone, and nodes that count in Redis
 * hold together. So a second node without Redis finds it taken. Where the network swallowed a connection without a word, the lock stays
 * with its server process; the node that made it knows which one that was, and ends it.
 */
import { randomUUID } from "node:crypto";
import { Client, type ClientConfig } from "pg";
import { afterPatience, destroy, endWithin } from "./postgres-connection.ts";
import { CHANGES_CHANNEL } from "./postgres-migrations.ts";
import { KnownRevisions, type RevisionSource, TRUSTED_MS } from "./postgres-revisions.ts";
import type { MemoryUse, Revisions } from "./store.ts";
import { StoreError } from "./store-error.ts";

const HEARTBEAT_EVERY_MS = 1_000;
const HEARTBEAT_PATIENCE_MS = 2_000;
const CONNECT_PATIENCE_MS = 5_000;
const HEARING_PATIENCE_MS = 2_000;
const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 1_000;
/** Anyone who holds it alone knows that no server runs on the database, and that none can start. */
export const SERVER_LOCK = 0x4c6e4e64;

/** How this node counts requests: by itself, which only one may, or in Redis with others. */
export type ServerLock = "alone" | "together";

export interface WatchOptions extends RevisionSource {
  readonly connection: ClientConfig;
  /** Undefined for a command, which serves nobody and takes none. */
  readonly lock: ServerLock | undefined;
  readAccessRevision(): Promise<number>;
  /** Notifies those who listen, over the way that queries take. */
  say(word: string): Promise<void>;
  /** The connection did not answer: those of the pool will not either. */
  onSilent(): void;
  onLost(error: Error): void;
  onBack(): void;
}

/** Which process of the server a connection leads to. Numbers of processes come again, moments of beginning do not. */
interface Backend {
  readonly pid: number;
  readonly began: string;
}

export class PostgresWatch implements Revisions {
  readonly #options: WatchOptions;
  readonly #known: KnownRevisions;
  #client: Client | undefined;
  #backend: Backend | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #version = 1;
  #versionAt = 0;
  #isClosed = false;
  /** Hears every notification, while somebody waits for one. */
  #heard: ((payload: string) => void) | undefined;
  #holdsLock = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#known = new KnownRevisions(options);
  }

  get isListening(): boolean {
    return this.#client !== undefined;
  }

  /** Whether another node has taken the lock that this one held before its connection was lost. */
  get hasLostLock(): boolean {
    const { lock } = this.#options;
    return this.isListening && lock !== undefined && !this.#holdsLock;
  }

  /** Rejects where there is no connection, no lock, or where what the pool says is not heard. */
  async start(): Promise<void> {
    await this.#connect();
    if (this.hasLostLock) {
      await this.close();
      throw lockTaken(this.#options.lock);
    }
    await this.#requireHearing();
  }

  /** A word through the pool must be heard here: else the two lead to different databases, or a pooler stands between. */
  async #requireHearing(): Promise<void> {
    const word = `hello ${randomUUID()}`;
    const { promise: hasHeard, resolve } = Promise.withResolvers<boolean>();
    this.#heard = (payload) => {
      if (payload === word) resolve(true);
    };
    const late = setTimeout(resolve, HEARING_PATIENCE_MS, false);
    try {
      await this.#options.say(word);
      // Behind a pooler two queries may be answered by two servers, or a word may wait for the next one.
      if ((await hasHeard) && (await this.#isOwnConnection())) return;
    } finally {
      clearTimeout(late);
      this.#heard = undefined;
    }
    await this.close();
    throw notHeard();
  }

  /** A pooler in transaction mode loses what is set for a session, or keeps it for somebody else. */
  async #isOwnConnection(): Promise<boolean> {
    const { rows } = (await this.#client?.query("SELECT pg_backend_pid() AS pid")) ?? { rows: [] };
    return rows[0]?.pid === (this.#client as unknown as { processID?: number })?.processID;
  }

  /** Changes whenever keys or tiers may have: when told so, and at the latest when it can no longer be trusted. */
  recentVersion(): number {
    const now = performance.now();
    if (!this.isListening || now - this.#versionAt > TRUSTED_MS) {
      this.#version++;
      this.#versionAt = now;
    }
    return this.#version;
  }

  async accessRevision(): Promise<number> {
    const { life } = this.#known;
    return this.#known.stamp(await this.#options.readAccessRevision(), life);
  }

  revisionOf(orgId: string): number | Promise<number | undefined> {
    return this.#known.find(orgId);
  }

  get memory(): MemoryUse {
    return this.#known.memory;
  }

  /** What was just written here is not to be taken from memory, no matter who asks next. */
  noteOwnWrite(changed: string | "access"): void {
    if (changed === "access") this.#version++;
    else this.#known.forget(changed);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#letGo();
    if (client !== undefined) await endWithin(client, HEARTBEAT_PATIENCE_MS);
  }

  async #connect(): Promise<void> {
    const client = new Client(this.#options.connection);
    client.on("error", (error) => this.#lose(client, error));
    client.on("end", () => this.#lose(client, new Error("The connection was ended.")));
    client.on("notification", ({ payload = "" }) => {
      this.#heard?.(payload);
      this.noteOwnWrite(payload);
    });
    const late = setTimeout(() => destroy(client), CONNECT_PATIENCE_MS);
    try {
      await client.connect();
      // The lock must not be held for hours by a connection that nobody has any more.
      await client.query("SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3");
      await client.query(`LISTEN ${CHANGES_CHANNEL}`);
      await this.#takeLock(client);
    } catch (error) {
      destroy(client);
      throw error;
    } finally {
      clearTimeout(late);
    }
    if (this.#isClosed) return endWithin(client, HEARTBEAT_PATIENCE_MS);
    this.#version++;
    this.#known.begin();
    this.#client = client;
    this.#beatLater(client);
  }

  #beatLater(client: Client): void {
    this.#heartbeat = setTimeout(() => void this.#beat(client), HEARTBEAT_EVERY_MS).unref();
  }

  /** One query within its time; and, where the lock was lost, another try to have it back. */
  async #beat(client: Client): Promise<void> {
    const endWaiting = afterPatience(HEARTBEAT_PATIENCE_MS, () => {
      this.#options.onSilent();
      this.#lose(client, new Error("The database did not answer in time."));
    });
    try {
      if (this.hasLostLock) await this.#takeLock(client);
      else await client.query("SELECT 1");
      if (this.#client === client) this.#beatLater(client);
    } catch (error) {
      this.#lose(client, error instanceof Error ? error : new Error(String(error)));
    } finally {
      endWaiting();
    }
  }

  async #takeLock(client: Client): Promise<void> {
    const { lock } = this.#options;
    if (lock === undefined) return;
    const take = lock === "alone" ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
    const { rows } = await client.query(
      `SELECT ${take}($1) AS is_taken, pid, backend_start::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
      [SERVER_LOCK],
    );
    const [found] = rows;
    this.#holdsLock = found?.is_taken === true;
    if (this.#holdsLock) this.#backend = { pid: found.pid, began: found.began };
    else if (this.#backend !== undefined) await endBackend(client, this.#backend);
  }

  #lose(client: Client, error: Error): void {
    if (this.#client !== client) return;
    this.#letGo();
    // It may be silent rather than gone, and would then never end.
    destroy(client);
    if (this.#isClosed) return;
    this.#options.onLost(error);
    this.#reconnectIn(RECONNECT_MIN_MS);
  }

  #letGo(): void {
    clearTimeout(this.#heartbeat);
    this.#client = undefined;
    this.#holdsLock = false;
    this.#version++;
    this.#known.end();
  }

  #reconnectIn(waitMs: number): void {
    this.#retry = setTimeout(() => {
      this.#connect().then(
        () => {
          if (!this.#isClosed) this.#options.onBack();
        },
        () => {
          if (!this.#isClosed) this.#reconnectIn(Math.min(waitMs * 2, RECONNECT_MAX_MS));
        },
      );
    }, waitMs);
    this.#retry.unref();
  }
}

/** Our own from before, which nobody is at the other end of. */
async function endBackend(client: Client, { pid, began }: Backend): Promise<void> {
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2",
    [pid, began],
  );
}

function lockTaken(lock: ServerLock | undefined): StoreError {
  return new StoreError(
    lock === "alone"
      ? "Another Lineup server runs on this database, or a restore or a move is under way there. More than one server needs Redis, to count requests together: set LINEUP_REDIS_URL " +
          "for all of them, or stop the other one."
      : "A Lineup server without Redis runs on this database and counts requests by itself, or a restore or a move is under way there. " +
          "Stop that server, or set LINEUP_REDIS_URL for it too; or wait.",
  );
}

function notHeard(): StoreError {
  return new StoreError(
    "Notifications sent by way of LINEUP_DATABASE_URL do not arrive. Where a pooler such as PgBouncer stands before the database, set " +
      "LINEUP_DATABASE_DIRECT_URL to the address of PostgreSQL itself; where that is set, it must lead to the same database.",
  );
}
