import { countWorkers } from "../config.ts";
import { checkOf, failure, makeCheck, ok, orOk, type Subject, skipped, warning } from "./check.ts";
import { readPostgres } from "./postgres-facts.ts";

const LISTENERS = 1;
/** Of each process, where there are webhooks to send. */
const SENDING_MAX = 3;
/** What a worker has at least. */
const CONNECTIONS_OF_WORKER_MIN = 3;

const UNUSED = skipped("LINEUP_DATABASE_URL is not set.");
const check = checkOf(readPostgres, "PostgreSQL could not be asked.", ({ config }) =>
  config.databaseUrl === undefined ? UNUSED : undefined,
);

const reached = makeCheck("postgres", "PostgreSQL", async (installation) => {
  if (installation.config.databaseUrl === undefined) return UNUSED;
  const { name, isReadOnly } = await installation.read(readPostgres);
  if (!isReadOnly) return ok(`version ${name.split(" ")[0]}, reached`);
  const todo =
    "Allow writing: ALTER DATABASE … RESET default_transaction_read_only, and the same for the ROLE; or name the primary in LINEUP_DATABASE_URL.";
  return failure("The database takes no writes (default_transaction_read_only is on).", todo);
});

const schema = check("postgres-schema", "Its schema", ({ missingSteps, step }) => {
  if (missingSteps === 0) return ok("of this version");
  if (step === 0) {
    return failure(
      "The database holds no Lineup store.",
      'Correct LINEUP_DATABASE_URL; or, for a new store, start one with "npx lineup serve".',
    );
  }
  if (missingSteps < 0) {
    return failure(
      "The schema is of a newer version of Lineup.",
      "Run that version or a later one, or restore a backup that this version made.",
    );
  }
  const found = `The schema is of an older version: ${missingSteps} steps are missing.`;
  return warning(
    found,
    'Make a backup with the version that serves, then run "npx lineup migrate"; the next start of a server does so too.',
  );
});

const isolation = check("postgres-isolation", "Organizations apart", ({ roles, unguarded, step, ...facts }) => {
  if (step === 0) return skipped("There is no store yet.");
  const { user } = facts;
  const statements = (names: readonly string[], verb: (name: string) => string) => names.map(verb).join("; ");
  const missing = roles.filter(({ isThere }) => !isThere).map(({ name }) => name);
  const unfit = roles.filter(({ isUnfit }) => isUnfit).map(({ name }) => name);
  const untaken = roles.filter(({ isThere, canBeTaken }) => isThere && !canBeTaken).map(({ name }) => name);
  const power = facts.isSuperuser ? "a superuser" : facts.bypassesGuards ? "a role with BYPASSRLS" : undefined;
  return orOk(
    [
      missing.length > 0 &&
        failure(
          `The role ${missing.join(" and ")} is missing.`,
          `As an administrator: ${statements(missing, (name) => `CREATE ROLE ${name} NOLOGIN; GRANT ${name} TO "${user}"`)}`,
        ),
      unfit.length > 0 &&
        failure(
          `${unfit.join(" and ")} may sign in or sees through row level security: organizations are not kept apart.`,
          `As an administrator: ${statements(unfit, (name) => `ALTER ROLE ${name} NOSUPERUSER NOBYPASSRLS NOLOGIN`)}`,
        ),
      untaken.length > 0 &&
        failure(
          `The user ${user} may not take the role ${untaken.join(" or ")}.`,
          `As an administrator: ${statements(untaken, (name) => `GRANT ${name} TO "${user}"`)}`,
        ),
      unguarded.length > 0 &&
        failure(
          `Row level security is off for ${unguarded.join(", ")}.`,
          statements(
            unguarded,
            (name) => `ALTER TABLE lineup.${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
          ),
        ),
      power !== undefined &&
        warning(
          `LINEUP_DATABASE_URL signs in as ${power}, which row level security does not hold.`,
          `Make a user of its own that owns the database: CREATE ROLE lineup LOGIN PASSWORD '…'; or take the right away: ALTER ROLE "${user}" NOSUPERUSER NOBYPASSRLS`,
        ),
    ],
    "by row level security, which nobody here escapes",
  );
});

const hearing = check("postgres-notifications", "Notifications", ({ isHeard }, { config }) => {
  if (isHeard) return ok("what one server says, others hear");
  const setting = config.databaseDirectUrl === undefined ? "LINEUP_DATABASE_URL" : "LINEUP_DATABASE_DIRECT_URL";
  const found = `Over ${setting} notifications are not heard, as through a pooler in transaction mode; a server does not start.`;
  return failure(
    found,
    "Set LINEUP_DATABASE_DIRECT_URL to the same database past the pooler (port 5432 of PostgreSQL itself).",
  );
});

const connections = check(
  "postgres-connections",
  "Connections",
  ({ connectionsMax, connectionsOfOthers }, { config }) => {
    const { databasePoolSize: pool } = config;
    const processes = countWorkers(config.workers, config);
    const needed =
      Math.max(pool, processes > 1 ? processes * CONNECTIONS_OF_WORKER_MIN : 0) + processes * (LISTENERS + SENDING_MAX);
    const todo = `Raise max_connections of PostgreSQL (or the limit of the role or database), or lower LINEUP_DATABASE_POOL (now ${pool}).`;
    if (needed > connectionsMax)
      return failure(
        `A server here opens up to ${needed} connections, and PostgreSQL lets its user have ${connectionsMax}.`,
        todo,
      );
    if (needed + connectionsOfOthers > connectionsMax) {
      return warning(
        `A server here opens up to ${needed} connections, others have ${connectionsOfOthers}, and PostgreSQL allows ${connectionsMax}.`,
        todo,
      );
    }
    return ok(`up to ${needed} of the ${connectionsMax} that PostgreSQL allows, for each server like this one`);
  },
);

const durability = check("postgres-durability", "Durability", ({ settings }) => {
  const off = (["fsync", "full_page_writes"] as const).filter((name) => settings[name] === "off");
  const set = (names: readonly string[]) => names.map((name) => `ALTER SYSTEM SET ${name} = on`).join("; ");
  return orOk(
    [
      off.length > 0 &&
        failure(
          `${off.join(" and ")} of PostgreSQL is off: a crash loses confirmed writes, or the database.`,
          `As an administrator: ${set(off)}; SELECT pg_reload_conf()`,
        ),
      settings.autovacuum === "off" &&
        warning(
          "autovacuum of PostgreSQL is off: tables grow, and in the end it stops writing.",
          `As an administrator: ${set(["autovacuum"])}; SELECT pg_reload_conf()`,
        ),
    ],
    "confirmed writes are on its disk",
  );
});

export const POSTGRES_SUBJECT: Subject = {
  title: "PostgreSQL",
  checks: [reached, schema, isolation, hearing, connections, durability],
};
