/**
 * What is known to be current, in the embedded store. SQLite says with one number whether anything was committed since it was
 * last asked, by this process or another; what was read is remembered under that number, and forgotten when it changes.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Database as SqliteConnection, Statement } from "better-sqlite3";
import { BoundedMap } from "./bounded-map.ts";
import type { MemoryUse, Revisions } from "./store.ts";

/**
 * How long the store's version is trusted without asking again. To ask costs as much as a third of a request. Anyone who writes to the
 * store from elsewhere says that it has only when longer than this has passed since its commit (`untilSeen`), so nobody who was told so
 * can be answered from before it.
 */
export const VERSION_GOOD_FOR_MS = 1;
const SEEN_AFTER_MS = VERSION_GOOD_FOR_MS * 1.25;
/** Organizations whose revision is remembered; beyond it the one remembered first is read again. */
const REMEMBERED_MAX = 100_000;

export class SqliteRevisions implements Revisions {
  // After every write each of them is asked again, and a query that is put together each time takes ten times as long.
  readonly #versionNow: Statement<[], number>;
  readonly #revisionNow: Statement<[string], number>;
  readonly #accessRevisionNow: Statement<[], number>;
  /** Revisions known under one version of the store. */
  readonly #known = new BoundedMap<string, number>(REMEMBERED_MAX);
  #knownVersion = -1;
  #hits = 0;
  #misses = 0;
  #version: number | undefined;
  #versionAskedAt = 0;

  constructor(reader: SqliteConnection) {
    this.#versionNow = reader.prepare<[], number>("PRAGMA data_version").pluck();
    this.#revisionNow = reader.prepare<[string], number>("SELECT revision FROM organizations WHERE id = ?").pluck();
    const accessRevision = "SELECT value FROM settings WHERE name = 'access_revision'";
    this.#accessRevisionNow = reader.prepare<[], number>(accessRevision).pluck();
  }

  /** Asked again after a write of this store's own, or when it is no longer to be trusted. */
  recentVersion(): number {
    const now = performance.now();
    if (this.#version === undefined || now - this.#versionAskedAt > VERSION_GOOD_FOR_MS) {
      // The time before it was asked: what is committed meanwhile may have been missed.
      this.#versionAskedAt = now;
      this.#version = this.#readVersion();
    }
    return this.#version;
  }

  accessRevision(): number {
    return this.#accessRevisionNow.get() ?? 0;
  }

  revisionOf(orgId: string, version = this.#readVersion()): number | undefined {
    const known = version === this.#knownVersion ? this.#known.get(orgId) : undefined;
    if (known === undefined) return this.#read(orgId, version);
    this.#hits++;
    return known;
  }

  get memory(): MemoryUse {
    return { entries: this.#known.size, hits: this.#hits, misses: this.#misses };
  }

  noteOwnWrite(): void {
    this.#version = undefined;
  }

  #readVersion(): number {
    return this.#versionNow.get() ?? 0;
  }

  #read(orgId: string, version: number): number | undefined {
    this.#misses++;
    if (version !== this.#knownVersion) {
      this.#known.clear();
      this.#knownVersion = version;
    }
    const revision = this.#revisionNow.get(orgId);
    if (revision !== undefined) this.#known.set(orgId, revision);
    return revision;
  }
}

/** For anyone who has committed something in a store that another process may be serving, before it says so to anybody. */
export async function untilSeen(): Promise<void> {
  const until = performance.now() + SEEN_AFTER_MS;
  // By looking at the clock: timers count from when the event loop last did, which may have been before the commit.
  do await breathe();
  while (performance.now() < until);
}
