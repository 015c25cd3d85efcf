/** Where the programs of the services are on this machine. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { ServiceUser } from "./service-process.ts";

/** The oldest that Lineup works with. */
export const OLDEST_POSTGRES = 14;
export const OLDEST_REDIS = 7;

/** Debian keeps the servers of PostgreSQL out of the path, in a folder per version. */
const DEBIAN_POSTGRES = "/usr/lib/postgresql";
/** Of programs for administrators, which are missing in the path of others. */
const FURTHER_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/opt/homebrew/bin", "/usr/local/bin"];

export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== ""), ...FURTHER_FOLDERS];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** The folder with initdb and postgres, of the newest version. */
export function findPostgresPrograms(): string | undefined {
  const onPath = findProgram("postgres");
  const folders = [
    ...listDebianVersions().map((version) => join(DEBIAN_POSTGRES, version, "bin")),
    ...(onPath === undefined ? [] : [dirname(realpathSync(onPath))]),
  ];
  return folders.find(
    (folder) =>
      isProgram(join(folder, "initdb")) && (readMajorVersion(join(folder, "postgres")) ?? 0) >= OLDEST_POSTGRES,
  );
}

export function requirePostgresPrograms(): string {
  return findPostgresPrograms() ?? missing(`PostgreSQL ${OLDEST_POSTGRES} or newer`);
}

export function findRedisServer(): string | undefined {
  const file = findProgram("redis-server", "valkey-server");
  return file !== undefined && (readMajorVersion(file) ?? 0) >= OLDEST_REDIS ? file : undefined;
}

export function requireRedisServer(): string {
  return findRedisServer() ?? missing(`redis-server ${OLDEST_REDIS} or newer`);
}

export function findChromium(): string | undefined {
  return findProgram("chromium", "chromium-browser", "google-chrome");
}

export function requireProgram(name: string): string {
  return findProgram(name) ?? missing(name);
}

/** Some services refuse to run as root. Undefined is the present user, who is not root. */
export function findPlainUser(): ServiceUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = ["postgres", "nobody"].map((name) => users.find((user) => user[0] === name)).find(Boolean);
  if (found === undefined)
    throw new Error("Neither postgres nor nobody is a user here, and root may not run PostgreSQL.");
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

function listDebianVersions(): string[] {
  try {
    return readdirSync(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

/** From lines such as "postgres (PostgreSQL) 15.4" and "Redis server v=7.0.15 sha=00000000:0". */
function readMajorVersion(file: string): number | undefined {
  const { stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 5000 });
  const digits = /(?:PostgreSQL\) |v=)(\d+)/.exec(stdout ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function missing(what: string): never {
  throw new Error(`${what} is not installed on this machine.`);
}
