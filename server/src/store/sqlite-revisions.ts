/**
 * What is known to be current, in the embedded store. SQLite says with one number whether anything was committed since it was
 * last asked, by this process or another; what was read is remembered under that number, and forgotten when it changes.
 */
import { setImmediate as breathe } from "node:timers/promises";
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

export interface RevisionReaders {
  readVersion(): number;
  /** Undefined when the organization is gone. */
  readRevision(orgId: string): number | undefined;
  readAccessRevision(): number;
}

export class SqliteRevisions implements Revisions {
  readonly #readers: RevisionReaders;
  /** Revisions known under one version of the store. */
  readonly #known = new BoundedMap<string, number>(REMEMBERED_MAX);
  #knownVersion = -1;
  #hits = 0;
  #misses = 0;
  #version: number | undefined;
  #versionAskedAt = 0;

  constructor(readers: RevisionReaders) {
    this.#readers = readers;
  }

  /** Asked again after a write of this store's own, or when it is no longer to be trusted. */
  recentVersion(): number {
    const now = performance.now();
    if (this.#version === undefined || now - this.#versionAskedAt > VERSION_GOOD_FOR_MS) {
      // The time before it was asked: what is committed meanwhile may have been missed.
      this.#versionAskedAt = now;
      this.#version = this.#readers.readVersion();
    }
    return this.#version;
  }

  accessRevision(): number {
    return this.#readers.readAccessRevision();
  }

  revisionOf(orgId: string, version = this.#readers.readVersion()): number | undefined {
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

  #read(orgId: string, version: number): number | undefined {
    this.#misses++;
    if (version !== this.#knownVersion) {
      this.#known.clear();
      this.#knownVersion = version;
    }
    const revision = this.#readers.readRevision(orgId);
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
