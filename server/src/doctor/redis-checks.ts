import { RedisUnreachableError } from "../limits/redis-admissions.ts";
import { connectToRedis, type RedisLink, within } from "../limits/redis-link.ts";
import { reasonOf } from "../store/store-error.ts";
import { checkOf, failure, type Installation, makeCheck, ok, orOk, type Subject, skipped, warning } from "./check.ts";

const OLDEST_MAJOR = 7;
/** A request waits less than 100 ms for Redis, then it is decided alone. */
const SLOW_MS = 50;
const FULL = 0.9;
const CONNECT_WITHIN_MS = 4_000;
const ANSWER_WITHIN_MS = 2_000;
const PINGS = 5;
/** Which server of a cluster is asked. */
const NAME = "lineup:doctor";

/** Redis as it answers, and as far as this user may ask. */
interface RedisFacts {
  /** What INFO tells; empty where this user may not ask. */
  readonly info: ReadonlyMap<string, string>;
  readonly aheadMs: number;
  /** The quickest of a few. */
  readonly answersInMs: number;
  /** Why it does not run scripts, which every request needs; undefined where it does. */
  readonly scriptRefusal: string | undefined;
}

export async function readRedis({ config: { redisUrl = "" } }: Installation): Promise<RedisFacts> {
  let link: RedisLink | undefined;
  try {
    link = await connectToRedis(redisUrl, CONNECT_WITHIN_MS);
    return await within(ANSWER_WITHIN_MS, readFacts(link));
  } catch (error) {
    throw new RedisUnreachableError(redisUrl, error);
  } finally {
    link?.destroy();
  }
}

async function readFacts(link: RedisLink): Promise<RedisFacts> {
  let answersInMs = Number.POSITIVE_INFINITY;
  let aheadMs = 0;
  for (let count = 0; count < PINGS; count++) {
    const [began, begunAt] = [performance.now(), Date.now()];
    const [seconds, micros] = (await link.send(NAME, ["TIME"])) as [string, string];
    const tookMs = performance.now() - began;
    if (tookMs > answersInMs) continue;
    answersInMs = tookMs;
    aheadMs = Number(seconds) * 1_000 + Number(micros) / 1_000 - (begunAt + tookMs / 2);
  }
  const scriptRefusal = await link.send(NAME, ["EVAL", "return 1", "1", NAME]).then(() => undefined, reasonOf);
  const told = String(await link.send(NAME, ["INFO"]).catch(() => ""));
  const info = new Map([...told.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]));
  return { info, aheadMs, answersInMs, scriptRefusal };
}

const UNUSED = skipped("LINEUP_REDIS_URL is not set.");
const check = checkOf(readRedis, "Redis could not be asked.", ({ config }) =>
  config.redisUrl === undefined ? UNUSED : undefined,
);

const reached = makeCheck("redis", "Redis", async (installation) => {
  if (installation.config.redisUrl === undefined) return UNUSED;
  const { info, answersInMs, scriptRefusal } = await installation.read(readRedis);
  const version = info.get("valkey_version") ?? info.get("redis_version");
  const isOld =
    info.get("redis_version") !== undefined && Number.parseInt(info.get("redis_version") ?? "", 10) < OLDEST_MAJOR;
  return orOk(
    [
      isOld && failure(`Redis ${version} is too old.`, `Use Redis ${OLDEST_MAJOR} or newer, or Valkey.`),
      info.get("role") === "slave" &&
        failure(
          "LINEUP_REDIS_URL leads to a replica, which takes no writes.",
          "Set LINEUP_REDIS_URL to the primary's address.",
        ),
      scriptRefusal !== undefined &&
        failure(
          `Redis does not run scripts for this user (${scriptRefusal}).`,
          'Allow its user what "Setting it up" in docs/scaling.md lists: ACL SETUSER … ~lineup:* +eval +evalsha …',
        ),
      answersInMs > SLOW_MS &&
        warning(
          `Redis takes ${Math.round(answersInMs)} ms to answer; past 93 ms requests are decided without it.`,
          "Put it nearer to the servers, or see with redis-cli --latency and SLOWLOG GET what holds it up.",
        ),
    ],
    `${version === undefined ? "" : `version ${version}, `}answers in ${answersInMs.toFixed(1)} ms`,
  );
});

const memory = check("redis-memory", "Its memory", ({ info }) => {
  const policy = info.get("maxmemory_policy");
  if (policy === undefined) return skipped("This user may not ask (INFO).");
  const [used, limit] = [Number(info.get("used_memory")), Number(info.get("maxmemory"))];
  return orOk(
    [
      policy !== "noeviction" &&
        failure(
          `Redis throws away what was counted when its memory is full (maxmemory-policy ${policy}).`,
          "Set maxmemory-policy noeviction in redis.conf, and now: redis-cli CONFIG SET maxmemory-policy noeviction",
        ),
      limit > 0 &&
        used > limit * FULL &&
        warning(
          `Redis uses ${Math.round((100 * used) / limit)} % of the memory it may use; past that it counts nothing.`,
          "Raise maxmemory in redis.conf, and now: redis-cli CONFIG SET maxmemory …; docs/scaling.md says how much keys take.",
        ),
    ],
    "nothing that was counted is thrown away",
  );
});

const persistence = check("redis-persistence", "Persistence", ({ info }) => {
  const failed = ["rdb_last_bgsave_status", "aof_last_write_status"].filter((name) => info.get(name) === "err");
  if (failed.length > 0) {
    return failure(
      `Redis could not save its data (${failed.join(", ")} is err), and may take no writes.`,
      "See its log; free space on its disk, or make its folder writable, then: redis-cli BGSAVE",
    );
  }
  return ok(
    info.get("aof_enabled") === "1"
      ? "counts survive a restart of Redis"
      : "not by appendonly, which is fine: running servers give back what they counted",
  );
});

export const REDIS_SUBJECT: Subject = { title: "Redis", checks: [reached, memory, persistence] };
