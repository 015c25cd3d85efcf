/**
 * Over several nodes, a change that one of them lists may not be shown by another yet, for up to a second. Who follows the changes and then
 * reads the record elsewhere would take what was before for current, and never ask again. So a change is listed once this node has known
 * of it for that long; by then all of them show it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { BoundedMap } from "../store/bounded-map.ts";

/** Within this time a change holds on every node. */
const SETTLE_MS = 1_000;
const ORGANIZATIONS_MAX = 10_000;

interface KnownEnd {
  /** Up to here all nodes show everything. */
  readonly settled: number;
  readonly seen: number;
  readonly seenAt: number;
}

export class SettledEnds {
  readonly #ends = new BoundedMap<string, KnownEnd>(ORGANIZATIONS_MAX);

  /** Waits until all nodes show everything up to this number. `end` is where the organization's log ends now. */
  async wait(orgId: string, upTo: number, end: number): Promise<void> {
    const now = performance.now();
    const before = this.#ends.get(orgId) ?? { settled: 0, seen: 0, seenAt: Number.NEGATIVE_INFINITY };
    const isSettled = now - before.seenAt >= SETTLE_MS;
    const known = isSettled ? { settled: before.seen, seen: end, seenAt: now } : before;
    this.#ends.set(orgId, known);
    if (upTo <= known.settled) return;
    const knownSince = upTo <= known.seen ? known.seenAt : now;
    await sleep(knownSince + SETTLE_MS - now);
  }
}
