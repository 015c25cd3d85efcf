/**
 * Work that one process does for all nodes on a database, such as sending. Who holds the lease does it; it holds for three seconds by the
 * database's clock, and is renewed every second. A process that dies leaves it to the others within three seconds, one that stops at once.
 *
 * A holder that cannot renew stops before others may begin: it counts from before it asked, by a clock that nobody sets. On the embedded
 * store there is one process, which always holds it.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Store } from "../store/store.ts";

const LEASE_MS = 3_000;
const RENEW_EVERY_MS = 1_000;
/** Given up so long before others may take it. */
const MARGIN_MS = 500;

const DATABASE_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export interface LeaseOptions {
  readonly store: Store;
  /** Of the work. */
  readonly name: string;
  onFault(error: unknown): void;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #holder = randomUUID();
  #heldUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    if (options.store.kind === "sqlite") {
      this.#heldUntil = Number.POSITIVE_INFINITY;
      return;
    }
    this.#timer = setInterval(() => void this.#ask(), RENEW_EVERY_MS);
    void this.#ask();
  }

  get isHeld(): boolean {
    return performance.now() < this.#heldUntil;
  }

  /** Others may have it at once. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    const { store, name, onFault } = this.#options;
    if (store.kind === "sqlite") return;
    const release = store.writeEvents((db) =>
      db.deleteFrom("leases").where("name", "=", name).where("holder", "=", this.#holder).execute(),
    );
    // It runs out by itself: a server stops as well where the database is away.
    await release.catch(onFault);
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#renew()
      .catch((error: unknown) => this.#options.onFault(error))
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #renew(): Promise<void> {
    const { store, name } = this.#options;
    const holder = this.#holder;
    const askedAt = performance.now();
    const until = sql<number>`${DATABASE_NOW} + ${sql.lit(LEASE_MS)}`;
    const held = await store.writeEvents((db) =>
      db
        .insertInto("leases")
        .values({ name, holder, until })
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet({ holder, until })
            .where((eb) => eb.or([eb("leases.holder", "=", holder), eb("leases.until", "<", DATABASE_NOW)])),
        )
        .returning("holder")
        .execute(),
    );
    this.#heldUntil = held.length > 0 ? askedAt + LEASE_MS - MARGIN_MS : Number.NEGATIVE_INFINITY;
  }
}
