/**
 * The PostgreSQL of a test run, in which every test file makes databases of its own: the one that the environment names, else one that runs
 * here and lets us in, else one that is started for this run, from programs that are installed or can be.
 */
import { userInfo } from "node:os";
import { Client } from "pg";
import { findPostgresPrograms, OLDEST_POSTGRES } from "./binaries.ts";
import { describePlace, type FoundService, type MissingService, START_OWN, URL_VARIABLES } from "./found-service.ts";
import { tryToInstall } from "./installing.ts";
import { startOwnPostgres } from "./postgres.ts";

export interface RunPostgres extends FoundService {
  /** To a database that is always there, as somebody who may make databases and roles. */
  readonly adminUrl: string;
  /** Ends it where it was started for this run. */
  stop(): Promise<void>;
}

const NAME = "PostgreSQL";
const VARIABLE = URL_VARIABLES.postgres;
const ANSWER_MS = 2000;
/** Debian's and everybody else's place for the socket. */
const SOCKET_FOLDERS = ["/var/run/postgresql", "/tmp"];

export async function findOrStartPostgres(): Promise<RunPostgres | MissingService> {
  const named = process.env[VARIABLE] ?? "";
  if (named !== "" && named !== START_OWN) {
    const judged = await judge(named);
    if (typeof judged === "string") throw new Error(`${VARIABLE} cannot be used: ${judged}.`);
    return usable(named, judged.version, `named by ${VARIABLE}`);
  }
  for (const url of named === START_OWN ? [] : listCandidates()) {
    const judged = await judge(url);
    if (typeof judged !== "string") return usable(url, judged.version, "was running");
  }
  if (findPostgresPrograms() !== undefined) return startForRun("started for this run");
  const because = await tryToInstall("postgresql");
  if (because !== undefined) return { name: NAME, missingBecause: `none runs here, none is installed, and ${because}` };
  if (findPostgresPrograms() !== undefined) return startForRun("installed and started for this run");
  return { name: NAME, missingBecause: `none runs here, and what can be installed is older than ${OLDEST_POSTGRES}` };
}

function usable(adminUrl: string, version: string, origin: string): RunPostgres {
  return { name: NAME, version, place: describePlace(adminUrl, 5432), origin, adminUrl, stop: async () => {} };
}

async function startForRun(origin: string): Promise<RunPostgres> {
  // Many test files at once, each with servers that have pools.
  const own = await startOwnPostgres({ fsync: false, settings: { max_connections: "400" } });
  const adminUrl = own.url("postgres");
  const judged = await judge(adminUrl);
  if (typeof judged === "string") throw new Error(`The PostgreSQL started for this run cannot be used: ${judged}.`);
  return { ...usable(adminUrl, judged.version, origin), stop: own.remove };
}

function listCandidates(): string[] {
  const users = [...new Set(["postgres", "root", userInfo().username])].map(encodeURIComponent);
  const hosts = ["127.0.0.1:5432", ...SOCKET_FOLDERS.map(encodeURIComponent)];
  return hosts.flatMap((host) => users.map((user) => `postgres://${user}@${host}/postgres`));
}

/** Its version, or why it cannot be used. */
async function judge(url: string): Promise<{ readonly version: string } | string> {
  // What would be thrown for such a text repeats it, password and all.
  if (!URL.canParse(url)) return "it is not a URL";
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  // A connection may break at any time; the query under way says so.
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{
      readonly version: string;
      readonly number: number;
      readonly isFree: boolean;
    }>(
      `select split_part(current_setting('server_version'), ' ', 1) as version,
              current_setting('server_version_num')::int as number,
              (rolsuper or rolcreatedb and rolcreaterole) and not pg_is_in_recovery() as "isFree"
         from pg_roles where rolname = current_user`,
    );
    const [found] = rows;
    if (found === undefined || !found.isFree) return "its user may not make databases and roles there";
    if (found.number < OLDEST_POSTGRES * 10_000) return `version ${found.version} is older than ${OLDEST_POSTGRES}`;
    return { version: found.version };
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : "nobody answers there";
  } finally {
    await client.end().catch(() => {});
  }
}
