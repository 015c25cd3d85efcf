/** The services of the run, for test files. What is missing was said when the run began; ask, and skip. */
import { inject } from "vitest";
import type { Startable } from "./find-program.ts";
import { createTestDatabase, type TestDatabase, type TestDatabaseOptions } from "./test-database.ts";

export function hasPostgres(): boolean {
  return inject("services").postgres !== undefined;
}

export function hasRedis(): boolean {
  return inject("services").redisUrl !== undefined;
}

/** Whether the test can start servers of its own of all of these. */
export function canStart(...programs: readonly Startable[]): boolean {
  return programs.every((program) => inject("services").startable[program]);
}

/** Shared with others: nothing may be flushed, and keys have names that nobody else uses. */
export function requireRedisUrl(): string {
  const { redisUrl } = inject("services");
  if (redisUrl === undefined) throw new Error("This run has no Redis. Skip the test unless hasRedis() is true.");
  return redisUrl;
}

/** A database of its own on the run's PostgreSQL, a copy of the run's template if it has one. */
export async function makeTestDatabase(options?: TestDatabaseOptions): Promise<TestDatabase> {
  const { postgres } = inject("services");
  if (postgres === undefined)
    throw new Error("This run has no PostgreSQL. Skip the test unless hasPostgres() is true.");
  return createTestDatabase(postgres, options);
}
