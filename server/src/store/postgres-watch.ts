/**
 * What is known to be current, over many nodes. Whoever writes raises a revision in the same transaction, and PostgreSQL tells
 * every node that listens when that transaction has committed.
 *
 * What always holds: a revision is served from memory only while this node listens, only until it hears of a change, and never
 * for longer than `TRUSTED_MS` after it was read; so a notification that is lost delays a change by that long at most. What this node
 * writes itself it forgets at once. A reading that was under way when a change became known is not kept. When the connection that
 * listens is lost, or does not answer its heartbeat, everything is forgotten, and nothing is kept until it is there again.
 *
 * The same connection holds the node's place: a lock that a node counting by itself holds alone, and nodes that count in Redis
 * hold together. So a second node without Redis finds the place taken.
 */
import { Client, type ClientConfig } from "pg";
import { CHANGES_CHANNEL } from "./postgres-migrations.ts";
import { StoreError } from "./store.ts";

export const TRUSTED_MS = 3_000;
/** What is asked for is read again before it can no longer be trusted, many organizations with one query; so nobody waits for it. */
const REFRESH_EVERY_MS = 1_000;
const REFRESHED_AT_ONCE = 5_000;
const HEARTBEAT_EVERY_MS = 1_000;
const HEARTBEAT_PATIENCE_MS = 2_000;
const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 1_000;
/** Organizations whose revision is remembered; beyond it the one remembered first is read again. */
const REMEMBERED_MAX = 100_000;
/** Whoever holds it alone knows that no server runs on the database, and that none can start. */
export const PLACE_LOCK = 0x4c6e4e64;

/** How this node counts requests: by itself, which only one may, or in Redis with others. */
export type Place = "alone" | "together";

export interface WatchOptions {
  readonly connection: ClientConfig;
  /** Undefined for a command, which serves nobody and takes no place. */
  readonly place: Place | undefined;
  readRevision(orgId: string): Promise<number | undefined>;
  /** Those that are gone are left out. */
  readRevisions(orgIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  readAccessRevision(): Promise<number>;
  /** The connection did not answer: those of the pool will not either. */
  onSilent(): void;
  onLost(error: Error): void;
  onBack(): void;
}

interface Known {
  readonly revision: number;
  readonly readAt: number;
  /** Whether anybody has asked for it since it was read. */
  isUsed: boolean;
}

export class PostgresWatch {
  readonly #options: WatchOptions;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<number | undefined>>();
  #client: Client | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;
  #version = 1;
  #versionAt = 0;
  #isClosed = false;
  #holdsPlace = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  get isListening(): boolean {
    return this.#client !== undefined;
  }

  /** Whether another node has taken the place that this one held before its connection was lost. */
  get hasLostPlace(): boolean {
    return this.isListening && this.#options.place !== undefined && !this.#holdsPlace;
  }

  /** Rejects where there is no connection, or no place. */
  async start(): Promise<void> {
    await this.#connect();
    if (this.hasLostPlace) {
      await this.close();
      throw placeTaken(this.#options.place);
    }
  }

  /** Changes whenever keys or tiers may have: when told so, and at the latest when it can no longer be trusted. */
  versionThisTurn(): number {
    const now = performance.now();
    if (!this.isListening || now - this.#versionAt > TRUSTED_MS) {
      this.#version++;
      this.#versionAt = now;
    }
    return this.#version;
  }

  accessRevision(): Promise<number> {
    return this.#options.readAccessRevision();
  }

  /** Nobody waits for one that is known. */
  revisionOf(orgId: string): number | Promise<number | undefined> {
    const known = this.#known.get(orgId);
    if (known !== undefined && performance.now() - known.readAt <= TRUSTED_MS) {
      known.isUsed = true;
      return known.revision;
    }
    return this.#reading.get(orgId) ?? this.#read(orgId);
  }

  /** What was just written here is not to be taken from memory, whoever asks next. */
  noteOwnWrite(changed: string | "access"): void {
    if (changed === "access") this.#version++;
    else this.#forget(changed);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#letGo();
    await client?.end().catch(() => undefined);
  }

  #read(orgId: string): Promise<number | undefined> {
    const readAt = performance.now();
    const reading = this.#options.readRevision(orgId).then(
      (revision) => {
        // Taken out of the list by whoever learned of a change meanwhile: it may be from before it.
        if (this.#reading.get(orgId) === reading) {
          this.#reading.delete(orgId);
          if (revision !== undefined && this.isListening) this.#remember(orgId, { revision, readAt, isUsed: false });
        }
        return revision;
      },
      (error: unknown) => {
        if (this.#reading.get(orgId) === reading) this.#reading.delete(orgId);
        throw error;
      },
    );
    this.#reading.set(orgId, reading);
    return reading;
  }

  /** Where it fails, what is known simply grows too old, and is read when somebody asks. */
  async #refreshUsed(): Promise<void> {
    const used = [...this.#known].filter(([, known]) => known.isUsed);
    try {
      for (let from = 0; from < used.length; from += REFRESHED_AT_ONCE) {
        const some = used.slice(from, from + REFRESHED_AT_ONCE);
        const readAt = performance.now();
        const revisions = await this.#options.readRevisions(some.map(([orgId]) => orgId));
        for (const [orgId, known] of some) {
          // Forgotten or read anew meanwhile: what was just read may be from before that.
          if (this.#known.get(orgId) !== known) continue;
          const revision = revisions.get(orgId);
          if (revision === undefined) this.#forget(orgId);
          else this.#remember(orgId, { revision, readAt, isUsed: false });
        }
      }
    } catch {
      // The heartbeat sees to a database that is away.
    }
    if (this.isListening) this.#refreshLater();
  }

  #refreshLater(): void {
    clearTimeout(this.#refresh);
    this.#refresh = setTimeout(() => void this.#refreshUsed(), REFRESH_EVERY_MS).unref();
  }

  #remember(orgId: string, known: Known): void {
    this.#known.delete(orgId);
    if (this.#known.size >= REMEMBERED_MAX) {
      const oldest = this.#known.keys().next().value;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(orgId, known);
  }

  #forget(orgId: string): void {
    this.#known.delete(orgId);
    this.#reading.delete(orgId);
  }

  #forgetAll(): void {
    this.#version++;
    this.#known.clear();
    this.#reading.clear();
  }

  async #connect(): Promise<void> {
    const client = new Client(this.#options.connection);
    client.on("error", (error) => this.#lose(client, error));
    client.on("end", () => this.#lose(client, new Error("The connection was ended.")));
    client.on("notification", ({ payload = "" }) => {
      if (payload === "access") this.#version++;
      else this.#forget(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANGES_CHANNEL}`);
      await this.#takePlace(client);
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.#forgetAll();
    if (this.#isClosed) return void client.end().catch(() => undefined);
    this.#client = client;
    this.#heartbeat = setTimeout(() => void this.#beat(client), HEARTBEAT_EVERY_MS).unref();
    this.#refreshLater();
  }

  /** One query within its time; and, where the place was lost, another try to have it back. */
  async #beat(client: Client): Promise<void> {
    const silent = setTimeout(() => {
      this.#options.onSilent();
      this.#lose(client, new Error("The database did not answer in time."));
    }, HEARTBEAT_PATIENCE_MS);
    try {
      if (this.hasLostPlace) await this.#takePlace(client);
      else await client.query("SELECT 1");
      if (this.#client === client) {
        this.#heartbeat = setTimeout(() => void this.#beat(client), HEARTBEAT_EVERY_MS).unref();
      }
    } catch (error) {
      this.#lose(client, error instanceof Error ? error : new Error(String(error)));
    } finally {
      clearTimeout(silent);
    }
  }

  async #takePlace(client: Client): Promise<void> {
    const { place } = this.#options;
    if (place === undefined) return;
    const take = place === "alone" ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
    const { rows } = await client.query(`SELECT ${take}($1) AS is_taken`, [PLACE_LOCK]);
    this.#holdsPlace = rows[0]?.is_taken === true;
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
    clearTimeout(this.#refresh);
    this.#client = undefined;
    this.#holdsPlace = false;
    this.#forgetAll();
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

/** Ends a connection without a word, which one that is silent would not answer. */
export function destroy(client: Client): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}

function placeTaken(place: Place | undefined): StoreError {
  return new StoreError(
    place === "alone"
      ? "Another Lineup server runs on this database, or a restore or a move is under way there. More than one server needs Redis, to count requests together: set LINEUP_REDIS_URL " +
          "for all of them, or stop the other one."
      : "A Lineup server without Redis runs on this database and counts requests by itself, or a restore or a move is under way there. " +
          "Stop that server, or set LINEUP_REDIS_URL for it too; or wait.",
  );
}
