/**
 * What is known to be current, in the embedded store. SQLite says with one number whether anything was committed since it was
 * last asked, by this process or another; what was read is remembered under that number, and forgotten when it changes.
 */
import type { Revisions } from "./store.ts";

const VERSION_GOOD_FOR_MS = 0.25;

export interface RevisionReaders {
  readVersion(): number;
  readRevision(orgId: string): Promise<number | undefined>;
  readAccessRevision(): Promise<number>;
}

export class SqliteRevisions implements Revisions {
  readonly #readers: RevisionReaders;
  /** Revisions known under one version of the store. */
  #known = new Map<string, number>();
  #knownVersion = -1;
  #versionThisTurn: number | undefined;
  #versionAskedAt = 0;

  constructor(readers: RevisionReaders) {
    this.#readers = readers;
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
      this.#versionThisTurn = this.#readers.readVersion();
      this.#versionAskedAt = now;
    }
    return this.#versionThisTurn;
  }

  accessRevision(): Promise<number> {
    return this.#readers.readAccessRevision();
  }

  revisionOf(orgId: string, version = this.#readers.readVersion()): number | Promise<number | undefined> {
    const known = version === this.#knownVersion ? this.#known.get(orgId) : undefined;
    return known ?? this.#read(orgId, version);
  }

  noteOwnWrite(): void {
    this.#versionThisTurn = undefined;
  }

  async #read(orgId: string, version: number): Promise<number | undefined> {
    if (version !== this.#knownVersion) {
      this.#known = new Map();
      this.#knownVersion = version;
    }
    const revision = await this.#readers.readRevision(orgId);
    if (revision !== undefined && this.#knownVersion === version) this.#known.set(orgId, revision);
    return revision;
  }
}
