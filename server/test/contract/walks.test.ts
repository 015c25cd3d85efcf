/** Sorting against a model in memory, and walks by cursor: each item once, in order, whatever is written meanwhile. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeOrg } from "../test-server.ts";
import { expectError, freshKeyCaller, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { RECORD_LISTS } from "./endpoint-requests.ts";
import { insertContracts, insertEntries, insertTeams, makeContract, makeEntry, makeTeam } from "./seed-records.ts";

let stage: Stage;
/** Without the checks of every answer, for the many pages of the many sorts. */
let quick: Stage["api"];
beforeAll(async () => {
  stage = await openStage();
  quick = freshKeyCaller(stage.server, stage.seed.orgId, call);
});
afterAll(() => stage.stop());

/** Bare parameters under which each list is long enough to be walked. */
const ALL_STATUSES = "status=scheduled,live,completed,postponed,cancelled";
const LONG: Readonly<Record<string, string>> = { "/schedule": ALL_STATUSES, "/contracts/expiring": "days=365" };

function urlOf(path: string, ...parameters: string[]): string {
  const given = [LONG[path] ?? "", ...parameters].filter((text) => text !== "");
  return given.length === 0 ? path : `${path}?${given.join("&")}`;
}

/** By code points, as UTF-8 sorts, which is not always how UTF-16 does. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

function sortedBy(items: LooseItem[], field: string, descending: boolean): LooseItem[] {
  return items.toSorted((a, b) => {
    const [left, right] = [a[field], b[field]];
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
    } else if (compare(left, right) !== 0) return descending ? compare(right, left) : compare(left, right);
    return compare(a.id, b.id);
  });
}

async function walk(url: string, between: () => Promise<void> = async () => {}, api = stage.api): Promise<LooseItem[]> {
  const items: LooseItem[] = [];
  let next: string | null = url;
  while (next !== null) {
    const { body, headers } = await api("GET", next);
    items.push(...body.data);
    const { nextCursor } = body.meta;
    const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
    expect(link === undefined, "a Link where there is a next page").toBe(nextCursor === null);
    next = link === undefined ? null : link.replace("/api/public/v1", "");
    await between();
  }
  return items;
}

for (const { path, query } of RECORD_LISTS) {
  describe(`GET ${path}`, () => {
    const fields = (query.sort.schema as { enum: string[] }).enum.filter((field) => !field.startsWith("-"));

    it("sorts by every field in both directions, nulls last and ties by id, whole and in pages", async () => {
      const bare = await stage.list(urlOf(path));
      expect(bare.length).toBeGreaterThan(2);
      for (const field of fields) {
        for (const sign of ["", "-"]) {
          const expected =
            field === "id" && sign === "-"
              ? sortedBy(bare, "id", false).reverse()
              : sortedBy(bare, field, sign === "-");
          const names = (items: LooseItem[]) => items.map((item) => [item.id, item[field]]);
          const url = urlOf(path, `sort=${sign}${field}`);
          const whole = (await quick("GET", url)).body.data;
          expect(names(whole), url).toEqual(names(expected));
          const pages = await walk(`${url}&limit=4`, undefined, quick);
          expect(names(pages), `pages of ${url}`).toEqual(names(expected));
        }
      }
    });

    it("comes in its usual order when none is asked for", async () => {
      const items = await stage.list(urlOf(path));
      const usual = { "/schedule": "startsAt", "/contracts/expiring": "endDate" }[path as string] ?? "id";
      expect(items).toEqual(sortedBy(items, usual, false));
      expect(await walk(urlOf(path, "limit=1"))).toEqual(items);
    });

    it("says where the next page begins, null on the last, and nothing where no page was asked for", async () => {
      const all = await stage.list(urlOf(path));
      expect((await stage.api("GET", urlOf(path))).body.meta).not.toHaveProperty("nextCursor");
      const exact = await stage.api("GET", urlOf(path, `limit=${all.length}`));
      expect(exact.body.meta).toMatchObject({ count: all.length, nextCursor: null });
      expect(exact.headers.has("link")).toBe(false);
      const first = await stage.api("GET", urlOf(path, "limit=2"));
      expect(first.body.meta).toMatchObject({ count: 2, nextCursor: expect.stringMatching(/^[\w-]+$/) });
    });

    it("goes on by the cursor alone with its limit and filters, or with another limit", async () => {
      const all = await stage.list(urlOf(path, "sort=-updatedAt"));
      const { nextCursor } = (await stage.api("GET", urlOf(path, "sort=-updatedAt", "limit=2"))).body.meta;
      expect(await stage.list(`${path}?cursor=${nextCursor}`)).toEqual(all.slice(2, 4));
      expect(await stage.list(`${path}?cursor=${nextCursor}&limit=500`)).toEqual(all.slice(2));
      expect(await stage.list(urlOf(path, "sort=-updatedAt", `cursor=${nextCursor}`))).toEqual(all.slice(2, 4));
    });

    it("takes a cursor beside its own filters in another order", async () => {
      const { nextCursor } = (await stage.api("GET", "/players?status=active,benched&limit=1")).body.meta;
      const turned = await stage.api("GET", `/players?cursor=${nextCursor}&status=benched,active`);
      expect(turned.status).toBe(200);
      expectError(await stage.api("GET", `/players?cursor=${nextCursor}&status=benched`), "INVALID_PARAMETER");
    });

    it("refuses a cursor with other filters or another sort, of another list, or not of its making", async () => {
      const { nextCursor } = (await stage.api("GET", urlOf(path, "limit=1"))).body.meta;
      const wrong = [`${path}?cursor=${nextCursor}&sort=-id`, `${path}?cursor=${nextCursor}&updatedSince=0`];
      for (const other of RECORD_LISTS) if (other.path !== path) wrong.push(`${other.path}?cursor=${nextCursor}`);
      for (const url of wrong) {
        const reply = await stage.api("GET", url);
        expectError(reply, "INVALID_PARAMETER");
        expect(reply.body.error.details[0].field).toBe("cursor");
      }
    });
  });
}

describe("a cursor that somebody has meddled with", () => {
  it("is refused, and never makes the server stumble", async () => {
    const { nextCursor } = (await stage.api("GET", "/prospects?limit=2&sort=rating")).body.meta;
    const parts = JSON.parse(Buffer.from(nextCursor, "base64url").toString());
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const wrong = ["", "x", "!!", "%00", "A".repeat(14_001), nextCursor.slice(0, -2), nextCursor.slice(2)];
    wrong.push(encode(null), encode([]), encode({}), encode("x"), encode(Array(5).fill(null)), encode([...parts, 1]));
    const changes = [
      null,
      0,
      -1,
      1e9,
      1.5,
      "x",
      [],
      {},
      true,
      [["sort", "nosuch"]],
      [["sort", "ign"]],
      [[1, 2]],
      "\ud800",
    ];
    for (const [index] of parts.entries()) {
      for (const change of changes) wrong.push(encode(parts.with(index, change)));
    }
    for (let at = 0; at < nextCursor.length; at += 3) {
      wrong.push(nextCursor.slice(0, at) + (nextCursor[at] === "A" ? "B" : "A") + nextCursor.slice(at + 1));
    }
    for (const cursor of wrong) {
      if (cursor === nextCursor) continue;
      expectError(await stage.api("GET", `/prospects?cursor=${cursor}`), "INVALID_PARAMETER");
    }
  });
});

describe("a walk while others write", () => {
  it("returns each item that stays as it is exactly once, in order, for every sort", async () => {
    const { server } = stage;
    const orgId = await makeOrg(server);
    const api = freshKeyCaller(server, orgId);
    const stays: string[] = [];
    const moving: string[] = [];
    for (let index = 0; index < 12; index++) {
      const { data } = (
        await api("POST", "/players", { ign: `P${index % 5}`, role: "Player", nationality: index % 3 ? "SE" : null })
      ).body;
      (index % 4 === 3 ? moving : stays).push(data.id);
    }
    let writes = 0;
    const disturb = async (hasNew: boolean) => {
      const number = writes++;
      const player = { ign: `P${number % 7}`, role: "Coach", nationality: number % 2 ? "NO" : null };
      if (hasNew) await api("POST", "/players", player);
      const id = moving[number % moving.length];
      await api("PATCH", `/players/${id}`, { ign: `P${9 - (number % 10)}`, nationality: number % 2 ? null : "AT" });
    };
    for (const sort of [
      "id",
      "-id",
      "ign",
      "-ign",
      "nationality",
      "-nationality",
      "role",
      "updatedAt",
      "-updatedAt",
      "joinDate",
    ]) {
      const before = await api("GET", `/players?sort=${sort}`);
      const order = before.body.data.map(({ id }: LooseItem) => id).filter((id: string) => stays.includes(id));
      // A new one with every page would have each walk begin with half as many again.
      let pages = 0;
      const seen = (await walk(`/players?sort=${sort}&limit=3`, () => disturb(pages++ < 3), api)).map(({ id }) => id);
      expect(
        seen.filter((id) => stays.includes(id)),
        sort,
      ).toEqual(order);
    }
  });

  it("walks lists that only imports write to", async () => {
    const { server } = stage;
    const orgId = await makeOrg(server);
    const api = freshKeyCaller(server, orgId);
    const player = (await api("POST", "/players", { ign: "Vex", role: "Player" })).body.data;
    const insertRound = () =>
      server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
        await insertTeams(org, [makeTeam({ name: "b" }), makeTeam({ name: "a" })]);
        await insertContracts(org, [makeContract(player.id), makeContract(player.id, { kind: "loan" })]);
        await insertEntries(org, [makeEntry({ title: "b" }), makeEntry({ title: "a" })]);
      });
    await insertRound();
    await insertRound();
    for (const [path, sort] of [
      ["/teams", "name"],
      ["/contracts", "-kind"],
      ["/schedule", "title"],
    ] as const) {
      const before = (await api("GET", `${path}?sort=${sort}`)).body.data.map(({ id }: LooseItem) => id);
      const seen = (await walk(`${path}?sort=${sort}&limit=3`, insertRound, api)).map(({ id }) => id);
      expect(
        seen.filter((id) => before.includes(id)),
        path,
      ).toEqual(before);
      expect(new Set(seen).size, path).toBe(seen.length);
    }
  });
});

describe("a walk by long texts", () => {
  it("can be followed to its end, however long the notes that it sorts by", async () => {
    const { server } = stage;
    const orgId = await makeOrg(server);
    const api = freshKeyCaller(server, orgId);
    const notes = ["😀".repeat(10_000), `"${"\\".repeat(9_000)}`, "ж".repeat(10_000), "short", null];
    for (const text of notes) expect((await api("POST", "/prospects", { ign: "N", notes: text })).status).toBe(201);
    const expected = sortedBy((await api("GET", "/prospects")).body.data, "notes", false).map(({ id }) => id);
    expect((await walk("/prospects?sort=notes&limit=1", undefined, api)).map(({ id }) => id)).toEqual(expected);
  });

  it("can be followed with long filters, and is refused with those that no cursor could hold", async () => {
    const names = Array.from({ length: 37 }, (_, index) => `${index}${"n".repeat(190)}`);
    const filter = `assignedTo=Mara,${names.join()}`;
    expect(await walk(`/prospects?${filter}&limit=1`)).toEqual(await stage.list(`/prospects?${filter}`));
    const longer = `${filter},${names.join()}`;
    expect(await stage.list(`/prospects?${longer}`)).toHaveLength(2);
    expectError(await stage.api("GET", `/prospects?${longer}&limit=1`), "INVALID_PARAMETER");
  });
});
