/**
 * A PostgreSQL and a Redis of the bench's own, on the load's core, and what they cost: the processor time of all their processes.
 * Where they are not installed, the third contender is left out, and the report says so.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { startOwnPostgres } from "../../server/test/services/postgres.ts";
import { startOwnRedis } from "../../server/test/services/redis.ts";

export interface Services {
  /** An empty database and an empty Redis for each number from 0 to 15. */
  makePlace(number: number): Promise<ServicePlace>;
  /** Microseconds since they were started. */
  readCpuUs(): { readonly postgresUs: number; readonly redisUs: number };
  stop(): Promise<void>;
}

export interface ServicePlace {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** What a tick of the clock in /proc is on every Linux that Node runs on. */
const TICK_US = 10_000;

export async function startServices(): Promise<Services | undefined> {
  try {
    // On the disk before the answer, as in production.
    const postgres = await startOwnPostgres({ fsync: true });
    const redis = await startOwnRedis().catch(async (error: unknown) => {
      await postgres.remove();
      throw error;
    });
    const databaseUrl = postgres.url("postgres");
    const parent = await findPostmaster(databaseUrl);
    return {
      makePlace: async (number) => {
        const name = `bench_${number}`;
        await run(databaseUrl, `CREATE DATABASE ${name}`);
        const redisUrl = new URL(redis.url);
        redisUrl.pathname = `/${number}`;
        return { databaseUrl: postgres.url(name), redisUrl: redisUrl.href };
      },
      readCpuUs: () => ({ postgresUs: readFamilyUs(parent), redisUs: readOwnUs(redis.pid) }),
      stop: async () => {
        await redis.stop();
        await postgres.remove();
      },
    };
  } catch (error) {
    process.stderr.write(`PostgreSQL and Redis are left out: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

async function findPostmaster(url: string): Promise<number> {
  const [row] = await run(url, "SELECT pg_backend_pid() AS pid");
  return readStat(Number(row?.pid))?.parent ?? 0;
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** With what children that have ended used, which their parent remembers. */
function readFamilyUs(parent: number): number {
  let ticks = readStat(parent)?.withEnded ?? 0;
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat?.parent === parent) ticks += stat.own;
  }
  return ticks * TICK_US;
}

function readOwnUs(pid: number): number {
  return (readStat(pid)?.own ?? 0) * TICK_US;
}

function readStat(
  pid: number,
): { readonly parent: number; readonly own: number; readonly withEnded: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything; figures begin after it with the third field.
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const at = (field: number) => fields[field - 3] ?? 0;
    return { parent: at(4), own: at(14) + at(15), withEnded: at(14) + at(15) + at(16) + at(17) };
  } catch {
    return undefined;
  }
}
