/**
 * What this node owes to Redis: admissions that it decided alone, and those that Redis has lost.
 *
 * What always holds: an admission is owed until Redis has answered for the batch it is in. A batch keeps its number and its times
 * until then, and Redis adds each number once, so that a lost answer costs a repetition and nothing else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isReplyOf, type RedisLink } from "./redis-link.ts";
import { MERGE_SCRIPT, mergeArguments } from "./redis-merge-script.ts";
import type { OwnAdmissions } from "./redis-own-admissions.ts";
import { givenName, lastUseName, ringName } from "./redis-ring-layout.ts";

const KEYS_AT_ONCE = 64;
const ADMISSIONS_AT_ONCE = 2_048;
/** Large, because what a merge costs is mostly the ring that it reads and writes. */
const BATCH_SIZE = 32_768;
const NOTABLE_MS = 10;

export class Debts {
  readonly #nodeId: string;
  readonly #owing = new Set<OwnAdmissions>();
  #lastBatch = 0;
  /** Admissions that Redis has taken. */
  given = 0;
  /** Admissions that it cannot take, because something else stands under the ring's name. */
  dropped = 0;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  get isEmpty(): boolean {
    return this.#owing.size === 0;
  }

  add(own: OwnAdmissions): void {
    if (own.owed.length > 0) this.#owing.add(own);
  }

  forget(own: OwnAdmissions): void {
    this.#owing.delete(own);
  }

  /** Until nothing is owed, or `isOver` says that it no longer matters; rejects where Redis fails, and then all is owed still. */
  async give(link: RedisLink, isOver: () => boolean): Promise<void> {
    while (this.#owing.size > 0 && !isOver()) {
      const startedAt = performance.now();
      await Promise.all(this.#pickSome().map((own) => this.#giveBatch(link, own)));
      // Others count in this Redis meanwhile, and are to find it free half of the time.
      const tookMs = performance.now() - startedAt;
      if (tookMs > NOTABLE_MS) await sleep(tookMs, undefined, { ref: false });
    }
  }

  #pickSome(): OwnAdmissions[] {
    const some: OwnAdmissions[] = [];
    let admissions = 0;
    for (const own of this.#owing) {
      some.push(own);
      admissions += own.batch?.times.length ?? own.owed.length;
      if (admissions >= ADMISSIONS_AT_ONCE || some.length >= KEYS_AT_ONCE) break;
    }
    return some;
  }

  async #giveBatch(link: RedisLink, own: OwnAdmissions): Promise<void> {
    own.batch ??= { number: ++this.#lastBatch, times: own.owed.splice(0, BATCH_SIZE).sort((a, b) => a - b) };
    const { batch, keyId } = own;
    const names = [ringName(keyId), lastUseName(keyId), givenName(keyId)] as const;
    try {
      await link.run(MERGE_SCRIPT, names, mergeArguments({ node: this.#nodeId, batch: batch.number }, batch.times));
      this.given += batch.times.length;
    } catch (error) {
      if (!isReplyOf(error, "WRONGTYPE")) throw error;
      this.dropped += batch.times.length;
    }
    if (own.batch === batch) own.batch = undefined;
    if (own.batch === undefined && own.owed.length === 0) this.#owing.delete(own);
  }
}
