/** How much of a list one query reads: never so much that others wait for it, however large the records are. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ListOf, readSmallList, streamList } from "../../src/http/list-answer.ts";
import { prospectStore } from "../../src/resources/prospects/prospect-store.ts";
import { makeId } from "../../src/store/ids.ts";
import type { JsonSlice } from "../../src/store/list.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { makeOrg, startTestServer, type TestServer } from "../test-server.ts";

const QUERY_MAX_BYTES = 600 * 1024;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

async function makeProspects(count: number, notes: string): Promise<string> {
  const orgId = await makeOrg(server);
  const rows = Array.from({ length: count }, () =>
    prospectStore.toRow({
      ...{ id: makeId("prospect"), ign: "Vex", realName: "", role: null, game: "Other", stage: "trial" },
      ...{ priority: "low", stageChangedAt: 1, rating: null, currentTeam: null, region: null, source: null },
      ...{ lastContactAt: null, contractEndDate: null, nationality: null, targetTeamId: null, playerId: null },
      ...{ assignedTo: null, notes, tags: [], externalIds: {}, createdAt: 1, updatedAt: 1 },
    }),
  );
  await server.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (let start = 0; start < count; start += 500) {
      await org.insertInto("prospects", rows.slice(start, start + 500)).execute();
    }
  });
  return orgId;
}

/** A list that tells how large what was read of it at once was. */
function watched(
  sizes: number[],
  query: Parameters<typeof prospectStore.list>[1],
  afterEach?: () => Promise<unknown>,
): ListOf {
  const note = async (slice: JsonSlice) => {
    sizes.push(slice.bytes.length);
    await afterEach?.();
    return slice;
  };
  return (org) => {
    const list = prospectStore.list(org, query);
    return {
      readPage: (page) => list.readPage(page),
      countUpTo: (most) => list.countUpTo(most),
      readBeginning: async (limit) => note(await list.readBeginning(limit)),
      async *readSlices(nextLimit, most) {
        for await (const slice of list.readSlices(nextLimit, most)) yield await note(slice);
      },
    };
  };
}

it.each([
  { count: 0, noteLength: 0, isLarge: false },
  { count: 49, noteLength: 10_000, isLarge: false },
  { count: 50, noteLength: 100, isLarge: false },
  { count: 90, noteLength: 10_000, isLarge: false },
  { count: 130, noteLength: 10_000, isLarge: true },
  { count: 600, noteLength: 1_000, isLarge: false },
  { count: 1_000, noteLength: 0, isLarge: false },
  { count: 1_001, noteLength: 0, isLarge: true },
  { count: 1_001, noteLength: 10_000, isLarge: true },
])("$count records with notes of $noteLength are read whole, a little at a time", async (made) => {
  const orgId = await makeProspects(made.count, "n".repeat(made.noteLength));
  for (const query of [{}, { sort: { field: "ign", descending: true } }]) {
    const sizes: number[] = [];
    const reader = { store: server.store, orgId, connection: new PassThrough() };
    const { body, isLarge } = await readList(reader, watched(sizes, query));
    const { data, meta } = JSON.parse(body);
    expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(made.count);
    expect(meta.count).toBe(made.count);
    expect(body.length).toBeGreaterThanOrEqual(made.count * made.noteLength);
    expect(isLarge).toBe(made.isLarge);
    expect(Math.max(...sizes)).toBeLessThan(QUERY_MAX_BYTES);
  }
});

/** The whole body, in memory or streamed; what is large gives its slot back. */
async function readList(reader: Parameters<typeof readSmallList>[0], listOf: ListOf) {
  const small = await readSmallList(reader, listOf);
  const end = 'req_1"}}';
  if (small !== undefined) {
    const start = typeof small.start === "string" ? small.start : Buffer.concat(small.start).toString();
    return { body: start + end, isLarge: false };
  }
  const streamed = await streamList(reader, listOf, undefined, () => undefined);
  const body = await text(streamed.open(end));
  streamed.release();
  return { body, isLarge: true };
}

it("a list that is read a little at a time is of one moment, whatever is written meanwhile", async () => {
  const orgId = await makeProspects(600, "n".repeat(1_000));
  const sizes: number[] = [];
  // All of them change together.
  const write = () =>
    server.store.writeOrg(orgId, TEST_ORIGIN, (org) =>
      org
        .updateTable("prospects")
        .set({ real_name: `after ${sizes.length}` })
        .execute(),
    );
  const reader = { store: server.store, orgId, connection: new PassThrough() };
  const { body } = await readList(reader, watched(sizes, {}, write));
  const { data, meta } = JSON.parse(body);
  expect(meta.count).toBe(600);
  expect(new Set(data.map(({ realName }: { realName: string }) => realName)).size).toBe(1);
  expect(sizes.length).toBeGreaterThan(3);
});
