import { inspect } from "node:util";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { findOrStartPostgres } from "./find-postgres.ts";
import { findOrStartRedis } from "./find-redis.ts";
import { describePlace, describeService, isMissing } from "./found-service.ts";
import { canStart, hasPostgres, hasRedis } from "./provided-services.ts";
import { talkToRedis } from "./redis.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("The services of a run", () => {
  test.skipIf(!canStart("postgres"))("have a PostgreSQL of the run where it asks for its own", async () => {
    vi.stubEnv("LINEUP_TEST_POSTGRES_URL", "own");
    const postgres = await findOrStartPostgres();
    if (isMissing(postgres)) throw new Error(postgres.missingBecause);
    expect(describeService(postgres)).toMatch(/^PostgreSQL \d+\.\d+ at 127\.0\.0\.1:\d+ \(started for this run\)$/);
    await postgres.stop();
  });

  test.skipIf(!canStart("redis"))("have a Redis of the run where it asks for its own", async () => {
    vi.stubEnv("LINEUP_TEST_REDIS_URL", "own");
    const redis = await findOrStartRedis();
    if (isMissing(redis)) throw new Error(redis.missingBecause);
    expect(describeService(redis)).toMatch(/^Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+ \(started for this run\)$/);
    const port = Number(new URL(redis.url).port);
    await redis.stop();
    expect(await talkToRedis(port, "PING")).toBe("");
  });

  test.skipIf(!hasPostgres() || !hasRedis())("are those that the environment names", async () => {
    const { postgres, redisUrl } = inject("services");
    vi.stubEnv("LINEUP_TEST_POSTGRES_URL", postgres?.adminUrl);
    vi.stubEnv("LINEUP_TEST_REDIS_URL", redisUrl);
    expect(await findOrStartPostgres()).toMatchObject({
      adminUrl: postgres?.adminUrl,
      origin: "named by LINEUP_TEST_POSTGRES_URL",
    });
    expect(await findOrStartRedis()).toMatchObject({ url: redisUrl, origin: "named by LINEUP_TEST_REDIS_URL" });
  });

  test("are never others than those named, and the password of what is named is not told", async () => {
    for (const place of ["127.0.0.1:1", "no place", "127.0.0.1:port"]) {
      vi.stubEnv("LINEUP_TEST_POSTGRES_URL", `postgres://somebody:secret-word@${place}/lineup`);
      vi.stubEnv("LINEUP_TEST_REDIS_URL", `redis://:secret-word@${place}`);
      for (const find of [findOrStartPostgres, findOrStartRedis]) {
        const refusal = inspect(await find().catch((error: unknown) => error));
        expect(refusal).toMatch(/LINEUP_TEST_\w+_URL cannot be used: /);
        expect(refusal).not.toContain("secret-word");
      }
    }
  });

  test("are described without user and password", () => {
    expect(describePlace("postgres://a:b@db.example/lineup", 5432)).toBe("db.example:5432");
    expect(describePlace("rediss://:b@[::1]:7000", 6379)).toBe("[::1]:7000");
    expect(describePlace("postgres://a@%2Fvar%2Frun%2Fpostgresql/postgres", 5432)).toBe("/var/run/postgresql");
  });
});
