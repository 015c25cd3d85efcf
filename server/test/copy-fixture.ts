/** Stores to copy whole, with texts of every kind and tables of several pages; and a look at what became of them. */
import { join } from "node:path";
import { Client } from "pg";
import { createKey } from "../src/access/key-admin.ts";
import { createOrganization, listOrganizations } from "../src/access/organizations.ts";
import { withArchive } from "../src/store/archive-file.ts";
import { backupTo } from "../src/store/backup.ts";
import { readStore, type StoreSums } from "../src/store/copy-rows.ts";
import { makeId } from "../src/store/ids.ts";
import type { OrgStore } from "../src/store/org-store.ts";
import { openPostgresStore } from "../src/store/postgres.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { seedOrganization } from "./contract/seed.ts";
import { insertTeams, makeTeam } from "./contract/seed-records.ts";
import { insertCalendarLink, insertEventRows } from "./sample-records.ts";
import { TEST_ORIGIN } from "./test-origin.ts";

/** Whatever an array, a string or a row of either database could trip over. */
export const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  "NULL",
  '{"a","b"}',
  "{}",
  "\\",
  "\\\\N",
  '"',
  "''",
  "a,b",
  "(1,2)",
  "$1 ? :x @y",
  "tab\tline\nreturn\r",
  String.fromCharCode(...Array.from({ length: 31 }, (_, index) => index + 1), 127),
  "ünïcödé ß İ ı Å Å",
  "日本語 한국어 العربية עברית",
  "👩‍👩‍👧‍👦 🇸🇪 𝔘𝔫𝔦 \u{10FFFF}",
  "\uFFFD \uFFFE \uFEFF \u2028 \u2029 \u202E",
  "x".repeat(10_000),
];

const ROWS_MORE = 4_100;
const TEAMS_MORE = 2_100;
const ROWS_AT_ONCE = 300;

/** Fills the folder with a store of two organizations that have all there is. */
export async function makeOddStore(dataDir: string): Promise<void> {
  const { store } = await openSqliteStore(dataDir);
  for (const name of ["Northwind", "Southwind"]) {
    const { id } = await createOrganization(store, { name, tier: "Pro" }, TEST_ORIGIN);
    await seedOrganization(store, id, name);
    await createKey(store, { orgId: id, name: "Key", permissions: ["players:read", "teams:read"] }, TEST_ORIGIN);
    await store.writeOrg(id, TEST_ORIGIN, async (org) => {
      await writeOddTexts(org);
      if (name === "Northwind") await writePages(org);
    });
    await insertCalendarLink(store, id);
  }
  await fillPeople(store);
  await store.close();
}

/** A row of every table that belongs to people, or to the installation. */
async function fillPeople(store: Store): Promise<void> {
  const times = { created_at: 1, updated_at: 2 };
  const [organization] = await listOrganizations(store);
  const orgId = organization?.id ?? "";
  const user = { id: makeId("user"), name: ODD_TEXTS.join(" ").slice(0, 1_000), email: "robin@example.com" };
  const ofUser = { user_id: user.id, ...times };
  await store.writePeople(TEST_ORIGIN, async (operator) => {
    const flags = { email_verified: 1, image: null, is_operator: 1, two_factor_enabled: 0 };
    await operator
      .insertInto("users")
      .values({ ...user, ...flags, ...times })
      .execute();
    await operator
      .insertInto("installation")
      .values({ name: "odd", value: ODD_TEXTS.join("\n") })
      .execute();
    const session = { id: "s", token: "t", ip_address: "::1", user_agent: null, expires_at: 3 };
    await operator
      .insertInto("sessions")
      .values({ ...session, ...ofUser })
      .execute();
    const tokens = { access_token: null, refresh_token: null, id_token: null, scope: null };
    const ends = { access_token_expires_at: null, refresh_token_expires_at: null };
    const account = { id: "a", account_id: "a", provider_id: "credential", password: "hash", ...tokens, ...ends };
    await operator
      .insertInto("accounts")
      .values({ ...account, ...ofUser })
      .execute();
    const verification = { id: "v", identifier: "i", value: "x", expires_at: 3 };
    await operator
      .insertInto("verifications")
      .values({ ...verification, ...times })
      .execute();
    const codes = { secret: "s", backup_codes: "b", verified: 1, failed_verification_count: 0, locked_until: null };
    await operator
      .insertInto("two_factors")
      .values({ id: "f", user_id: user.id, ...codes })
      .execute();
    await operator
      .insertInto("members")
      .values({ org_id: orgId, role: "owner", ...ofUser })
      .execute();
    const link = {
      id: makeId("link"),
      token_hash: "0".repeat(64),
      kind: "invitation" as const,
      role: "viewer" as const,
    };
    const sent = { org_id: orgId, user_id: null, email: "x@example.com", created_by: "test", used_at: null };
    await operator
      .insertInto("links")
      .values({ ...link, ...sent, created_at: 1, expires_at: 2 })
      .execute();
    await operator.insertInto("sign_in_tries").values({ id: "t", account: "a", at: 1 }).execute();
    const usage = { org_id: orgId, key_id: "key_1", hour: 1, endpoint: "listPlayers", status: 200 };
    await operator
      .insertInto("key_usage")
      .values({ ...usage, requests: 3, duration_us: 4 })
      .execute();
    await operator.insertInto("leases").values({ name: "l", holder: "h", until: 1 }).execute();
  });
}

export async function makeOddBackup(folder: string): Promise<string> {
  const dataDir = join(folder, "odd");
  await makeOddStore(dataDir);
  const file = join(folder, "odd.db");
  await backupTo(dataDir, file);
  return file;
}

/** A backup of a store with one organization of that name, in the largest tier, and nothing else. */
export async function makePlainBackup(folder: string, name: string): Promise<string> {
  const dataDir = join(folder, name);
  const { store } = await openSqliteStore(dataDir);
  await createOrganization(store, { name, tier: "Enterprise" }, TEST_ORIGIN);
  await store.close();
  const file = join(folder, `${name}.db`);
  await backupTo(dataDir, file);
  return file;
}

async function writeOddTexts(org: OrgStore): Promise<void> {
  const [player] = await org.selectFrom("players").selectAll().execute();
  const contract = await org.selectFrom("contracts").select("contracts.id").executeTakeFirstOrThrow();
  await insertEventRows(org, contract.id);
  await org.record(
    ODD_TEXTS.map((note, index) => ({
      at: 1_000 - index,
      action: "player.updated",
      target: { kind: "player", id: player?.id ?? "", name: note },
      changes: { '"': [null, ODD_TEXTS], nul: ["\u0000", "\\"] },
      note,
    })),
  );
  const stats = JSON.stringify({ nul: "\u0000", pi: Math.PI, tiny: 5e-324, large: 1e300 });
  await org.updateTable("players").set({ stats }).execute();
  await org
    .updateTable("prospects")
    .set({ rating: 0.1 + 0.2, notes: ODD_TEXTS.join("\n") })
    .execute();
}

async function writePages(org: OrgStore): Promise<void> {
  for (let from = 0; from < ROWS_MORE; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: ROWS_AT_ONCE }, (_, index) => ({ at: 7, record_id: `${from + index}` }));
    await org.insertInto("erasures", rows).execute();
    await org.record(
      rows.map(({ at, record_id: note }) => ({
        at,
        action: "player.updated",
        target: { kind: "player", id: "", name: null },
        note,
      })),
    );
  }
  for (let from = 0; from < TEAMS_MORE; from += ROWS_AT_ONCE) {
    await insertTeams(
      org,
      Array.from({ length: ROWS_AT_ONCE }, () => makeTeam()),
    );
  }
}

export function sumsOf(file: string): Promise<StoreSums> {
  return withArchive(file, (archive) => readStore(archive));
}

/** As an administrator, past Lineup. */
export async function administer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: "Lineup's tests" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function namesIn(url: string): Promise<string[]> {
  const { store } = await openPostgresStore({ url, poolSize: 1 });
  try {
    return (await listOrganizations(store)).map(({ name }) => name);
  } finally {
    await store.close();
  }
}

export async function listSchemas(url: string): Promise<string[]> {
  return administer(url, async (client) => {
    const { rows } = await client.query(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'lineup%' ORDER BY nspname",
    );
    return rows.map((row) => row.nspname);
  });
}
