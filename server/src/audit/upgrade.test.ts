/** Stores from before there was an audit log: every organization is taken in when a server starts, and from then on cannot lose its log. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeTestDatabase } from "../../test/services/provided-services.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE } from "../../test/test-store.ts";
import { createOrganization, listOrganizations } from "../access/organizations.ts";
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
const OLD_ORGS = ["org_b", "org_a"];

let folder: string;
let settings: StoreSettings;
let drop: () => Promise<void> = async () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-upgrade-"));
  settings = {
    dataDir: join(folder, "data"),
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databasePoolSize: 4,
    secret: SECRET,
  };
  if (ENGINE === "postgres") {
    const database = await makeTestDatabase({ empty: true });
    settings = { ...settings, databaseUrl: database.url };
    drop = () => database.drop();
  }
  await insertOrganizations(await openOld(), OLD_ORGS);
});
afterAll(async () => {
  await drop();
  rmSync(folder, { recursive: true, force: true });
});

/** As the version before opens it. */
async function openOld(): Promise<Store> {
  const { databaseUrl: url, dataDir } = settings;
  if (url === undefined) return (await openSqliteStore(dataDir, { migrations: MIGRATIONS.slice(0, 1) })).store;
  return (await openPostgresStore({ url, poolSize: 1, migrations: POSTGRES_MIGRATIONS.slice(0, 1) })).store;
}

/** As the version before makes them: without a word to any log. */
async function insertOrganizations(store: Store, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({ id, name: id, tier: "Free" as const, revision: 1, created_at: 1, updated_at: 1 }));
  await store.writeUse(async (db) => void (await db.insertInto("organizations").values(rows).execute()));
  await store.close();
}

async function openNew(lock?: "together"): Promise<Store> {
  return (await openStore(settings, lock === undefined ? {} : { lock })).store;
}

const verify = (store: Store) => verifyAudit(store, { sealer: new AuditSealer(SECRET) });

async function actionsIn(store: Store, chainId: string): Promise<string[]> {
  const rows = await store.audit
    .selectFrom("audit")
    .select(["action", "target_id"])
    .where("org_id", "=", chainId)
    .orderBy("seq")
    .execute();
  return rows.map(({ action, target_id: target }) => `${action} ${target}`);
}

describe("an organization that is older than the audit log", () => {
  test("has none until something is done to it, and its log then begins by saying so", async () => {
    const store = await openNew();
    expect(await verify(store)).toMatchObject({ isWhole: true, entries: 0 });
    const target = { kind: "player", id: "player_1", name: null };
    await store.writeOrg("org_a", TEST_ORIGIN, (org) => org.record([{ at: 5, action: "player.created", target }]));
    expect(await actionsIn(store, "org_a")).toEqual(["audit.began org_a", "player.created player_1"]);
    expect(await verify(store)).toMatchObject({ isWhole: true, entries: 2 });
    await store.close();
  });

  test("is named in the installation's log when a server starts, once", async () => {
    for (let start = 0; start < 2; start++) await (await openNew("together")).close();
    const store = await openNew();
    expect(await actionsIn(store, INSTALLATION_CHAIN)).toEqual([
      `audit.began ${INSTALLATION_CHAIN}`,
      "audit.began org_a",
      "audit.began org_b",
    ]);
    expect(await actionsIn(store, "org_a")).toEqual(["audit.began org_a", "player.created player_1"]);
    expect(await actionsIn(store, "org_b")).toEqual(["audit.began org_b"]);
    expect((await verify(store)).findings).toEqual([]);
    await store.close();
  });

  test("and is made by a machine of the version before, which still runs, is taken in as well", async () => {
    const store = await openNew();
    await store.writeUse(async (db) => {
      const row = { id: "org_late", name: "Late", tier: "Free" as const, revision: 1, created_at: 1, updated_at: 1 };
      await db.insertInto("organizations").values(row).execute();
    });
    expect((await verify(store)).findings).toEqual([]);
    const target = { kind: "player", id: "player_2", name: null };
    await store.writeOrg("org_late", TEST_ORIGIN, (org) => org.record([{ at: 5, action: "player.created", target }]));
    expect(await actionsIn(store, "org_late")).toEqual(["audit.began org_late", "player.created player_2"]);
    expect((await verify(store)).findings).toEqual([]);
    await store.close();
    await (await openNew("together")).close();
    const again = await openNew();
    expect((await actionsIn(again, INSTALLATION_CHAIN)).at(-1)).toBe("audit.began org_late");
    expect((await verify(again)).findings).toEqual([]);
    await again.close();
  });

  test("and is first told of by many at once, begins its log once", async () => {
    const stores = await Promise.all([openNew(), openNew(), openNew()]);
    for (let round = 0; round < 5; round++) {
      const id = `org_many_${round}`;
      await stores[0].writeUse(async (db) => {
        const row = { id, name: id, tier: "Free" as const, revision: 1, created_at: 1, updated_at: 1 };
        await db.insertInto("organizations").values(row).execute();
      });
      const told = stores.flatMap((store) =>
        ["one", "two"].map((note) =>
          store.writePeople(TEST_ORIGIN, (_operator, { record }) =>
            record(id, [{ at: 5, action: "member.invited", target: { kind: "invitation", id: note, name: null } }]),
          ),
        ),
      );
      await Promise.all(told);
      const actions = await actionsIn(stores[0], id);
      expect([actions.length, actions[0]]).toEqual([7, `audit.began ${id}`]);
      expect(actions.slice(1).every((action) => action.startsWith("member.invited"))).toBe(true);
    }
    expect((await verify(stores[0])).findings).toEqual([]);
    for (const store of stores) await store.close();
  });

  test("cannot have its log wiped and begun anew", async () => {
    const store = await openNew();
    await createOrganization(store, { name: "Beside" }, TEST_ORIGIN);
    const write = (id: string) => {
      const target = { kind: "player", id: "player_3", name: null };
      return store.writeOrg(id, TEST_ORIGIN, (org) => org.record([{ at: 9, action: "player.created", target }]));
    };
    await store.writeAccess(TEST_ORIGIN, async (_operator, { removeChain }) => void (await removeChain("org_b")));
    await write("org_b");
    expect(await actionsIn(store, "org_b")).toEqual(["audit.began org_b", "player.created player_3"]);
    const { findings } = await verify(store);
    expect(findings.map(({ chainId, message }) => `${chainId}: ${message}`)).toEqual([
      expect.stringMatching(/^org_b: The log begins otherwise than entry \d+ of the installation's log says/),
    ]);
    expect((await listOrganizations(store)).length).toBe(9);
    await store.close();
  });
});
