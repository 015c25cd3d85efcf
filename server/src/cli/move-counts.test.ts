/** Requests that were counted before a move are counted after it, each once. */
import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TIERS } from "@lineup/api/tiers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listSchemas } from "../../test/copy-fixture.ts";
import { runLineup } from "../../test/run-lineup.ts";
import { canStart, hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../../test/services/redis.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { call, makeKey, makeOrg, startTestServer } from "../../test/test-server.ts";
import { STORE_FILE } from "../store/data-folder.ts";

const COUNTED = 5;
const A_DAY = TIERS.Pro.perDay;

let folder: string;
let dataDir: string;
let database: TestDatabase;
let redis: OwnRedis;
let key: string;

/** How many requests of the key's day a server has left, after one more. */
async function remainingOn(path: string, config: { databaseUrl: string | undefined; redisUrl: string | undefined }) {
  const server = await startTestServer({ dataDir: path, config: { databasePoolSize: 2, ...config } });
  try {
    const { headers } = await call(server, "GET", "/teams", { key });
    return Number(/"day";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  } finally {
    await server.stop();
  }
}

async function move(to: string, settings: Record<string, string>) {
  return runLineup(["move", "--to", to, "--json"], { LINEUP_DATA_DIR: dataDir, ...settings });
}

describe.skipIf(!hasPostgres() || !canStart("redis"))("counted requests", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-counts-"));
    dataDir = join(folder, "data");
    redis = await startOwnRedis();
    database = await makeTestDatabase({ empty: true });
    const server = await startTestServer({ dataDir, config: { databaseUrl: undefined } });
    ({ key } = await makeKey(server, await makeOrg(server, "Pro")));
    for (let request = 0; request < COUNTED; request++) await call(server, "GET", "/teams", { key });
    await server.stop();
  });
  afterAll(async () => {
    await redis?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("keep a store from moving where they cannot, and no password is shown", async () => {
    const moved = await move(database.url, { LINEUP_REDIS_URL: "redis://user:hunter2@127.0.0.1:1" });
    expect(moved).toMatchObject({ code: 1, out: "", err: expect.stringContaining("LINEUP_REDIS_URL") });
    expect(moved.err).not.toContain("hunter2");
    expect(await listSchemas(database.url)).toEqual([]);
  });

  test("stay where they are as long as nothing counts elsewhere", async () => {
    const own = await makeTestDatabase({ empty: true });
    try {
      const moved = await move(own.url, {});
      expect(JSON.parse(moved.out)).toMatchObject({ counted: null });
      expect(await remainingOn(join(folder, "unused"), { databaseUrl: own.url, redisUrl: undefined })).toBe(A_DAY - 1);
      // To serve is to note how much keys are used; so what comes back is not what went.
      renameSync(join(dataDir, STORE_FILE), join(folder, "before.db"));
      const back = await move(dataDir, { LINEUP_DATABASE_URL: own.url });
      expect(JSON.parse(back.out)).toMatchObject({ counted: null, wasThere: false });
    } finally {
      await own.drop();
    }
  });

  test("go to Redis and back to a folder, each once, however often the move is run", async () => {
    const journal = readFileSync(join(dataDir, "limits.db"));
    for (const wasThere of [false, true]) {
      const moved = await move(database.url, { LINEUP_REDIS_URL: redis.url });
      expect(JSON.parse(moved.out)).toMatchObject({ wasThere, counted: { keys: 1, requests: COUNTED } });
    }
    expect(readFileSync(join(dataDir, "limits.db"))).toEqual(journal);
    const served = { databaseUrl: database.url, redisUrl: redis.url };
    expect(await remainingOn(join(folder, "node"), served)).toBe(A_DAY - COUNTED - 1);

    const back = join(folder, "back");
    const settings = { LINEUP_DATABASE_URL: database.url, LINEUP_REDIS_URL: redis.url };
    for (const wasThere of [false, true]) {
      const moved = await move(back, settings);
      expect(JSON.parse(moved.out)).toMatchObject({ wasThere, counted: { keys: 1, requests: COUNTED + 1 } });
    }
    expect(await remainingOn(back, { databaseUrl: undefined, redisUrl: undefined })).toBe(A_DAY - COUNTED - 2);

    const copied = await runLineup(["move", "--to", join(folder, "third"), "--json"], {
      LINEUP_DATA_DIR: back,
      LINEUP_DATABASE_URL: database.url,
    });
    expect(JSON.parse(copied.out)).toMatchObject({ counted: { keys: 1, requests: COUNTED + 2 } });
    const third = { databaseUrl: undefined, redisUrl: undefined };
    expect(await remainingOn(join(folder, "third"), third)).toBe(A_DAY - COUNTED - 3);
  });
});
