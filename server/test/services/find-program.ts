/** The programs of which tests start servers of their own: installed, or installed now. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { findChromium, findPostgresPrograms, findProgram, findRedisServer } from "./binaries.ts";
import type { FoundService, MissingService } from "./found-service.ts";
import { tryToInstall } from "./installing.ts";

export type Startable = keyof typeof PROGRAMS;

const PROGRAMS = {
  postgres: { name: "PostgreSQL's programs", packageName: "postgresql", find: findPostgresFile },
  redis: { name: "Redis's programs", packageName: "redis-server", find: findRedisServer },
  haproxy: { name: "HAProxy", packageName: "haproxy", find: () => findProgram("haproxy") },
  pgbouncer: { name: "PgBouncer", packageName: "pgbouncer", find: () => findProgram("pgbouncer") },
  chromium: { name: "Chromium", packageName: "chromium", find: findChromium },
} satisfies Record<string, { name: string; packageName: string; find: () => string | undefined }>;

export async function findProgramOrInstall(program: Startable): Promise<FoundService | MissingService> {
  const { name, packageName, find } = PROGRAMS[program];
  const installed = find();
  if (installed !== undefined) return describe(name, installed, "was installed");
  const because = await tryToInstall(packageName);
  if (because !== undefined) return { name, missingBecause: `none is installed, and ${because}` };
  const file = find();
  return file === undefined
    ? { name, missingBecause: "what can be installed is too old" }
    : describe(name, file, "installed for this run");
}

function describe(name: string, file: string, origin: string): FoundService {
  // The one that does not know the short form of the question knows the long one.
  const answer = spawnSync(file, [file.endsWith("haproxy") ? "-v" : "--version"], {
    encoding: "utf8",
    timeout: 10_000,
  });
  return { name, version: /\d+\.\d+(\.\d+)?/.exec(answer.stdout ?? "")?.[0] ?? "", place: file, origin };
}

function findPostgresFile(): string | undefined {
  const folder = findPostgresPrograms();
  return folder === undefined ? undefined : join(folder, "postgres");
}
