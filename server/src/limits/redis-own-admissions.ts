/**
 * What one node has itself admitted of a key, always counted, and what it makes of it while Redis is away.
 *
 * What always holds: times are Redis's, those that Redis gave and, while it is away, the node's monotonic clock moved to where Redis's
 * was last seen. Alone, a node admits up to its share, the limit divided by the nodes it last knew of, so that the sum stays
 * within the limit. Where others had admitted more than their shares before, shares alone would let the sum exceed it; so for as long as what
 * Redis last said can still count, the node also assumes that the others go on as it does itself, and stays where that
 * sum stays within the limit. What it admitted alone, it owes to Redis.
 */
import { DAY_MS, MINUTE_MS, type TierLimits } from "@lineup/api/tiers";
import type { Reading } from "./redis-scripts.ts";
import { AdmissionRing } from "./ring.ts";
import { decisiveIndex, keyVerdict, type Verdict, type WindowReading } from "./windows.ts";

/** What Redis last said of a key, and what this node had admitted of it then. */
interface LastSaid {
  readonly atMs: number;
  readonly minute: { readonly count: number; readonly own: number };
  readonly day: { readonly count: number; readonly own: number };
}

/** What a node alone may count up to in one window. */
interface OwnLimit {
  readonly limit: number;
  /** When the limit rises to the share, if it is below it. */
  readonly liftedInMs: number;
}

export class OwnAdmissions {
  readonly keyId: string;
  readonly #ring = new AdmissionRing();
  /** Requests that Redis has not answered yet. */
  inFlight = 0;
  /** How many were, when Redis was last found to be away: as many of every other node may have gone unheard of. */
  unheard = 0;
  /** Admitted, and not known to be in Redis. */
  owed: number[] = [];
  /** Times on their way to Redis, the same until it has answered. */
  batch: { readonly name: string; readonly times: readonly number[] } | undefined;
  #lastSaid: LastSaid | undefined;

  constructor(keyId: string) {
    this.keyId = keyId;
  }

  /** Of the last admission; -Infinity if there was none. */
  get newestMs(): number {
    return this.#ring.newestMs;
  }

  /** Whether nothing here counts any more, and no answer is waited for. */
  isIdle(nowMs: number): boolean {
    return this.#ring.isIdle(nowMs) && this.inFlight === 0 && this.owed.length === 0 && this.batch === undefined;
  }

  /** Counts what Redis has decided; `isWhole` where Redis knows all that any node has admitted. */
  hear(reading: Reading, isWhole: boolean): void {
    const atMs = this.#advance(reading.nowMs);
    if (reading.admitted) this.#ring.push(atMs);
    if (!isWhole) return;
    this.#lastSaid = {
      atMs,
      minute: { count: reading.minute.count, own: this.#ring.minuteCount },
      day: { count: reading.day.count, own: this.#ring.length },
    };
  }

  /** Owes what is older than anything Redis has, because it must have lost that. Nothing where Redis is full, and may have had more. */
  oweLost(reading: Reading, limits: TierLimits): void {
    if (this.owed.length > 0 || this.batch !== undefined || reading.day.count >= limits.perDay) return;
    const oldestMs = reading.nowMs - reading.day.decisiveAgeMs;
    const { newestMs } = this.#ring;
    for (let index = 0; index < this.#ring.length; index++) {
      const timeMs = newestMs - this.#ring.ageMs(index, newestMs);
      if (timeMs >= oldestMs) return;
      this.owed.push(timeMs);
    }
  }

  /** From a moment on, Redis may have lost what this node has admitted: it is owed, and what was owed before stays so. */
  oweFrom(momentMs: number, nowMs: number): void {
    this.#advance(nowMs);
    const before = [...(this.batch?.times ?? []), ...this.owed].filter((timeMs) => timeMs < momentMs);
    const own = this.#ring.listTimes(this.#ring.newestMs);
    this.owed = [...before, ...own.filter((timeMs) => timeMs >= momentMs)];
    this.batch = undefined;
  }

  /** Decides without Redis, and owes it what is admitted. */
  takeAlone(limits: TierLimits, nodes: number, nowMs: number): Verdict {
    const seen = this.peekAlone(limits, nodes, nowMs);
    if (!seen.admitted) return seen;
    const timeMs = this.#advance(nowMs);
    this.#ring.push(timeMs);
    this.owed.push(timeMs);
    // What it leaves is described; the request itself must have had room.
    return this.peekAlone(limits, nodes, timeMs, -1);
  }

  /** What `takeAlone` would say, counting nothing; as if `pending` more had been admitted. */
  peekAlone(limits: TierLimits, nodes: number, nowMs: number, pending = 0): Verdict {
    const ring = this.#ring;
    const presentMs = this.#advance(nowMs);
    const minute = this.#limit("minute", limits.perMinute, MINUTE_MS, nodes, presentMs);
    const day = this.#limit("day", limits.perDay, DAY_MS, nodes, presentMs);
    return keyVerdict(
      ring.minuteCount + pending < minute.limit && ring.length + pending < day.limit,
      limits,
      readAlone(limits.perMinute, MINUTE_MS, minute, ring.minuteCount, (index) => ring.minuteAgeMs(index, presentMs)),
      readAlone(limits.perDay, DAY_MS, day, ring.length, (index) => ring.ageMs(index, presentMs)),
      presentMs,
    );
  }

  /** Returns the present, which is never before the newest admission. */
  #advance(nowMs: number): number {
    const presentMs = Math.max(nowMs, this.#ring.newestMs);
    this.#ring.advance(presentMs);
    return presentMs;
  }

  #limit(window: "minute" | "day", limit: number, windowMs: number, nodes: number, nowMs: number): OwnLimit {
    const share = { limit: Math.max(1, Math.floor(limit / nodes)), liftedInMs: 0 };
    // With more nodes than the limit allows requests, each still admits one.
    if (this.#lastSaid === undefined || limit < nodes) return share;
    const liftedInMs = this.#lastSaid.atMs + windowMs - nowMs;
    const { count, own } = this.#lastSaid[window];
    const bearable = own + Math.floor((limit - count) / nodes) - this.unheard;
    return liftedInMs <= 0 || bearable >= share.limit ? share : { limit: Math.max(0, bearable), liftedInMs };
  }
}

/** As a reading of the whole window, of which all that the node may not take is counted as taken. */
function readAlone(
  limit: number,
  windowMs: number,
  own: OwnLimit,
  count: number,
  ageMs: (index: number) => number,
): WindowReading {
  const leavesInMs = own.limit === 0 ? windowMs : count === 0 ? 0 : windowMs - ageMs(decisiveIndex(count, own.limit));
  const resetInMs = own.liftedInMs > 0 ? Math.min(leavesInMs, own.liftedInMs) : leavesInMs;
  return { count: limit - Math.max(0, own.limit - count), decisiveAgeMs: windowMs - resetInMs };
}
