/**
 * The Redis of a test run, which its test files share: the one that the environment names, else one that runs here and lets us in, else one
 * that is started for this run, from a program that is installed or can be.
 */
import { createClient } from "@redis/client";
import { findRedisServer, OLDEST_REDIS } from "./binaries.ts";
import { describePlace, type FoundService, type MissingService, START_OWN, URL_VARIABLES } from "./found-service.ts";
import { tryToInstall } from "./installing.ts";
import { startOwnRedis } from "./redis.ts";

export interface RunRedis extends FoundService {
  readonly url: string;
  /** Ends it where it was started for this run. */
  stop(): Promise<void>;
}

const NAME = "Redis";
const VARIABLE = URL_VARIABLES.redis;
const USUAL = "redis://127.0.0.1:6379";
const ANSWER_MS = 2000;

export async function findOrStartRedis(): Promise<RunRedis | MissingService> {
  const named = process.env[VARIABLE] ?? "";
  if (named !== "" && named !== START_OWN) {
    const judged = await judge(named);
    if (typeof judged === "string") throw new Error(`${VARIABLE} cannot be used: ${judged}.`);
    return usable(named, judged.version, `named by ${VARIABLE}`);
  }
  const judged = named === START_OWN ? "" : await judge(USUAL);
  if (typeof judged !== "string") return usable(USUAL, judged.version, "was running");
  if (findRedisServer() !== undefined) return startForRun("started for this run");
  const because = await tryToInstall("redis-server");
  if (because !== undefined) return { name: NAME, missingBecause: `none runs here, none is installed, and ${because}` };
  if (findRedisServer() !== undefined) return startForRun("installed and started for this run");
  return { name: NAME, missingBecause: `none runs here, and what can be installed is older than ${OLDEST_REDIS}` };
}

function usable(url: string, version: string, origin: string): RunRedis {
  return { name: NAME, version, place: describePlace(url, 6379), origin, url, stop: async () => {} };
}

async function startForRun(origin: string): Promise<RunRedis> {
  const own = await startOwnRedis();
  const judged = await judge(own.url);
  if (typeof judged === "string") throw new Error(`The Redis started for this run cannot be used: ${judged}.`);
  return { ...usable(own.url, judged.version, origin), stop: own.stop };
}

/** Its version, or why it cannot be used. */
async function judge(url: string): Promise<{ readonly version: string } | string> {
  // What would be thrown for such a text repeats it, password and all.
  if (!URL.canParse(url)) return "it is not a URL";
  const client = createClient({
    url,
    socket: { connectTimeout: ANSWER_MS, socketTimeout: ANSWER_MS, reconnectStrategy: false },
  });
  // A connection may break at any time; the command under way says so.
  client.on("error", () => {});
  try {
    await client.connect();
    const info = await client.info();
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? "";
    if (!(Number.parseInt(version, 10) >= OLDEST_REDIS)) return `version ${version} is older than ${OLDEST_REDIS}`;
    return /^role:master/m.test(info) ? { version } : "it is a replica";
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : "nobody answers there";
  } finally {
    if (client.isOpen) client.destroy();
  }
}
