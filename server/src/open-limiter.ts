/** One way to the limits, wherever they are counted: in Redis where an address is given, else in the process, remembered in the data folder. */
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { counter, gauge, type MetricNumber } from "./http/metrics.ts";
import type { Clock } from "./limits/clock.ts";
import { MemoryLimiter } from "./limits/memory-limiter.ts";
import type { RedisCounts, RedisLimiter } from "./limits/redis-limiter.ts";
import { LIMITS_FILE } from "./store/data-folder.ts";
import { codeOf } from "./store/store-error.ts";

export interface OpenLimiterOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Of these alone anything is remembered. */
  listKeyIds(): Promise<ReadonlySet<string>>;
}

export async function openLimiter(config: Config, options: OpenLimiterOptions) {
  const { clock, log } = options;
  if (config.redisUrl !== undefined) return openInRedis(config.redisUrl, clock, log);
  const limiter = new MemoryLimiter({
    file: join(config.dataDir, LIMITS_FILE),
    clock,
    knownKeyIds: await options.listKeyIds(),
    onError: (err) => log.error({ err }, "counted requests cannot be written down; trying again"),
  });
  return { limiter, findDegradation: () => undefined, numbers: [], close: () => closeForGood(limiter, log) };
}

/** At the end of a server. Nothing that was confirmed hangs on what is counted, so a full disk does not make the stop fail. */
function closeForGood(limits: MemoryLimiter, log: Logger): void {
  try {
    limits.close();
  } catch (err) {
    // A quota that is used up comes as a failed write, and memory that is shared by way of a file as a failed growth.
    if (!/^SQLITE_(FULL|IOERR_WRITE|IOERR_SHMSIZE)$/.test(codeOf(err))) throw err;
    log.warn(
      { err },
      `the disk is full: what was counted since ${LIMITS_FILE} could last be written is forgotten by this stop. Free space before the next start`,
    );
  }
}

const REDIS_COUNTS: Readonly<Record<keyof RedisCounts, readonly [name: string, help: string]>> = {
  outages: ["outages", "Times that Redis went away."],
  losses: ["losses", "Times that Redis was found to have lost what it had counted."],
  decidedAlone: ["decided_alone", "Requests decided without Redis, within this server's share."],
  givenBack: ["given_back", "Admissions given back to Redis after it was away."],
  doubtful: ["doubtful", "Requests that may count once too often, because Redis answered late or not at all."],
  unreadable: ["unreadable", "Requests that Redis could not decide, because foreign data stands under a name."],
};

async function openInRedis(url: string, clock: Clock, log: Logger) {
  // Its client is hundreds of files, a tenth of a start, which a server that counts without it need not wait for.
  const { openRedisLimiter } = await import("./limits/redis-limiter.ts");
  const limiter = await openRedisLimiter({
    url,
    clock,
    onAway: (err) => log.error({ err }, "Redis is away; each server limits by its own count, to its share"),
    onBack: () => log.info("Redis is back, and has been given what was counted meanwhile"),
  });
  return {
    limiter,
    /** What is missing though every request is answered; undefined when nothing is. */
    findDegradation: () =>
      limiter.isDegraded ? "Redis is away; each server limits by its own count, to its share" : undefined,
    numbers: redisNumbers(limiter),
    close: () => limiter.close(),
  };
}

export function redisNumbers(limiter: Pick<RedisLimiter, "isDegraded" | "nodes" | "counts">): MetricNumber[] {
  const help = "Whether Redis decides: 1, or 0 while it is away.";
  return [
    gauge("lineup_redis_up", help, () => Number(!limiter.isDegraded)),
    gauge("lineup_redis_nodes", "Servers that count in this Redis, as far as last known.", () => limiter.nodes),
    ...Object.entries(REDIS_COUNTS).map(([count, [name, meaning]]) =>
      counter(`lineup_redis_${name}_total`, meaning, () => limiter.counts[count as keyof RedisCounts]),
    ),
  ];
}
