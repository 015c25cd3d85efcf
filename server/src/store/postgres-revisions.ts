/**
 * The revisions of organizations that a node knows to be current, over many nodes. Anyone who writes raises one in the same transaction, and
 * PostgreSQL tells every node that listens when that transaction has committed.
 *
 * What always holds: a revision is served from memory only while this node listens, only until it hears of a change, and never
 * for longer than `TRUSTED_MS` after it was read; so a notification that is lost delays a change by that long at most. What this node
 * writes itself it forgets at once. A reading that was under way when a change became known is not kept. When the node stops listening,
 * everything is forgotten, and nothing is kept until it listens again.
 *
 * After a failover that lost commits, the same number may stand for other data. So every revision given out has the number of the
 * connection's present life in its upper bits, as it was when the reading began: what was kept under one from before never matches.
 */
import { BoundedMap } from "./bounded-map.ts";
import type { MemoryUse } from "./store.ts";

export const TRUSTED_MS = 3_000;
/** What is asked for is read again before it can no longer be trusted, many organizations with one query; so nobody waits for it. */
const REFRESH_EVERY_MS = 1_000;
const REFRESHED_AT_ONCE = 5_000;
/** Organizations whose revision is remembered; beyond it the one remembered first is read again. */
const REMEMBERED_MAX = 100_000;
/** More writes than an organization sees, and room for two million lives. */
const REVISIONS_A_LIFE = 2 ** 32;

export interface RevisionSource {
  readRevision(orgId: string): Promise<number | undefined>;
  /** Those that are gone are left out. */
  readRevisions(orgIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

interface Known {
  readonly revision: number;
  readonly readAt: number;
  /** Whether anybody has asked for it since it was read. */
  isUsed: boolean;
}

export class KnownRevisions {
  readonly #source: RevisionSource;
  readonly #known = new BoundedMap<string, Known>(REMEMBERED_MAX);
  readonly #reading = new Map<string, Promise<number | undefined>>();
  #refresh: NodeJS.Timeout | undefined;
  #isListening = false;
  #life = 0;
  #hits = 0;
  #misses = 0;

  constructor(source: RevisionSource) {
    this.#source = source;
  }

  /** From here on changes are heard. */
  begin(): void {
    this.#isListening = true;
    this.#forgetAll();
    this.#refreshLater();
  }

  /** From here on they are not, and what comes after may not go on from what was. */
  end(): void {
    clearTimeout(this.#refresh);
    this.#isListening = false;
    this.#life++;
    this.#forgetAll();
  }

  /** A revision as it was read, made one of the present life. */
  stamp(revision: number, life = this.#life): number {
    return life * REVISIONS_A_LIFE + revision;
  }

  get life(): number {
    return this.#life;
  }

  /** Nobody waits for one that is known. */
  find(orgId: string): number | Promise<number | undefined> {
    const known = this.#known.get(orgId);
    if (known !== undefined && performance.now() - known.readAt <= TRUSTED_MS) {
      known.isUsed = true;
      this.#hits++;
      return known.revision;
    }
    this.#misses++;
    return this.#reading.get(orgId) ?? this.#read(orgId);
  }

  get memory(): MemoryUse {
    return { entries: this.#known.size, hits: this.#hits, misses: this.#misses };
  }

  forget(orgId: string): void {
    this.#known.delete(orgId);
    this.#reading.delete(orgId);
  }

  #read(orgId: string): Promise<number | undefined> {
    const readAt = performance.now();
    const life = this.#life;
    const reading = this.#source
      .readRevision(orgId)
      .then((read) => {
        const revision = read === undefined ? undefined : this.stamp(read, life);
        // Taken out of the list by anyone who learned of a change meanwhile: it may be from before it.
        const isCurrent = this.#reading.get(orgId) === reading && this.#isListening;
        if (isCurrent && revision !== undefined) this.#known.set(orgId, { revision, readAt, isUsed: false });
        return revision;
      })
      .finally(() => {
        if (this.#reading.get(orgId) === reading) this.#reading.delete(orgId);
      });
    this.#reading.set(orgId, reading);
    return reading;
  }

  #refreshLater(): void {
    clearTimeout(this.#refresh);
    this.#refresh = setTimeout(() => void this.#refreshUsed(), REFRESH_EVERY_MS).unref();
  }

  /** Where it fails, what is known simply grows too old, and is read when somebody asks. */
  async #refreshUsed(): Promise<void> {
    const used = [...this.#known].filter(([, known]) => known.isUsed);
    try {
      for (let from = 0; from < used.length; from += REFRESHED_AT_ONCE) {
        await this.#refreshSome(used.slice(from, from + REFRESHED_AT_ONCE));
      }
    } catch {
      // The heartbeat sees to a database that is away.
    }
    if (this.#isListening) this.#refreshLater();
  }

  async #refreshSome(some: readonly (readonly [string, Known])[]): Promise<void> {
    const readAt = performance.now();
    const life = this.#life;
    const revisions = await this.#source.readRevisions(some.map(([orgId]) => orgId));
    for (const [orgId, known] of some) {
      // Forgotten or read anew meanwhile: what was just read may be from before that.
      if (this.#known.get(orgId) !== known) continue;
      const revision = revisions.get(orgId);
      if (revision === undefined) this.forget(orgId);
      else this.#known.set(orgId, { revision: this.stamp(revision, life), readAt, isUsed: false });
    }
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#reading.clear();
  }
}
