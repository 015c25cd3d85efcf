/**
 * What one node has itself admitted of a key, kept all the time, and what it makes of it while Redis is away.
 *
 * What always holds: times are Redis's, those that Redis gave and, while it is away, the node's monotonic clock moved to where Redis's
 * was last seen. Alone, a node admits up to its share, the limit divided by the nodes it last knew of, so that the sum stays
 * within the limit. Where others had admitted more than their shares before, shares alone would let the sum exceed it; so for as long as what
 * Redis last said can still count, the node also takes it that the others go on as it does itself, and stays where that
 * sum stays within the limit. What it admitted alone, it owes to Redis.
 */
import { DAY_MS, MINUTE_MS, type TierLimits } from "@lineup/api/tiers";
import type { Lane, LaneHolder, RingReading } from "./redis-take-place.ts";
import { AdmissionRing } from "./ring.ts";
import { decisiveIndex, keyVerdict, type Verdict, type WindowReading } from "./windows.ts";

/** What Redis last said of a key, and what this node had admitted of it then. */
interface LastSaid {
  readonly atMs: number;
  readonly minuteCount: number;
  readonly dayCount: number;
  readonly minuteOwn: number;
  readonly dayOwn: number;
}

/** Times on their way to Redis, the same until it has answered. */
export interface GivenBatch {
  readonly number: number;
  readonly times: readonly number[];
}

/** What a node alone may count up to in one window. */
interface OwnLimit {
  readonly limit: number;
  /** When the limit rises to the share, if it is below it. */
  readonly liftedInMs: number;
}

export class OwnAdmissions implements LaneHolder {
  readonly keyId: string;
  readonly ring = new AdmissionRing(DAY_MS);
  /** Requests that Redis has not answered yet. */
  inFlight = 0;
  /** How many were, when Redis was last found to be away: as many of every other node may have gone unheard of. */
  unheard = 0;
  /** Admitted, and not known to be in Redis. */
  owed: number[] = [];
  batch: GivenBatch | undefined;
  lane: Lane | undefined;
  #lastSaid: LastSaid | undefined;

  constructor(keyId: string) {
    this.keyId = keyId;
  }

  /** Whether nothing here counts any more, and nobody waits for it. */
  isIdle(nowMs: number): boolean {
    return this.ring.isIdle(nowMs) && this.inFlight === 0 && this.owed.length === 0 && this.batch === undefined;
  }

  /** Counts what Redis has decided; `isWhole` where Redis knows all that any node has admitted. */
  hear(reading: RingReading, isWhole: boolean): void {
    const nowMs = Math.max(reading.nowMs, this.ring.newestMs);
    this.ring.advance(nowMs);
    if (reading.admitted) this.ring.push(nowMs);
    if (!isWhole) return;
    this.#lastSaid = {
      atMs: nowMs,
      minuteCount: reading.minuteCount,
      dayCount: reading.longestCount,
      minuteOwn: this.ring.minuteCount,
      dayOwn: this.ring.length,
    };
  }

  /** The node's own admissions that are older than anything Redis has: it must have lost them. None where it is full. */
  listLost(reading: RingReading, limits: TierLimits): number[] {
    const lost: number[] = [];
    if (reading.longestCount >= limits.perDay) return lost;
    const nowMs = this.ring.newestMs;
    const oldestMs = reading.nowMs - reading.longestAgeMs;
    for (let index = 0; index < this.ring.length; index++) {
      const timeMs = nowMs - this.ring.ageMs(index, nowMs);
      if (timeMs >= oldestMs) break;
      lost.push(timeMs);
    }
    return lost;
  }

  /** From a moment on, Redis may have lost what this node has admitted: it is owed, and what was owed before stays so. */
  oweFrom(momentMs: number, nowMs: number): void {
    const presentMs = Math.max(nowMs, this.ring.newestMs);
    this.ring.advance(presentMs);
    const owed = [...(this.batch?.times ?? []), ...this.owed].filter((timeMs) => timeMs < momentMs);
    for (let index = 0; index < this.ring.length; index++) {
      const timeMs = presentMs - this.ring.ageMs(index, presentMs);
      if (timeMs >= momentMs) owed.push(timeMs);
    }
    this.owed = owed;
    this.batch = undefined;
  }

  /** Whether one more request would stay within the share, with those that Redis has not answered yet counted as admitted. */
  hasRoomAlone(limits: TierLimits, nodes: number, nowMs: number): boolean {
    const presentMs = Math.max(nowMs, this.ring.newestMs);
    this.ring.advance(presentMs);
    return (
      this.ring.minuteCount + this.inFlight < this.#minuteLimit(limits, nodes, presentMs).limit &&
      this.ring.length + this.inFlight < this.#dayLimit(limits, nodes, presentMs).limit
    );
  }

  /** Decides without Redis, and owes it what is admitted. */
  takeAlone(limits: TierLimits, nodes: number, nowMs: number): Verdict {
    const presentMs = Math.max(nowMs, this.ring.newestMs);
    this.ring.advance(presentMs);
    const minute = this.#minuteLimit(limits, nodes, presentMs);
    const day = this.#dayLimit(limits, nodes, presentMs);
    const admitted = this.ring.minuteCount < minute.limit && this.ring.length < day.limit;
    if (admitted) {
      this.ring.push(presentMs);
      this.owed.push(presentMs);
    }
    return this.#describe(admitted, limits, minute, day, presentMs);
  }

  /** What `takeAlone` would say, counting nothing. */
  peekAlone(limits: TierLimits, nodes: number, nowMs: number): Verdict {
    const presentMs = Math.max(nowMs, this.ring.newestMs);
    this.ring.advance(presentMs);
    const minute = this.#minuteLimit(limits, nodes, presentMs);
    const day = this.#dayLimit(limits, nodes, presentMs);
    const hasRoom = this.ring.minuteCount < minute.limit && this.ring.length < day.limit;
    return this.#describe(hasRoom, limits, minute, day, presentMs);
  }

  /** A refusal by the share, of a request that Redis is not asked about. */
  refuseAlone(limits: TierLimits, nodes: number, nowMs: number): Verdict {
    const presentMs = Math.max(nowMs, this.ring.newestMs);
    const minute = this.#minuteLimit(limits, nodes, presentMs);
    const day = this.#dayLimit(limits, nodes, presentMs);
    return this.#describe(false, limits, minute, day, presentMs);
  }

  #minuteLimit(limits: TierLimits, nodes: number, nowMs: number): OwnLimit {
    const said = this.#lastSaid;
    return this.#limit(limits.perMinute, nodes, MINUTE_MS, nowMs, said?.minuteCount ?? 0, said?.minuteOwn ?? 0);
  }

  #dayLimit(limits: TierLimits, nodes: number, nowMs: number): OwnLimit {
    const said = this.#lastSaid;
    return this.#limit(limits.perDay, nodes, DAY_MS, nowMs, said?.dayCount ?? 0, said?.dayOwn ?? 0);
  }

  #limit(limit: number, nodes: number, windowMs: number, nowMs: number, count: number, own: number): OwnLimit {
    const share = Math.max(1, Math.floor(limit / nodes));
    const liftedInMs = (this.#lastSaid?.atMs ?? Number.NEGATIVE_INFINITY) + windowMs - nowMs;
    // With more nodes than places, nothing can be kept but the one place each.
    if (liftedInMs <= 0 || limit < nodes) return { limit: share, liftedInMs: 0 };
    const bearable = own + Math.floor((limit - count) / nodes) - this.unheard;
    return bearable < share ? { limit: Math.max(0, bearable), liftedInMs } : { limit: share, liftedInMs: 0 };
  }

  #describe(admitted: boolean, limits: TierLimits, minute: OwnLimit, day: OwnLimit, nowMs: number): Verdict {
    const { ring } = this;
    const minuteAge = (index: number) => ring.minuteAgeMs(index, nowMs);
    const dayAge = (index: number) => ring.ageMs(index, nowMs);
    return keyVerdict(
      admitted,
      limits,
      readAlone(limits.perMinute, MINUTE_MS, minute, ring.minuteCount, minuteAge),
      readAlone(limits.perDay, DAY_MS, day, ring.length, dayAge),
      nowMs,
    );
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
