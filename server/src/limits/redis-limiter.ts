/**
 * The engine that counts in Redis, for any number of nodes: each request is one script in one round trip, and Redis's clock decides.
 *
 * What always holds while Redis answers: exactly the limit is admitted, over all nodes. When it does not answer in time, refuses, or
 * fails, the request that waits is decided alone in less than 100 ms, and those after it at once (redis-standing.ts), each node
 * within its share (redis-own-admissions.ts); nothing is ever answered with an error. What was admitted meanwhile, and what a Redis that
 * returns without its data has lost, is given back before Redis decides again (redis-debts.ts). A request that Redis counted without
 * our hearing of it may then count twice, never not at all.
 *
 * Addresses have a ring each in Redis as well, of one minute. They are not given back: a minute later nothing of them counts.
 * No node puts more of them into Redis than it keeps itself, so that a flood from made-up addresses fills neither.
 */
import { randomUUID } from "node:crypto";
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS, TIERS, type Tier, type TierLimits } from "@lineup/api/tiers";
import { AddressWindows, addressBucket } from "./address-windows.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Limiter } from "./limiter.ts";
import {
  type CountedAdmissions,
  exportAdmissions,
  forgetKeys,
  importAdmissions,
  RedisUnreachableError,
  readLastUsed,
} from "./redis-admissions.ts";
import { type Call, CallsInFlight } from "./redis-calls.ts";
import { isReplyOf } from "./redis-link.ts";
import { OwnAdmissions } from "./redis-own-admissions.ts";
import {
  ADDRESS_SCRIPT,
  addressName,
  type RingReading,
  readTakeReply,
  ringName,
  TAKE_SCRIPTS,
} from "./redis-ring-script.ts";
import { RedisStanding, type RedisTiming } from "./redis-standing.ts";
import { addressVerdict, keyVerdict, type Verdict } from "./windows.ts";

const CONNECT_WITHIN_MS = 4_500;
const OLDEST_REDIS = 7;
const KEYS_PER_SWEEP = 256;
const SWEEP_EVERY_MS = 1_000;
const DEFAULT_MAX_ADDRESSES = 50_000;
/** Late answers come at once when Redis does, or never. */
const LATE_WITHIN_MS = 250;

const DEFAULT_TIMING: RedisTiming & { readonly decideWithinMs: number } = {
  decideWithinMs: 84,
  beatEveryMs: 1_000,
  settleEveryMs: 50,
  beatWithinMs: 1_000,
  goneAfterMs: 5_000,
  probeEveryMs: 250,
  probeWithinMs: 1_000,
  answerWithinMs: 40,
};

export interface RedisLimiterOptions {
  /** redis:// or rediss://, with user, password and database as needed; of a cluster, any of its servers. */
  readonly url: string;
  readonly clock?: Clock;
  /** Redis is away; called once for an outage. */
  readonly onAway?: (error: Error) => void;
  /** Redis decides again. */
  readonly onBack?: () => void;
  readonly nodeId?: string;
  readonly maxAddresses?: number;
  /** How patient to be, for tests that cannot wait. */
  readonly timing?: Partial<typeof DEFAULT_TIMING>;
}

/** What has happened since the start, for metrics. */
export interface RedisCounts {
  /** Times that Redis went away. */
  readonly outages: number;
  /** Times that Redis was found to have lost what it had counted. */
  readonly losses: number;
  /** Requests decided without Redis. */
  readonly decidedAlone: number;
  /** Admissions given back to Redis. */
  readonly givenBack: number;
  /** Requests that may count twice, because Redis went away before its answer came. */
  readonly doubtful: number;
  /** Requests that Redis has counted although they were refused, because its answer came late. */
  readonly countedInVain: number;
  /** Requests that Redis could not decide because something else stands under the name of a ring. */
  readonly unreadable: number;
}

export interface RedisLimiter extends Limiter {
  /** Whether Redis does not decide at the moment. */
  readonly isDegraded: boolean;
  /** Nodes that count in this Redis, as far as last known; this one included. */
  readonly nodes: number;
  readonly counts: RedisCounts;
  readonly keyCount: number;
  /** When keys were last used, in epoch milliseconds; while Redis is away, as far as this node knows. */
  readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>>;
  exportAdmissions(keyIds: Iterable<string>): AsyncIterable<CountedAdmissions>;
  importAdmissions(entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>): Promise<number>;
  /** For a key that no longer exists. */
  forget(keyId: string): Promise<void>;
  close(): Promise<void>;
}

/** Rejects with RedisUnreachableError within five seconds: without Redis, a node that starts could not know its share. */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  return CountingNode.open(options);
}

class CountingNode implements RedisLimiter {
  readonly #keys: Map<string, OwnAdmissions>;
  readonly #addresses: AddressWindows;
  readonly #maxAddresses: number;
  readonly #calls: CallsInFlight;
  readonly #counted = { decidedAlone: 0, doubtful: 0, countedInVain: 0, unreadable: 0 };
  readonly #sweepTimer: NodeJS.Timeout;
  readonly #standing: RedisStanding;
  #sweep: Iterator<OwnAdmissions>;
  /** Keys that somebody waited for when Redis went away. */
  #unheard: OwnAdmissions[] = [];

  private constructor(parts: {
    keys: Map<string, OwnAdmissions>;
    calls: CallsInFlight;
    standing: RedisStanding;
    clock: Clock;
    maxAddresses: number;
  }) {
    this.#keys = parts.keys;
    this.#calls = parts.calls;
    this.#standing = parts.standing;
    this.#maxAddresses = parts.maxAddresses;
    this.#addresses = new AddressWindows(parts.clock, parts.maxAddresses);
    this.#sweep = this.#keys.values();
    this.#sweepTimer = setInterval(() => this.#sweepSome(), SWEEP_EVERY_MS);
    this.#sweepTimer.unref();
  }

  static async open(options: RedisLimiterOptions): Promise<CountingNode> {
    const clock = options.clock ?? systemClock;
    const timing = { ...DEFAULT_TIMING, ...options.timing };
    const keys = new Map<string, OwnAdmissions>();
    let node: CountingNode | undefined;
    const calls = new CallsInFlight(timing.decideWithinMs, () => {
      if (node !== undefined) node.#giveUp(new Error(`Redis has not answered within ${timing.decideWithinMs} ms`));
    });
    try {
      const standing = await RedisStanding.open(
        {
          url: options.url,
          nodeId: options.nodeId ?? randomUUID(),
          clock,
          timing,
          keys,
          onAlone: () => {
            if (node !== undefined) node.#decideAll();
          },
          lateAnswers: () => calls.becomeQuiet(LATE_WITHIN_MS),
          onAway: (error) => options.onAway?.(error),
          onBack: () => {
            if (node !== undefined) node.#hearAgain();
            options.onBack?.();
          },
        },
        CONNECT_WITHIN_MS,
      );
      const version = standing.serverVersion;
      if (version !== undefined && Number.parseInt(version, 10) < OLDEST_REDIS) {
        await standing.close();
        throw new Error(`it is version ${version}, and ${OLDEST_REDIS} is the oldest that will do`);
      }
      node = new CountingNode({
        keys,
        calls,
        standing,
        clock,
        maxAddresses: options.maxAddresses ?? DEFAULT_MAX_ADDRESSES,
      });
      return node;
    } catch (error) {
      throw new RedisUnreachableError(options.url, error);
    }
  }

  get isDegraded(): boolean {
    return this.#standing.mode !== "together";
  }

  get nodes(): number {
    return this.#standing.nodes;
  }

  get keyCount(): number {
    return this.#keys.size;
  }

  get counts(): RedisCounts {
    const { counts, debts } = this.#standing;
    return { ...counts, ...this.#counted, givenBack: debts.given };
  }

  take(keyId: string, tier: Tier): Verdict | Promise<Verdict> {
    const limits = TIERS[tier];
    const own = this.#own(keyId);
    const { mode, nodes } = this.#standing;
    if (mode === "alone") return this.#takeAlone(own, limits);
    if (mode === "settling" && !own.hasRoomAlone(limits, nodes, this.#standing.nowMs())) {
      this.#counted.decidedAlone++;
      return own.refuseAlone(limits, nodes, this.#standing.nowMs());
    }
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    let owedMs: number | undefined;
    const call = this.#calls.add(() => {
      const verdict = this.#takeAlone(own, limits);
      if (verdict.admitted) owedMs = own.ring.newestMs;
      resolve(verdict);
    });
    own.inFlight++;
    this.#standing.link.run(TAKE_SCRIPTS[tier], [ringName(keyId)]).then(
      (reply) => {
        own.inFlight--;
        const reading = readTakeReply(reply as Buffer);
        if (this.#calls.settle(call)) resolve(this.#hear(own, limits, reading));
        else if (reading.admitted) this.#hearLate(own, owedMs);
      },
      (error: Error) => {
        own.inFlight--;
        this.#fail(call, error);
        if (owedMs !== undefined) this.#counted.doubtful++;
      },
    );
    return promise;
  }

  takeAddress(address: string): Verdict | Promise<Verdict> {
    if (this.#standing.mode !== "together" || this.#addresses.count >= this.#maxAddresses) {
      return this.#takeAddressAlone(address);
    }
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const call = this.#calls.add(() => resolve(this.#takeAddressAlone(address)));
    this.#standing.link.run(ADDRESS_SCRIPT, [addressName(addressBucket(address))]).then(
      (reply) => {
        const { admitted, minuteCount, minuteAgeMs, nowMs } = readTakeReply(reply as Buffer);
        if (!this.#calls.settle(call)) return;
        if (admitted) this.#addresses.take(address);
        resolve(addressVerdict(admitted, { count: minuteCount, decisiveAgeMs: minuteAgeMs }, nowMs));
      },
      (error: Error) => this.#fail(call, error),
    );
    return promise;
  }

  /** By what this node has itself seen of the address. */
  peekAddress(address: string): Verdict {
    const { admitted, governing } = this.#addresses.peek(address);
    return this.#describeAddress(admitted, ADDRESS_LIMIT_PER_MINUTE - governing.remaining, governing.resetInMs);
  }

  async readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>> {
    if (!this.isDegraded) {
      try {
        return await readLastUsed(this.#standing.link, keyIds);
      } catch {
        // Whether Redis is away is for requests to find out.
      }
    }
    const known = keyIds.map((keyId) => [keyId, this.#keys.get(keyId)?.ring.newestMs ?? Number.NaN] as const);
    return new Map(known.filter(([, newestMs]) => Number.isFinite(newestMs)));
  }

  exportAdmissions(keyIds: Iterable<string>): AsyncIterable<CountedAdmissions> {
    return exportAdmissions(this.#standing.link, keyIds);
  }

  importAdmissions(entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>): Promise<number> {
    return importAdmissions(this.#standing.link, entries);
  }

  async forget(keyId: string): Promise<void> {
    const own = this.#keys.get(keyId);
    if (own !== undefined) this.#standing.debts.forget(own);
    this.#keys.delete(keyId);
    await forgetKeys(this.#standing.link, [keyId]);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweepTimer);
    await this.#calls.becomeQuiet(DEFAULT_TIMING.decideWithinMs);
    await this.#standing.close();
    this.#calls.decideAll();
    this.#calls.close();
  }

  #giveUp(error: Error): void {
    this.#standing.giveUp(error);
  }

  #own(keyId: string): OwnAdmissions {
    let own = this.#keys.get(keyId);
    if (own === undefined) {
      own = new OwnAdmissions(keyId);
      this.#keys.set(keyId, own);
    }
    return own;
  }

  #hear(own: OwnAdmissions, limits: TierLimits, reading: RingReading): Verdict {
    const isWhole = this.#standing.mode === "together";
    own.hear(reading, isWhole);
    if (isWhole && own.owed.length === 0 && own.batch === undefined) {
      const lost = own.listLost(reading, limits);
      if (lost.length > 0) {
        own.owed = lost;
        this.#standing.debts.add(own);
        this.#standing.giveSoon();
      }
    }
    const minute = { count: reading.minuteCount, decisiveAgeMs: reading.minuteAgeMs };
    const day = { count: reading.longestCount, decisiveAgeMs: reading.longestAgeMs };
    return keyVerdict(reading.admitted, limits, minute, day, reading.nowMs);
  }

  /** Redis has counted a request that was decided alone meanwhile. */
  #hearLate(own: OwnAdmissions, owedMs: number | undefined): void {
    const index = owedMs === undefined ? -1 : own.owed.indexOf(owedMs);
    if (index >= 0) own.owed.splice(index, 1);
    else if (owedMs === undefined) this.#counted.countedInVain++;
    else this.#counted.doubtful++;
  }

  #fail(call: Call, error: Error): void {
    const isInTime = this.#calls.settle(call);
    if (isReplyOf(error, "WRONGTYPE")) this.#counted.unreadable++;
    else if (isInTime) this.#standing.giveUp(error);
    if (isInTime) call.decideAlone();
  }

  #takeAlone(own: OwnAdmissions, limits: TierLimits): Verdict {
    this.#counted.decidedAlone++;
    const verdict = own.takeAlone(limits, this.#standing.nodes, this.#standing.nowMs());
    this.#standing.debts.add(own);
    return verdict;
  }

  #takeAddressAlone(address: string): Verdict {
    this.#counted.decidedAlone++;
    const share = Math.max(1, Math.floor(ADDRESS_LIMIT_PER_MINUTE / this.#standing.nodes));
    const before = this.#addresses.peek(address).governing;
    const admitted = ADDRESS_LIMIT_PER_MINUTE - before.remaining < share;
    const { remaining, resetInMs } = admitted ? this.#addresses.take(address).governing : before;
    const left = Math.max(0, share - (ADDRESS_LIMIT_PER_MINUTE - remaining));
    return this.#describeAddress(admitted, ADDRESS_LIMIT_PER_MINUTE - left, resetInMs);
  }

  #describeAddress(admitted: boolean, count: number, resetInMs: number): Verdict {
    return addressVerdict(admitted, { count, decisiveAgeMs: MINUTE_MS - resetInMs }, this.#standing.nowMs());
  }

  /** Redis is away: whoever waits is answered, in the order they came. */
  #decideAll(): void {
    for (const own of this.#keys.values()) {
      if (own.inFlight < 2) continue;
      own.unheard = own.inFlight - 1;
      this.#unheard.push(own);
    }
    this.#calls.decideAll();
  }

  #hearAgain(): void {
    for (const own of this.#unheard) own.unheard = 0;
    this.#unheard = [];
  }

  /** Looks at some keys, going round, and lets go of those of which nothing counts. */
  #sweepSome(): void {
    const nowMs = this.#standing.nowMs();
    for (let looked = 0; looked < KEYS_PER_SWEEP; looked++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#keys.values();
        return;
      }
      if (next.value.isIdle(nowMs)) this.#keys.delete(next.value.keyId);
    }
  }
}
