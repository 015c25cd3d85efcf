/**
 * The engine that counts in Redis, for any number of nodes: each request is one script in one round trip, and Redis's clock decides.
 *
 * What always holds while Redis answers: exactly the limit is admitted, over all nodes. When it does not answer in time, refuses, or
 * fails, the request that waits is decided alone in less than 100 ms, and those after it at once (redis-standing.ts), each node
 * within its share (redis-own-admissions.ts); nothing is ever answered with an error. What was admitted meanwhile, and what a Redis that
 * returns without its data has lost, is given back before Redis decides again. A request that Redis counted without
 * our hearing of it may then count twice, never not at all.
 *
 * Addresses have a list of one minute in Redis as well. They are not given back, because a minute later nothing of them counts.
 * No node puts more of them into Redis than it has in memory itself, so that a flood from made-up addresses fills neither.
 */
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS, TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import { AddressWindows, addressBucket } from "./address-windows.ts";
import { type Clock, systemClock } from "./clock.ts";
import { RedisUnreachableError, readLastUsed } from "./redis-admissions.ts";
import { type RedisLink, within } from "./redis-link.ts";
import type { OwnAdmissions } from "./redis-own-admissions.ts";
import { countAddress, countKey, type Reading } from "./redis-scripts.ts";
import { RedisStanding, type RedisTiming, type StandingOptions } from "./redis-standing.ts";
import { addressVerdict, keyVerdict, type Limiter, type Verdict } from "./windows.ts";

const DEFAULT_MAX_ADDRESSES = 50_000;
/** A page waits this long for Redis; longer than a request does, because nothing is refused by it. */
const PEEK_WITHIN_MS = 250;
const DEFAULT_TIMING: RedisTiming = {
  decideWithinMs: 93,
  beatEveryMs: 1_000,
  beatWithinMs: 1_000,
  goneAfterMs: 5_000,
  probeEveryMs: 250,
};

export interface RedisLimiterOptions extends Pick<StandingOptions, "url" | "onAway" | "onBack"> {
  readonly clock?: Clock;
  readonly maxAddresses?: number;
  /** How patient to be, for tests that cannot wait. */
  readonly timing?: Partial<RedisTiming>;
}

/** Rejects with RedisUnreachableError within ten seconds: without Redis, a node that starts could not know its share. */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  const { clock = systemClock, maxAddresses = DEFAULT_MAX_ADDRESSES } = options;
  try {
    const timing = { ...DEFAULT_TIMING, ...options.timing };
    return new RedisLimiter(await RedisStanding.open({ ...options, clock, timing }), clock, maxAddresses);
  } catch (error) {
    throw new RedisUnreachableError(options.url, error);
  }
}

/** What has happened since the start, for metrics. */
export type RedisCounts = RedisLimiter["counts"];

export class RedisLimiter implements Limiter {
  readonly #standing: RedisStanding;
  readonly #ownAddresses: AddressWindows;
  readonly #maxAddresses: number;
  #decidedAlone = 0;
  #doubtful = 0;

  constructor(standing: RedisStanding, clock: Clock, maxAddresses: number) {
    this.#standing = standing;
    this.#ownAddresses = new AddressWindows(clock, maxAddresses);
    this.#maxAddresses = maxAddresses;
  }

  /** Whether Redis does not decide at the moment. */
  get isDegraded(): boolean {
    return this.#standing.mode !== "together";
  }

  /** Nodes that count in this Redis, as far as last known; this one included. */
  get nodes(): number {
    return this.#standing.nodes;
  }

  get counts() {
    return { ...this.#standing.counts, decidedAlone: this.#decidedAlone, doubtful: this.#doubtful };
  }

  async take(keyId: string, tier: Tier): Promise<Verdict> {
    const limits = TIERS[tier];
    const own = this.#standing.own(keyId);
    const { mode, nodes, link } = this.#standing;
    if (mode === "alone") return this.#takeAlone(own, limits);
    if (mode === "settling") {
      const seen = own.peekAlone(limits, nodes, this.#standing.nowMs(), own.inFlight);
      if (!seen.admitted) {
        this.#decidedAlone++;
        return seen;
      }
    }
    const answer = countKey(link, "take", keyId, tier);
    own.inFlight++;
    const reading = await this.#standing.calls.wait(answer);
    if (reading !== undefined) return this.#hear(own, limits, reading);
    const verdict = this.#takeAlone(own, limits);
    const owedMs = verdict.admitted ? own.newestMs : undefined;
    // The answer, should it come yet, says whether Redis has counted the request too.
    answer.then(
      (late) => this.#hearLate(own, owedMs, late),
      () => this.#hearLate(own, owedMs, undefined),
    );
    return verdict;
  }

  async takeAddress(address: string): Promise<Verdict> {
    // A window that only this node has is the price of a flood of addresses.
    if (this.isDegraded || this.#ownAddresses.count >= this.#maxAddresses) return this.#takeAddressAlone(address);
    const reading = await this.#standing.calls.wait(countAddress(this.#standing.link, addressBucket(address)));
    if (reading === undefined) return this.#takeAddressAlone(address);
    const { admitted, nowMs, minute } = reading;
    if (admitted) this.#ownAddresses.take(address);
    return addressVerdict(admitted, minute, nowMs);
  }

  /** By what this node has itself seen of the address. */
  peekAddress(address: string): Verdict {
    const { admitted, governing } = this.#ownAddresses.peek(address);
    return this.#describeAddress(admitted, governing.remaining, governing.resetInMs);
  }

  async peek(keyId: string, tier: Tier): Promise<Verdict> {
    const limits = TIERS[tier];
    const reading = await this.#look((link) => countKey(link, "peek", keyId, tier));
    if (reading !== undefined) return toVerdict(reading, limits);
    // The node's own counts are the next best.
    return this.#standing.own(keyId).peekAlone(limits, this.nodes, this.#standing.nowMs());
  }

  async readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>> {
    const found = await this.#look((link) => readLastUsed(link, keyIds));
    if (found !== undefined) return found;
    const known = keyIds.map((keyId) => [keyId, this.#standing.own(keyId).newestMs] as const);
    return new Map(known.filter(([, newestMs]) => Number.isFinite(newestMs)));
  }

  close(): Promise<void> {
    return this.#standing.close();
  }

  /** Undefined where Redis does not answer. Whether it is away is for requests to find out; a look changes nothing about that. */
  async #look<Answer>(ask: (link: RedisLink) => Promise<Answer>): Promise<Answer | undefined> {
    return this.isDegraded ? undefined : within(PEEK_WITHIN_MS, ask(this.#standing.link)).catch(() => undefined);
  }

  #hear(own: OwnAdmissions, limits: TierLimits, reading: Reading): Verdict {
    own.inFlight--;
    const isWhole = !this.isDegraded;
    own.hear(reading, isWhole);
    if (isWhole) {
      own.oweLost(reading, limits);
      this.#standing.owe(own);
    }
    return toVerdict(reading, limits);
  }

  /** Redis has answered a request that was decided alone meanwhile, or will not answer it any more. */
  #hearLate(own: OwnAdmissions, owedMs: number | undefined, reading: Reading | undefined): void {
    own.inFlight--;
    const isCounted = reading?.admitted ?? owedMs !== undefined;
    if (!isCounted) return;
    const index = reading === undefined || owedMs === undefined ? -1 : own.owed.indexOf(owedMs);
    if (index >= 0) own.owed.splice(index, 1);
    else this.#doubtful++;
  }

  #takeAlone(own: OwnAdmissions, limits: TierLimits): Verdict {
    this.#decidedAlone++;
    const verdict = own.takeAlone(limits, this.nodes, this.#standing.nowMs());
    this.#standing.owe(own);
    return verdict;
  }

  #takeAddressAlone(address: string): Verdict {
    this.#decidedAlone++;
    const beyondShare = ADDRESS_LIMIT_PER_MINUTE - Math.max(1, Math.floor(ADDRESS_LIMIT_PER_MINUTE / this.nodes));
    const before = this.#ownAddresses.peek(address).governing;
    const admitted = before.remaining > beyondShare;
    const { remaining, resetInMs } = admitted ? this.#ownAddresses.take(address).governing : before;
    return this.#describeAddress(admitted, Math.max(0, remaining - beyondShare), resetInMs);
  }

  #describeAddress(admitted: boolean, remaining: number, resetInMs: number): Verdict {
    const reading = { count: ADDRESS_LIMIT_PER_MINUTE - remaining, decisiveAgeMs: MINUTE_MS - resetInMs };
    return addressVerdict(admitted, reading, this.#standing.nowMs());
  }
}

function toVerdict({ admitted, minute, day, nowMs }: Reading, limits: TierLimits): Verdict {
  return keyVerdict(admitted, limits, minute, day, nowMs);
}
