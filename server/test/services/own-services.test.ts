import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "./postgres.ts";
import { isRunning } from "./process-family.ts";
import { canStart } from "./provided-services.ts";
import { startOwnRedis, talkToRedis } from "./redis.ts";

const ENDLESS = "select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  expect(listFolders()).toEqual([]);
});

/** Of services that this process has started. */
function listFolders(): string[] {
  const roots = readdirSync(tmpdir()).filter((name) => name.startsWith(`lineup-services-${process.pid}-`));
  return roots.flatMap((root) => readdirSync(join(tmpdir(), root)));
}

async function query(postgres: OwnPostgres, text: string): Promise<unknown[]> {
  const client = new Client(postgres.url("postgres"));
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(!canStart("redis"))("A Redis of a test's own", () => {
  test("is empty after a restart on the same port, even if it was killed", async () => {
    const redis = await startOwnRedis();
    ends.push(redis.stop);
    const { pid, port } = redis;
    expect(await talkToRedis(port, "SET kept 1")).toContain("+OK");
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await talkToRedis(port, "DBSIZE")).toContain(":0");
    await talkToRedis(port, "SET kept 2");
    await redis.kill();
    expect(await talkToRedis(port, "PING")).toBe("");
    await redis.restart();
    expect(await talkToRedis(port, "DBSIZE")).toContain(":0");
  });

  test("answers nobody while it is paused, and then answers again", async () => {
    const redis = await startOwnRedis();
    ends.push(redis.stop);
    redis.pause();
    expect(await talkToRedis(redis.port, "PING")).toBe("");
    redis.resume();
    expect(await talkToRedis(redis.port, "PING")).toContain("+PONG");
  });

  test("can be stopped while it is paused, and stopped again", async () => {
    const redis = await startOwnRedis();
    redis.pause();
    const began = performance.now();
    await redis.stop();
    await redis.stop();
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await talkToRedis(redis.port, "PING")).toBe("");
  });

  test("has all slots as a cluster", async () => {
    const redis = await startOwnRedis({ clusterEnabled: true });
    ends.push(redis.stop);
    expect(await talkToRedis(redis.port, "SET anything 1")).toContain("+OK");
    expect(await talkToRedis(redis.port, "CLUSTER INFO")).toContain("cluster_slots_ok:16384");
  });
});

describe.skipIf(!canStart("postgres"))("A PostgreSQL of a test's own", () => {
  test("keeps what was confirmed when every process of it is killed", async () => {
    const postgres = await startOwnPostgres();
    ends.push(postgres.remove);
    expect(await query(postgres, "select 1 as one")).toEqual([{ one: 1 }]);
    await query(postgres, "create table kept as select 7 as n");
    // One that computes does not notice that the others are gone.
    const computing = expect(query(postgres, ENDLESS)).rejects.toThrow();
    const isComputing = `select 1 from pg_stat_activity where state = 'active' and query = '${ENDLESS}'`;
    while ((await query(postgres, isComputing)).length === 0) await sleep(10);
    const processes = (await query(postgres, "select pid from pg_stat_activity")) as { readonly pid: number }[];
    await postgres.kill();
    await computing;
    expect(processes.length).toBeGreaterThan(3);
    for (const { pid } of processes) expect(await isRunning(pid)).toBe(false);
    await expect(query(postgres, "select 1")).rejects.toThrow("ECONNREFUSED");
    await postgres.start();
    expect(await query(postgres, "select n from kept")).toEqual([{ n: 7 }]);
    expect(await query(postgres, "show fsync")).toEqual([{ fsync: "on" }]);
  });

  test("stops in order and starts again on the same port, with the settings asked for", async () => {
    const postgres = await startOwnPostgres({ fsync: false, settings: { work_mem: "5MB" } });
    ends.push(postgres.remove);
    await query(postgres, "create table kept as select 7 as n");
    await postgres.stop("fast");
    await postgres.stop("fast");
    await postgres.start();
    expect(await query(postgres, "select n from kept")).toEqual([{ n: 7 }]);
    expect(await query(postgres, "show work_mem")).toEqual([{ work_mem: "5MB" }]);
    await expect(postgres.start()).rejects.toThrow("still running");
    await postgres.stop("immediate");
    await postgres.start();
    expect(await query(postgres, "select n from kept")).toEqual([{ n: 7 }]);
    await postgres.remove();
    await expect(query(postgres, "select 1")).rejects.toThrow("ECONNREFUSED");
  });

  test("says why it does not start", async () => {
    await expect(startOwnPostgres({ settings: { work_mem: "much" } })).rejects.toThrow(
      'invalid value for parameter "work_mem"',
    );
  });
});
