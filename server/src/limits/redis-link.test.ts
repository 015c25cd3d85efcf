import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../../test/services/redis.ts";
import { connectToRedis, type RedisLink, within } from "./redis-link.ts";

describe.skipIf(!canStart("redis"))("Waiting for Redis", () => {
  let redis: OwnRedis;
  let link: RedisLink;

  beforeAll(async () => {
    redis = await startOwnRedis();
    link = await connectToRedis(redis.url, 5_000);
  });
  afterAll(async () => {
    link?.destroy();
    await redis?.stop();
  });

  /** Answered with nothing after so many seconds. */
  const askFor = (seconds: string) => link.send("nothing", ["BLPOP", "nothing", seconds]);

  test("an answer that came while this process stood still was in time", async () => {
    const answer = within(150, askFor("0.05"));
    // Long enough for it to be sent.
    await sleep(20);
    // After this, timers come before what the network has brought.
    await breathe();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    expect(await answer).toBeNull();
  });

  test("who does not answer is given up", async () => {
    await expect(within(50, askFor("1"))).rejects.toThrow("Redis has not answered within 50 ms");
  });
});
