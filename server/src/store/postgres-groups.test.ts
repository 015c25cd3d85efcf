/** Writers of one organization who wait at the same moment share a transaction on PostgreSQL, too (write-groups.ts). */
import { sql } from "kysely";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { TEST_ORIGIN, TEST_SECRET } from "../../test/test-origin.ts";
import { createOrganization } from "../access/organizations.ts";
import { verifyAudit } from "../audit/verify-audit.ts";
import { AuditSealer } from "./audit-chain.ts";
import { makeId } from "./ids.ts";
import { type OrgStore, prepareQuery } from "./org-store.ts";
import { openPostgresStore } from "./postgres.ts";
import type { Store } from "./store.ts";

const REST = { tag: null, region: null, logo_url: null, search_text: "", created_at: 1, updated_at: 1 };
const TEAM = { game: "LoL", division: "main", status: "active", player_count: 0, external_ids: "{}", ...REST } as const;
/** Nobody waits for its answer. */
const insertTeam = prepareQuery((org, row: typeof TEAM & { readonly id: string; readonly name: string }) =>
  org.insertInto("teams", [row]),
);
const readBackend = prepareQuery((org, { none }: { none: string }) =>
  org
    .selectFrom("teams")
    .select([sql<string>`pg_current_xact_id()::text`.as("transaction"), sql<number>`pg_backend_pid()`.as("pid")])
    .where("teams.id", "<>", none)
    .limit(1),
);
const readWhole = prepareQuery((org, { id }: { id: string }) =>
  org.selectFrom("teams").selectAll("teams").where("teams.id", "=", id),
);

describe.skipIf(!hasPostgres())("writers of one organization on PostgreSQL", () => {
  let database: TestDatabase;
  let store: Store;
  let orgId: string;
  const faults: unknown[] = [];
  beforeAll(async () => {
    database = await makeTestDatabase();
    ({ store } = await openPostgresStore({
      url: database.url,
      // As a server, which has its connections plan once what it asks again and again.
      lock: "together",
      poolSize: 3,
      makeSealer: () => new AuditSealer(TEST_SECRET),
      onIdleFault: (error) => faults.push(error),
    }));
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const begin = async () => {
    ({ id: orgId } = await createOrganization(store, { name: "Grouped" }, TEST_ORIGIN));
    await add("first");
  };
  const write = <T>(work: (org: OrgStore) => Promise<T>) => store.writeOrg(orgId, TEST_ORIGIN, work);
  const addIn = async (org: OrgStore, name: string, id = makeId("team")) => {
    await org.run(insertTeam, { id, name, ...TEAM });
    await org.record([{ at: 1_000, action: "team.created", target: { kind: "team", id, name }, note: name }]);
  };
  const add = (name: string, id?: string) => write((org) => addIn(org, name, id));
  const teams = async () => {
    const rows = await store.org(orgId).selectFrom("teams").select("name").orderBy("id").execute();
    return rows.map(({ name }) => name);
  };
  const notes = async () => {
    const entries = store.org(orgId).selectFrom("audit").select("note").where("action", "=", "team.created");
    return (await entries.orderBy("seq").execute()).map(({ note }) => note);
  };
  const expectWhole = async (names: readonly string[]) => {
    expect([await teams(), await notes()]).toEqual([names, names]);
    const sealer = new AuditSealer(TEST_SECRET);
    expect(await verifyAudit(store, { sealer, orgId })).toMatchObject({ isWhole: true, isVouched: true });
  };
  const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status);

  test("share a transaction, and see what those before them wrote", async () => {
    await begin();
    const before = (await store.org(orgId).readRevision()) ?? 0;
    const transactions = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        write(async (org) => {
          await addIn(org, `n${index}`);
          const [found] = await org.run(readBackend, { none: "" });
          return found?.transaction;
        }),
      ),
    );
    // On a busy machine the time of a group may be over before all of them have begun.
    expect(new Set(transactions).size).toBeLessThan(10);
    expect(await store.org(orgId).readRevision()).toBe(before + 10);
    await expectWhole(["first", ...Array.from({ length: 10 }, (_, index) => `n${index}`)]);
  });

  test("do not fall with one that is refused after it has written, and none of its work stays", async () => {
    await begin();
    const refuse = async (org: OrgStore) => {
      await addIn(org, "never");
      throw new Error("refused");
    };
    const settled = await Promise.allSettled([add("a"), write(refuse), add("b")]);
    expect(statuses(settled)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(String((settled[1] as PromiseRejectedResult).reason)).toMatch("refused");
    await expectWhole(["first", "a", "b"]);
  });

  test("do not fall with one of whom the database refuses something, though nobody waited for its answer", async () => {
    await begin();
    const id = makeId("team");
    const settled = await Promise.allSettled([add("a", id), add("again", id), add("b")]);
    expect(statuses(settled)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((settled[1] as PromiseRejectedResult).reason).toMatchObject({ code: "23505" });
    await expectWhole(["first", "a", "b"]);
  });

  test("all fail where their connection is cut, none of them is half there, and those after them go on", async () => {
    await begin();
    const cutOff = async (org: OrgStore) => {
      await addIn(org, "cut off");
      const [found] = await org.run(readBackend, { none: "" });
      const killer = new Client({ connectionString: database.url });
      await killer.connect();
      await killer.query("SELECT pg_terminate_backend($1)", [found?.pid]);
      await killer.end();
      await addIn(org, "after the cut");
      await org.selectFrom("teams").select("id").execute();
    };
    const settled = await Promise.allSettled([add("a"), write(cutOff)]);
    expect(statuses(settled)).toEqual(["rejected", "rejected"]);
    await expectWhole(["first"]);
    await add("after");
    await expectWhole(["first", "after"]);
    expect(faults).toEqual([]);
  });

  test("go on where a newer version adds a column meanwhile", async () => {
    await begin();
    const id = makeId("team");
    await add("known", id);
    const readAndAdd = (name: string) =>
      write(async (org) => {
        await addIn(org, name);
        return (await org.run(readWhole, { id }))[0]?.name;
      });
    // More often than PostgreSQL makes a plan of its own for each of them.
    for (let index = 0; index < 8; index++) expect(await readAndAdd(`before ${index}`)).toBe("known");
    const newer = new Client({ connectionString: database.url });
    await newer.connect();
    await newer.query("ALTER TABLE lineup.teams ADD COLUMN newer text");
    await newer.end();
    expect(await readAndAdd("after")).toBe("known");
  });

  test("are told that the organization is gone, all of them", async () => {
    orgId = makeId("org");
    const settled = await Promise.allSettled([add("a"), add("b")]);
    for (const one of settled) expect(String((one as PromiseRejectedResult).reason)).toMatch("is gone");
  });
});
