/** What a test run has in services, from the first look for them to the last trace of them. */
import { openPostgresStore } from "../../src/store/postgres.ts";
import { findOrStartPostgres } from "./find-postgres.ts";
import { findProgramOrInstall, type Startable } from "./find-program.ts";
import { findOrStartRedis } from "./find-redis.ts";
import {
  describeMissing,
  describeService,
  type FoundService,
  isMissing,
  type MissingService,
} from "./found-service.ts";
import {
  createTemplate,
  type DatabaseSource,
  dropDatabasesOfRun,
  makeRunPrefix,
  sweepDatabases,
} from "./test-database.ts";
import { leaveToKeeper } from "./tidying.ts";

/** Goes from one process to another, so it is data alone. */
export interface ProvidedServices {
  /** One line per service, for people. */
  readonly lines: readonly string[];
  readonly postgres: DatabaseSource | undefined;
  /** Shared with others: nothing may be flushed, and keys have names that nobody else uses. */
  readonly redisUrl: string | undefined;
  /** Of which programs a test can start servers of its own. */
  readonly startable: Readonly<Record<Startable, boolean>>;
}

declare module "vitest" {
  interface ProvidedContext {
    readonly services: ProvidedServices;
  }
}

export interface RunServices {
  readonly provided: ProvidedServices;
  end(): Promise<void>;
}

export async function findOrStartServices(): Promise<RunServices> {
  const postgres = await findOrStartPostgres();
  const redis = await findOrStartRedis();
  const programs = {
    // What could not be started for the run, a test cannot start either.
    postgres: isMissing(postgres) ? postgres : await findProgramOrInstall("postgres"),
    redis: isMissing(redis) ? redis : await findProgramOrInstall("redis"),
    haproxy: await findProgramOrInstall("haproxy"),
    pgbouncer: await findProgramOrInstall("pgbouncer"),
    chromium: await findProgramOrInstall("chromium"),
  };
  // Where the server is, that its programs are here as well goes without saying.
  const withoutPrograms = [programs.postgres, programs.redis].filter(isMissing);
  const shown = [
    ...new Set([postgres, redis, ...withoutPrograms, programs.haproxy, programs.pgbouncer, programs.chromium]),
  ];
  refuseInCi(shown);
  const databases = isMissing(postgres) ? undefined : await prepareDatabases(postgres.adminUrl);
  return {
    provided: {
      lines: shown.map(describeService),
      postgres: databases?.source,
      redisUrl: isMissing(redis) ? undefined : redis.url,
      startable: {
        postgres: !isMissing(programs.postgres),
        redis: !isMissing(programs.redis),
        haproxy: !isMissing(programs.haproxy),
        pgbouncer: !isMissing(programs.pgbouncer),
        chromium: !isMissing(programs.chromium),
      },
    },
    async end() {
      await databases?.drop();
      if (!isMissing(postgres)) await postgres.stop();
      if (!isMissing(redis)) await redis.stop();
    },
  };
}

/** Elsewhere what is missing is a line and skipped tests; there nobody reads the line. */
function refuseInCi(services: readonly (FoundService | MissingService)[]): void {
  const missing = services.filter(isMissing);
  if (missing.length === 0 || (process.env.CI ?? "") === "") return;
  throw new Error(`CI is set, so every service has to be there. ${missing.map(describeMissing).join(" ")}`);
}

async function prepareDatabases(adminUrl: string) {
  await sweepDatabases(adminUrl);
  const source: DatabaseSource = { adminUrl, prefix: makeRunPrefix() };
  const left = leaveToKeeper("drop-databases.ts", source);
  // A store with its schema: copying it is several times as fast as taking all the steps again.
  const template = await createTemplate(source, async (url) => (await openPostgresStore({ url })).store.close());
  return {
    source: { ...source, template },
    async drop() {
      await dropDatabasesOfRun(source);
      await left.remove();
    },
  };
}
