/**
 * The figures of docs/scaling.md that the bench does not give: bytes in PostgreSQL for an organization, a player and a key, and what a read
 * costs that is not answered from memory. `npm run capacity`, on a PostgreSQL and a Redis started for it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startServices } from "../bench/src/services.ts";
import { createKey } from "../server/src/access/key-admin.ts";
import { createOrganization } from "../server/src/access/organizations.ts";
import { startServer } from "../server/src/app.ts";
import { readConfig } from "../server/src/config.ts";
import { commandOrigin } from "../server/src/store/audit-entry.ts";
import type { Store } from "../server/src/store/store.ts";
import { importInto } from "../server/src/transfer/import.ts";

const ORIGIN = commandOrigin("capacity");
const ORGANIZATIONS = 2_000;
const KEYS = 5_000;
const PLAYERS = 20_000;
const READS = 3_000;

const services = await startServices();
if (services === undefined) process.exit(1);
const { databaseUrl, redisUrl } = await services.makePlace(0);
const dataDir = mkdtempSync(join(tmpdir(), "lineup-capacity-"));
const client = new Client({ connectionString: databaseUrl });
try {
  const config = readConfig({
    LINEUP_DATA_DIR: dataDir,
    LINEUP_PORT: "0",
    LINEUP_LOG_LEVEL: "warn",
    LINEUP_DATABASE_URL: databaseUrl,
    LINEUP_SECRET: "s".repeat(64),
    LINEUP_REDIS_URL: redisUrl,
  });
  const running = await startServer(config);
  await client.connect();
  try {
    await measureBytes(running.store);
    await measureUncachedReads(running.store, running.address);
  } finally {
    await running.stop();
  }
} finally {
  await client.end();
  await services.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function bytesOfStore(): Promise<number> {
  await client.query("VACUUM FULL");
  const { rows } = await client.query(
    "SELECT sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'lineup'::regnamespace",
  );
  return Number(rows[0].bytes);
}

async function measureBytes(store: Store): Promise<void> {
  const empty = await bytesOfStore();
  const ids: string[] = [];
  for (let made = 0; made < ORGANIZATIONS; made++) {
    ids.push((await createOrganization(store, { name: `Organization ${made}` }, ORIGIN)).id);
  }
  const withOrganizations = await bytesOfStore();
  for (let made = 0; made < KEYS; made++) {
    const orgId = ids[made % ids.length] ?? "";
    await createKey(store, { orgId, name: `Integration ${made}`, permissions: ["players:read", "teams:read"] }, ORIGIN);
  }
  const withKeys = await bytesOfStore();
  await importPlayers(store, ids[0] ?? "", PLAYERS);
  const withPlayers = await bytesOfStore();
  report("bytes in PostgreSQL, indexes included", {
    organization: (withOrganizations - empty) / ORGANIZATIONS,
    key: (withKeys - withOrganizations) / KEYS,
    "player, with its assignment, external id and record of change": (withPlayers - withKeys) / PLAYERS,
  });
}

async function importPlayers(store: Store, orgId: string, count: number): Promise<void> {
  const teams = [{ externalId: "t1", name: "Team", game: "LoL" }];
  const players = Array.from({ length: count }, (_, index) => ({
    externalId: `p${index}`,
    ign: `Nightfall${index}`,
    realName: "Émilie Lindström",
    role: "Jungle",
    team: "t1",
    nationality: "SE",
    stats: { kda: 4.2, winRate: 0.61, matches: 118 },
  }));
  await importInto(store, orgId, { tables: { teams, players } }, { origin: ORIGIN });
}

/** Each asks for another player, so that nothing is kept yet; one after another, so that nothing hides behind something else. */
async function measureUncachedReads(store: Store, address: string): Promise<void> {
  const { id: orgId } = await createOrganization(store, { name: "Read", tier: "Enterprise" }, ORIGIN);
  const keys = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      return (await createKey(store, { orgId, name: `Reader ${index}`, permissions: ["players:read"] }, ORIGIN)).key;
    }),
  );
  await importPlayers(store, orgId, READS);
  const rows = await store.org(orgId).selectFrom("players").select("players.id").execute();
  const before = { own: process.cpuUsage(), services: services?.readCpuUs(), at: performance.now() };
  for (const [index, { id }] of rows.entries()) {
    const headers = { authorization: `Bearer ${keys[index % keys.length]}` };
    const response = await fetch(`${address}/api/public/v1/players/${id}`, { headers });
    if (response.status !== 200) throw new Error(`A read was answered ${response.status}.`);
    await response.arrayBuffer();
  }
  const own = process.cpuUsage(before.own);
  const after = services?.readCpuUs();
  report("one read that is not in memory, microseconds", {
    "node and client together": (own.user + own.system) / rows.length,
    PostgreSQL: ((after?.postgresUs ?? 0) - (before.services?.postgresUs ?? 0)) / rows.length,
    Redis: ((after?.redisUs ?? 0) - (before.services?.redisUs ?? 0)) / rows.length,
    "from request to answer": ((performance.now() - before.at) * 1_000) / rows.length,
  });
}

function report(title: string, figures: Readonly<Record<string, number>>): void {
  console.log(title);
  for (const [name, value] of Object.entries(figures))
    console.log(`  ${name}: ${Math.round(value).toLocaleString("en")}`);
}
