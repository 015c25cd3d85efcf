import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TIERS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis, talkToRedis } from "../../test/services/redis.ts";
import { connectCommandToRedis, copyAdmissions } from "./redis-admissions.ts";
import { openRedisLimiter, type RedisLimiter, type RedisLimiterOptions } from "./redis-limiter.ts";
import { NODES_NAME, timesName } from "./redis-scripts.ts";

/** Far more than any answer takes on a busy machine, and far less than Redis is away: none of them waits for it. */
const NOT_WAITED_MS = 10_000;
const QUICK = { beatEveryMs: 50, probeEveryMs: 30, goneAfterMs: 1_000 } as const;

let keys = 0;

function makeKeyId(): string {
  return `key_away_${++keys}`;
}

async function isAdmitted(limiter: RedisLimiter | undefined, keyId: string, tier: keyof typeof TIERS = "Enterprise") {
  return (await limiter?.take(keyId, tier))?.admitted ?? false;
}

async function countIn(url: string, keyId: string): Promise<number> {
  const link = await connectCommandToRedis(url);
  const { admissions } = await copyAdmissions(link, keyId);
  link.destroy();
  return admissions.length;
}

describe.skipIf(!canStart("redis"))("While Redis is away", () => {
  let redis: OwnRedis;
  let limiters: RedisLimiter[];
  const closing: (() => Promise<unknown> | unknown)[] = [];

  beforeEach(async () => {
    redis = await startOwnRedis();
    limiters = [];
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await Promise.all(limiters.map((limiter) => limiter.close()));
    await redis.stop();
  });

  async function open(count: number, options: Partial<RedisLimiterOptions> = {}): Promise<void> {
    for (let made = 0; made < count; made++) {
      limiters.push(await openRedisLimiter({ url: redis.url, timing: QUICK, ...options }));
    }
    await expect.poll(() => limiters.map(({ nodes }) => nodes)).toEqual(limiters.map(() => count));
  }

  async function takeBalanced(keyId: string, requests: number): Promise<number> {
    const admitted = await Promise.all(
      Array.from({ length: requests }, (_, index) => isAdmitted(limiters[index % limiters.length], keyId)),
    );
    return admitted.filter(Boolean).length;
  }

  const areTogether = () => limiters.every(({ isDegraded }) => !isDegraded);

  test("every node admits its share and no more, and each is answered at once but the first", async () => {
    await open(4);
    const keyId = makeKeyId();
    await takeBalanced(keyId, 4);
    await redis.kill();
    const startedAt = performance.now();
    await Promise.all(limiters.map((limiter) => isAdmitted(limiter, keyId)));
    expect(performance.now() - startedAt).toBeLessThan(NOT_WAITED_MS);
    const after = performance.now();
    expect(4 + 4 + (await takeBalanced(keyId, 3_000))).toBe(TIERS.Enterprise.perMinute);
    expect(performance.now() - after).toBeLessThan(NOT_WAITED_MS);
    expect(limiters.every(({ isDegraded }) => isDegraded)).toBe(true);
  });

  test("the sum stays within the limit while nodes go and come back one by one, to a Redis that is empty", async () => {
    await open(4);
    const keyId = makeKeyId();
    let admitted = await takeBalanced(keyId, 300);
    const load = { isOver: false };
    const loading = (async () => {
      while (!load.isOver) {
        admitted += await takeBalanced(keyId, 40);
        await sleep(5);
      }
    })();
    await redis.kill();
    await sleep(400);
    await redis.restart();
    await expect.poll(areTogether).toBe(true);
    await sleep(300);
    load.isOver = true;
    await loading;
    expect(admitted).toBeLessThanOrEqual(TIERS.Enterprise.perMinute);
    expect(admitted).toBeGreaterThan(TIERS.Enterprise.perMinute * 0.9);
    // All that was admitted is in Redis again, those that were on their way when it was killed perhaps twice.
    const counted = await countIn(redis.url, keyId);
    expect(counted).toBeGreaterThanOrEqual(admitted);
    expect(counted).toBeLessThanOrEqual(admitted + limiters.reduce((sum, { counts }) => sum + counts.doubtful, 0));
  });

  test("a Redis that only stood still is given back exactly what it had not counted", async () => {
    await open(2);
    const keyId = makeKeyId();
    expect(await takeBalanced(keyId, 100)).toBe(100);
    redis.pause();
    const startedAt = performance.now();
    const first = await takeBalanced(keyId, 20);
    expect(performance.now() - startedAt).toBeLessThan(NOT_WAITED_MS);
    const rest = await takeBalanced(keyId, 30);
    expect([first, rest]).toEqual([20, 30]);
    redis.resume();
    await expect.poll(areTogether).toBe(true);
    expect(await countIn(redis.url, keyId)).toBe(150);
    expect(limiters.map(({ counts }) => counts.doubtful)).toEqual([0, 0]);
  });

  test("an imbalance from before is borne in mind, so that nobody fills up a share that another has taken", async () => {
    await open(4);
    const keyId = makeKeyId();
    // On a busy machine Redis may be taken for gone for a moment, and then some of them are refused.
    for (let [sent, admitted] = [0, 0]; admitted < 1_000; sent++) {
      if (await isAdmitted(limiters[sent % 100 === 0 ? 1 : 0], keyId)) admitted++;
    }
    for (const limiter of limiters) expect(await isAdmitted(limiter, keyId)).toBe(false);
    await redis.kill();
    expect(await takeBalanced(keyId, 400)).toBe(0);
  });

  test("each may admit at least one request, however many nodes there are", async () => {
    await open(3, { timing: { ...QUICK, goneAfterMs: 60_000 } });
    const names = Array.from({ length: 20 }, (_, index) => `${Date.now()} ghost${index}`).join(" ");
    await talkToRedis(redis.port, `ZADD ${NODES_NAME} ${names}`);
    await expect.poll(() => limiters[0]?.nodes).toBe(23);
    await redis.kill();
    const keyId = makeKeyId();
    const admitted = [];
    for (let sent = 0; sent < 5; sent++) admitted.push(await isAdmitted(limiters[0], keyId, "Free"));
    expect(admitted).toEqual([true, false, false, false, false]);
  });

  test("it is told once that Redis went, and once that it is back", async () => {
    const told: string[] = [];
    await open(1, { onAway: () => told.push("away"), onBack: () => told.push("back") });
    for (let round = 0; round < 2; round++) {
      await redis.kill();
      for (let sent = 0; sent < 20; sent++) await isAdmitted(limiters[0], makeKeyId());
      await sleep(150);
      await redis.restart();
      await expect.poll(areTogether).toBe(true);
    }
    expect(told).toEqual(["away", "back", "away", "back"]);
    expect(limiters[0]?.counts).toMatchObject({ outages: 2, losses: 2 });
  });

  test("a steady load of many keys does not keep a node from coming back, and all of it counts", async () => {
    await open(1);
    const keyIds = Array.from({ length: 200 }, makeKeyId);
    let admitted = 0;
    const load = { isOver: false };
    const loading = (async () => {
      while (!load.isOver) {
        const some = keyIds.map((keyId) => isAdmitted(limiters[0], keyId));
        admitted += (await Promise.all(some)).filter(Boolean).length;
        await sleep(1);
      }
    })();
    await redis.kill();
    await sleep(200);
    await redis.restart();
    await expect.poll(areTogether, { timeout: 5_000 }).toBe(true);
    load.isOver = true;
    await loading;
    const counted = await Promise.all(keyIds.map((keyId) => countIn(redis.url, keyId)));
    const sum = counted.reduce((total, count) => total + count, 0);
    expect(sum).toBeGreaterThanOrEqual(admitted);
    expect(sum).toBeLessThanOrEqual(admitted + (limiters[0]?.counts.doubtful ?? 0));
  });

  test("a node without requests finds out by itself", async () => {
    await open(1);
    await redis.kill();
    await expect.poll(() => limiters[0]?.isDegraded).toBe(true);
  });

  test("a Redis emptied without a word is noticed, and given back what it had", async () => {
    await open(3, { timing: { ...QUICK, beatEveryMs: 100 } });
    const keyId = makeKeyId();
    expect(await takeBalanced(keyId, 600)).toBe(600);
    await talkToRedis(redis.port, "FLUSHALL");
    await expect.poll(() => countIn(redis.url, keyId)).toBe(600);
    await expect.poll(areTogether).toBe(true);
    expect(await takeBalanced(keyId, 600)).toBe(400);
  });

  test("a Redis that starts from an old copy is given back what is newer than the copy", async () => {
    const dir = mkdtempSync(join(tmpdir(), "lineup-redis-copy-"));
    const copying = await startOwnRedis({ settings: { dir } });
    closing.push(async () => {
      await copying.stop();
      rmSync(dir, { recursive: true });
    });
    limiters.push(await openRedisLimiter({ url: copying.url, timing: QUICK }));
    const keyId = makeKeyId();
    const lastBeatMs = async () =>
      Number(/(\d{13})/.exec(await talkToRedis(copying.port, `ZRANGE ${NODES_NAME} 0 -1 WITHSCORES`))?.[1]);
    /** Redis runs on this machine, and reads the same clock. */
    const pastABeat = (fromMs = Date.now()) => expect.poll(lastBeatMs).toBeGreaterThan(fromMs);
    expect(await takeBalanced(keyId, 100)).toBe(100);
    await pastABeat();
    await talkToRedis(copying.port, "SAVE");
    await pastABeat();
    expect(await takeBalanced(keyId, 70)).toBe(70);
    await copying.kill();
    expect(await takeBalanced(keyId, 5)).toBe(5);
    await copying.restart();
    await expect.poll(areTogether).toBe(true);
    expect(await countIn(copying.url, keyId)).toBe(175);
    expect(limiters[0]?.counts).toMatchObject({ losses: 1, givenBack: 75 });
  });

  test("a single list that was lost is given back by the nodes that use the key", async () => {
    // On a busy machine an answer may be late, and must not look like an outage.
    await open(2, { timing: { ...QUICK, decideWithinMs: NOT_WAITED_MS, beatWithinMs: NOT_WAITED_MS } });
    const keyId = makeKeyId();
    expect(await takeBalanced(keyId, 200)).toBe(200);
    expect(await talkToRedis(redis.port, `DEL ${timesName(keyId)}`)).toContain(":1");
    await takeBalanced(keyId, 2);
    await expect.poll(() => countIn(redis.url, keyId)).toBe(202);
    expect(areTogether()).toBe(true);
    expect(limiters.map(({ counts }) => counts.outages)).toEqual([0, 0]);
  });

  test("a Redis that answers too slowly counts as away until it is quick again", async () => {
    const proxy = await startProxy(redis.port);
    closing.push(() => proxy.close());
    limiters.push(await openRedisLimiter({ url: `redis://127.0.0.1:${proxy.port}`, timing: QUICK }));
    const keyId = makeKeyId();
    expect(await isAdmitted(limiters[0], keyId)).toBe(true);
    proxy.delayMs = 60_000;
    const startedAt = performance.now();
    expect(await isAdmitted(limiters[0], keyId)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(NOT_WAITED_MS);
    const after = performance.now();
    for (let sent = 0; sent < 50; sent++) expect(await isAdmitted(limiters[0], keyId)).toBe(true);
    expect(performance.now() - after).toBeLessThan(NOT_WAITED_MS);
    proxy.delayMs = 0;
    await expect.poll(areTogether).toBe(true);
    // The one that was on its way when Redis was given up may count twice, and then is known to once its answer has come; none counts not at all.
    const counted = await countIn(redis.url, keyId);
    expect(counted).toBeGreaterThanOrEqual(52);
    await expect.poll(() => 52 + (limiters[0]?.counts.doubtful ?? 0)).toBeGreaterThanOrEqual(counted);
  });

  test("a Redis that can only be read is away", async () => {
    await open(1);
    await talkToRedis(redis.port, "REPLICAOF 127.0.0.1 1");
    const keyId = makeKeyId();
    expect(await isAdmitted(limiters[0], keyId)).toBe(true);
    expect(limiters[0]?.isDegraded).toBe(true);
    await sleep(200);
    expect(limiters[0]?.isDegraded).toBe(true);
    await talkToRedis(redis.port, "REPLICAOF NO ONE");
    await expect.poll(areTogether).toBe(true);
    expect(await countIn(redis.url, keyId)).toBe(1);
  });

  test("addresses are held to a share of their minute too", async () => {
    await open(2);
    await redis.kill();
    await isAdmitted(limiters[0], makeKeyId());
    const admitted = [];
    for (let sent = 0; sent < 40; sent++) admitted.push((await limiters[0]?.takeAddress("192.0.2.7"))?.admitted);
    expect(admitted.filter(Boolean)).toHaveLength(30);
    expect(await limiters[0]?.takeAddress("192.0.2.7")).toMatchObject({ governing: { limit: 60, remaining: 0 } });
  });

  test("the last use of a key is told as far as the node knows it", async () => {
    await open(1);
    const keyId = makeKeyId();
    await isAdmitted(limiters[0], keyId);
    await redis.kill();
    await isAdmitted(limiters[0], keyId);
    const known = await limiters[0]?.readLastUsed([keyId, "key_unknown"]);
    expect([...(known?.keys() ?? [])]).toEqual([keyId]);
  });
});

interface Proxy {
  readonly port: number;
  /** Of everything that comes back. */
  delayMs: number;
  close(): Promise<void>;
}

async function startProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const proxy = { delayMs: 0 };
  const server: Server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      if (proxy.delayMs === 0) client.write(data);
      else setTimeout(() => client.write(data), proxy.delayMs).unref();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(proxy, {
    port: (server.address() as { port: number }).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  });
}
