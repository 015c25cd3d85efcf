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
import type { Tier } from "@lineup/api/tiers";
import { type Clock, systemClock } from "./clock.ts";
import type { Limiter } from "./limiter.ts";
import { type CountedAdmissions, RedisUnreachableError } from "./redis-admissions.ts";
import { CountingNode } from "./redis-counting-node.ts";
import type { RedisTiming } from "./redis-standing.ts";
import type { Verdict } from "./windows.ts";

const CONNECT_WITHIN_MS = 4_500;
const OLDEST_REDIS = 7;
const DEFAULT_MAX_ADDRESSES = 50_000;

const DEFAULT_TIMING: RedisTiming = {
  decideWithinMs: 93,
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
  readonly timing?: Partial<RedisTiming>;
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
  /** While Redis is away, as far as this node knows. */
  peek(keyId: string, tier: Tier): Promise<Verdict>;
  /** While Redis is away, as far as this node knows. */
  readLastUsed(keyIds: readonly string[]): Promise<Map<string, number>>;
  exportAdmissions(keyIds: Iterable<string>): AsyncIterable<CountedAdmissions>;
  importAdmissions(entries: Iterable<CountedAdmissions> | AsyncIterable<CountedAdmissions>): Promise<number>;
  /** For a key that no longer exists. */
  forget(keyId: string): Promise<void>;
  close(): Promise<void>;
}

/** Rejects with RedisUnreachableError within five seconds: without Redis, a node that starts could not know its share. */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  try {
    const node = await CountingNode.open(
      {
        url: options.url,
        nodeId: options.nodeId ?? randomUUID(),
        clock: options.clock ?? systemClock,
        timing: { ...DEFAULT_TIMING, ...options.timing },
        maxAddresses: options.maxAddresses ?? DEFAULT_MAX_ADDRESSES,
        onAway: (error) => options.onAway?.(error),
        onBack: () => options.onBack?.(),
      },
      CONNECT_WITHIN_MS,
    );
    const version = node.serverVersion;
    if (version === undefined || Number.parseInt(version, 10) >= OLDEST_REDIS) return node;
    await node.close();
    throw new Error(`it is version ${version}, and ${OLDEST_REDIS} is the oldest that will do`);
  } catch (error) {
    throw new RedisUnreachableError(options.url, error);
  }
}
