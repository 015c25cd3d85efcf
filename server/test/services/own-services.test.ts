import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "./postgres.ts";
import { startOwnRedis, talkToRedis } from "./redis.ts";

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function query(postgres: OwnPostgres, text: string): Promise<unknown[]> {
  const client = new Client(postgres.url("postgres"));
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe("A Redis of its own", () => {
  test("answers, and is empty after a restart on the same port", async () => {
    const redis = await startOwnRedis();
    ended.push(redis.stop);
    expect(await talkToRedis(redis.port, "SET kept 1")).toContain("+OK");
    const { pid, url } = redis;
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(redis.url).toBe(url);
    expect(await talkToRedis(redis.port, "DBSIZE")).toContain(":0");
    await redis.kill();
    expect(await talkToRedis(redis.port, "PING")).toBe("");
    await redis.restart();
    expect(await talkToRedis(redis.port, "PING")).toContain("+PONG");
  });
});
describe("A PostgreSQL of its own", () => {
  test("keeps what was committed when it is killed", async () => {
    const postgres = await startOwnPostgres();
    ended.push(postgres.remove);
    expect(await query(postgres, "select 1 as one")).toEqual([{ one: 1 }]);
    await query(postgres, "create table kept as select 7 as n");
    await postgres.kill();
    await expect(query(postgres, "select 1")).rejects.toThrow();
    await postgres.start();
    expect(await query(postgres, "select n from kept")).toEqual([{ n: 7 }]);
    expect(isThere(1)).toBe(true);
  });
});
