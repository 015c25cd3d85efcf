/** Stores from before there was an audit log: the organizations that are there are named in it when a server first starts, and no others later. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestDatabase } from "../../test/services/provided-services.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE } from "../../test/test-store.ts";
import { AuditSealer } from "../store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { openStore, type StoreSettings } from "../store/open-store.ts";
import { openPostgresStore } from "../store/postgres.ts";
import { POSTGRES_MIGRATIONS } from "../store/postgres-migrations.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { MIGRATIONS } from "../store/sqlite-migrations.ts";
import type { Store } from "../store/store.ts";
import { verifyAudit } from "./verify-audit.ts";

const SECRET = "a secret of forty characters or a few more";

let folder: string;
let settings: StoreSettings;
let drop: () => Promise<void> = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-older-"));
  const dataDir = join(folder, "data");
  const ofDatabase = { databaseUrl: undefined, databaseDirectUrl: undefined, databasePoolSize: 4 };
  settings = { dataDir, ...ofDatabase, secret: SECRET };
  if (ENGINE === "postgres") {
    const database = await makeTestDatabase({ empty: true });
    settings = { ...settings, databaseUrl: database.url };
    drop = () => database.drop();
  }
  const store = await openOld();
  await putOrganizations(store, ["org_b", "org_a"]);
  await store.close();
});
afterAll(async () => {
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

/** As the version before the audit log opens it. */
async function openOld(): Promise<Store> {
  const { databaseUrl: url, dataDir } = settings;
  if (url === undefined) return (await openSqliteStore(dataDir, { migrations: MIGRATIONS.slice(0, 1) })).store;
  return (await openPostgresStore({ url, poolSize: 1, migrations: POSTGRES_MIGRATIONS.slice(0, 1) })).store;
}

/** Without a word to any log. */
async function putOrganizations(store: Store, ids: readonly string[]): Promise<void> {
  const facts = { tier: "Free" as const, revision: 1, created_at: 1, updated_at: 1 };
  const rows = ids.map((id) => ({ id, name: id, ...facts }));
  await store.writeUse((db) => db.insertInto("organizations").values(rows).execute());
}

async function actionsIn(store: Store, chainId: string): Promise<string[]> {
  const rows = await store.audit
    .selectFrom("audit")
    .select(["action", "target_id"])
    .where("org_id", "=", chainId)
    .orderBy("seq")
    .execute();
  return rows.map(({ action, target_id: target }) => `${action} ${target}`);
}

test("organizations that are older than the audit log are named in it when a server starts, once", async () => {
  const command = (await openStore(settings)).store;
  const target = { kind: "player", id: "player_1", name: null };
  await command.writeOrg("org_a", TEST_ORIGIN, (org) => org.record([{ at: 5, action: "player.created", target }]));
  await command.close();
  for (let start = 0; start < 2; start++) await (await openStore(settings, { lock: "together" })).store.close();
  const verify = async (store: Store) =>
    (await verifyAudit(store, { sealer: new AuditSealer(SECRET) })).findings.map(({ message }) => message);
  const { store } = await openStore(settings);
  expect(await actionsIn(store, INSTALLATION_CHAIN)).toEqual([
    `audit.began ${INSTALLATION_CHAIN}`,
    "audit.began org_a",
    "audit.began org_b",
  ]);
  expect(await actionsIn(store, "org_a")).toEqual(["audit.began org_a", "player.created player_1"]);
  expect(await actionsIn(store, "org_b")).toEqual(["audit.began org_b"]);
  expect(await verify(store)).toEqual([]);
  await putOrganizations(store, ["org_c"]);
  await store.close();
  const again = (await openStore(settings, { lock: "together" })).store;
  expect(await verify(again)).toEqual(["The organization was made, and the installation's log does not know of it."]);
  await again.close();
});
