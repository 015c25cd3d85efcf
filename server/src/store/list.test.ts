import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { openTestStore } from "../../test/test-store.ts";
import { createOrganization } from "../access/organizations.ts";
import { makeId } from "./ids.ts";
import { type ListOrder, type Position, readPage, type SortValue } from "./list.ts";
import type { Store } from "./store.ts";

interface Row {
  readonly id: string;
  readonly nationality: string | null;
  readonly join_date: number;
}

let folder: string;
let store: Store;
let orgId: string;
let rows: Row[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-list-page-"));
  store = await openTestStore(folder);
  orgId = (await createOrganization(store, { name: "Pages" }, TEST_ORIGIN)).id;
  const nationalities = ["SE", null, "DE", "DE", null, "SE", "AU", "DE", null, "KR", "AU", "se", "ÅÅ"];
  rows = await insert(nationalities.map((nationality, index) => ({ nationality, join_date: (index * 7) % 4 })));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function insert(players: readonly Omit<Row, "id">[]): Promise<Row[]> {
  const made = players.map((player) => ({ id: makeId("player"), ...player }));
  const rest = {
    ign: "x",
    real_name: "",
    role: "Player",
    team_id: null,
    contract_status: "unsigned",
    status: "active",
    image_url: null,
    stats: null,
    external_ids: "{}",
    search_text: "",
    created_at: 1,
    updated_at: 1,
  } as const;
  await store.writeOrg(orgId, TEST_ORIGIN, (org) =>
    org
      .insertInto(
        "players",
        made.map((row) => ({ ...rest, ...row })),
      )
      .execute(),
  );
  return made;
}

function orderBy(column: "id" | "nationality" | "join_date", descending: boolean): ListOrder {
  const ref = (name: string) => sql.ref(`players.${name}`);
  return { column: ref(column), idColumn: ref("id"), descending, byId: column === "id" };
}

function read(order: ListOrder, limit?: number, after?: Position) {
  const query = store
    .org(orgId)
    .selectFrom("players")
    .select(["players.id", "players.nationality", "players.join_date"]);
  return readPage(query, order, limit === undefined ? undefined : { limit, after });
}

async function walk(order: ListOrder, limit: number, between?: (page: number) => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  for (let number = 0; ; number++) {
    if (number > 100) throw new Error("The walk does not end.");
    const page = await read(order, limit, after);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    if (page.next === null) return ids;
    expect(page.items).toHaveLength(limit);
    after = page.next;
    await between?.(number);
  }
}

/** The order as the contract has it: nulls last in both directions, ties by id. */
function expected(column: "id" | "nationality" | "join_date", descending: boolean): string[] {
  const compare = (a: SortValue, b: SortValue) => {
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    const bigger = typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
    return descending ? -bigger : bigger;
  };
  const byId = (a: Row, b: Row) => (a.id < b.id ? -1 : 1);
  return rows.toSorted((a, b) => compare(a[column], b[column]) || byId(a, b)).map(({ id }) => id);
}

const ORDERS = (["id", "nationality", "join_date"] as const).flatMap((column) =>
  [false, true].map((descending) => [column, descending] as const),
);

describe.each(ORDERS)("by %s (descending: %s)", (column, descending) => {
  const order = orderBy(column, descending);

  test("the whole list is in order, nulls last, ties by id, and has no next page", async () => {
    const { items, next } = await read(order);
    expect([items.map(({ id }) => id), next]).toEqual([expected(column, descending), null]);
  });

  test("pages of every size join to the whole list, and only the last has no next", async () => {
    for (let limit = 1; limit <= rows.length + 1; limit++) {
      expect(await walk(order, limit)).toEqual(expected(column, descending));
    }
  });
});

test("a position that no row holds any more goes on behind where it was", async () => {
  const order = orderBy("nationality", false);
  const all = expected("nationality", false);
  const { items } = await read(order, 100, { value: "DE", id: "player_~" });
  expect(items.map(({ id }) => id)).toEqual(all.filter((id) => !["AU", "DE"].includes(nationalityOf(id) ?? "")));
});

function nationalityOf(id: string): string | null {
  return rows.find((row) => row.id === id)?.nationality ?? null;
}

test("whatever is written between two pages, what was there throughout comes exactly once", async () => {
  const before = rows.map(({ id }) => id);
  const added: string[] = [];
  for (const [column, descending] of ORDERS) {
    const seen = await walk(orderBy(column, descending), 2, async (page) => {
      const nationality = ["AA", "ZZ", null, "DE"][page % 4] ?? null;
      added.push(...(await insert([{ nationality, join_date: page % 5 }])).map(({ id }) => id));
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => before.includes(id)).sort()).toEqual(before.toSorted());
    await store.writeOrg(orgId, TEST_ORIGIN, (org) => org.deleteFrom("players").where("id", "in", added).execute());
  }
});
