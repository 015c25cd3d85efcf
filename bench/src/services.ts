/**
 * A PostgreSQL and a Redis of the bench's own, on the load's core, and what they cost: the processor time of all their processes.
 * Where they are not installed, the third contender is left out, and the report says so.
 */
import { Client } from "pg";
import { startOwnPostgres } from "../../server/test/services/postgres.ts";
import { startOwnRedis } from "../../server/test/services/redis.ts";
import { readFamilyCpuUs, readOwnCpuUs } from "./process-usage.ts";

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
      readCpuUs: () => ({ postgresUs: readFamilyCpuUs(parent), redisUs: readOwnCpuUs(redis.pid) }),
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
  const [row] = await run(url, "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid");
  return Number(row?.pid);
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
