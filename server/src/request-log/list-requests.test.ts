import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  fillLog,
  makeRecord,
  openTestLog,
  requestIdAt,
  type TestLog,
  walkLog,
} from "../../test/request-log/logged-requests.ts";
import { BLOCKS_LOOKED_AT_MAX, findRequest, listRequests, REQUESTS_LOOKED_AT_MAX } from "./list-requests.ts";
import type { BlockStore, RequestFilters } from "./request-block.ts";
import type { RequestRecord } from "./request-record.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const [RARE, COMMON] = ["key_01h2xcejqtf2nbrexx3vqjhpaa", "key_01h2xcejqtf2nbrexx3vqjhpab"] as const;
let log: TestLog;
let blocks: BlockStore;
let organizations = 0;

beforeAll(async () => {
  log = await openTestLog();
  blocks = log.blocks;
});
afterAll(() => log?.close());

function newOrganization(): string {
  return `org_${(organizations++).toString().padStart(26, "0")}`;
}

const idsOf = (requests: readonly { readonly id: string }[]) => requests.map(({ id }) => id);
const newestFirst = (records: readonly RequestRecord[]) => idsOf(records).toSorted().toReversed();

describe("the list of requests", () => {
  it("is in order of time, newest first, however blocks overlap and whatever is asked for", async () => {
    const oneRecord = fc.record({
      atMs: fc.integer({ min: 0, max: 60_000 }),
      keyId: fc.constantFrom(RARE, COMMON),
      status: fc.constantFrom(200, 404),
    });
    const wanted = fc.record({ keyId: fc.constantFrom(undefined, RARE), status: fc.constantFrom(undefined, "4xx") });
    await fc.assert(
      fc.asyncProperty(
        fc.array(oneRecord, { minLength: 1, maxLength: 80 }),
        wanted,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 20 }),
        async (some, filters, limit, requestsABlock) => {
          const orgId = newOrganization();
          const records = some.map(({ atMs, ...more }) => makeRecord(orgId, { ...more, id: requestIdAt(AT + atMs) }));
          await fillLog(blocks, records, requestsABlock);
          const { requests } = await walkLog(blocks, orgId, filters, limit);
          const expected = records.filter(
            (one) => (filters.keyId ?? one.keyId) === one.keyId && (filters.status === undefined || one.status >= 400),
          );
          expect(idsOf(requests)).toEqual(newestFirst(expected));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is cut by time exactly, both ends included", async () => {
    const orgId = newOrganization();
    const records = Array.from({ length: 20 }, (_, second) => {
      return makeRecord(orgId, { id: requestIdAt(AT + second * 1_000) });
    });
    await fillLog(blocks, records, 7);
    const between = (from?: number, to?: number) => walkLog(blocks, orgId, { from, to }, 100);
    expect((await between(AT + 5_000, AT + 9_000)).requests).toHaveLength(5);
    expect((await between(AT + 5_001, AT + 8_999)).requests).toHaveLength(3);
    expect((await between(AT + 19_000)).requests).toHaveLength(1);
    expect((await between(undefined, AT - 1)).requests).toHaveLength(0);
    expect((await between(AT + 9_000, AT + 5_000)).requests).toHaveLength(0);
  });

  it("shows nothing of another organization, not even by its id", async () => {
    const [own, foreign] = [newOrganization(), newOrganization()];
    const record = makeRecord(foreign, { id: requestIdAt(AT) });
    await fillLog(blocks, [record], 1);
    expect(await findRequest(blocks, foreign, record.id)).toMatchObject({ id: record.id });
    expect(await findRequest(blocks, own, record.id)).toBeUndefined();
    expect((await walkLog(blocks, own, {}, 10)).requests).toEqual([]);
  });

  it("gives out all that is there where nothing is left to look into, also when the time is over", async () => {
    const orgId = newOrganization();
    const records = Array.from({ length: 5 }, (_, at) => makeRecord(orgId, { id: requestIdAt(AT + at) }));
    await fillLog(blocks, records, 5);
    const page = await listRequests(blocks, orgId, {}, { limit: 50, lookingMs: 0 });
    expect([idsOf(page.requests), page.nextBelow]).toEqual([newestFirst(records), undefined]);
  });

  it.each([{}, { lookingMs: 0 }])(
    "is walked once through, while blocks grow and new ones come, with %o for a page",
    async (time) => {
      const orgId = newOrganization();
      const records = Array.from({ length: 900 }, (_, index) => {
        return makeRecord(orgId, { id: requestIdAt(AT + index * 10), status: index % 3 === 0 ? 404 : 200 });
      });
      await fillLog(blocks, records.slice(0, 890), 60);
      const growing = records.slice(890);
      await fillLog(blocks, growing.slice(0, 4), 10);
      let later = AT + 20_000;
      const { requests } = await walkLog(
        blocks,
        orgId,
        { status: "404" },
        7,
        async () => {
          await fillLog(blocks, growing, 10);
          const young = Array.from({ length: 20 }, () => makeRecord(orgId, { id: requestIdAt(later++), status: 404 }));
          await fillLog(blocks, young, 5);
        },
        time,
      );
      const there = records.filter(({ status, id }) => status === 404 && id < (growing[4]?.id ?? ""));
      const walked = idsOf(requests).filter((id) => id <= (there.at(-1)?.id ?? ""));
      expect(walked).toEqual(newestFirst(there));
      expect(new Set(idsOf(requests)).size).toBe(requests.length);
    },
  );
});

/** However busy the machine is. */
const AT_LEISURE = { limit: 50, lookingMs: 60_000 };

describe("a large log", () => {
  const orgId = "org_large0000000000000000000000";
  const TOTAL = 75_000;
  let records: RequestRecord[];

  beforeAll(async () => {
    records = Array.from({ length: TOTAL }, (_, index) =>
      makeRecord(orgId, {
        id: requestIdAt(AT + index * 100),
        keyId: index === 77 || index === 70_000 ? RARE : COMMON,
        target: `/api/public/v1/players/${index % 1_000}`,
        ...(index % 30_000 === 10 ? { status: 500, code: "INTERNAL_ERROR" } : {}),
      }),
    );
    await fillLog(blocks, records, 250);
  });

  const filters: RequestFilters[] = [
    {},
    { path: "nowhere to be found" },
    { path: "/players/999" },
    { keyId: RARE },
    { keyId: COMMON, method: "GET", status: "2xx" },
    { status: "5xx" },
    { code: "INTERNAL_ERROR" },
    { from: AT + 1_000_000, to: AT + 2_000_000 },
    { path: "zzz", status: "200", from: AT },
  ];

  it.each(filters)("is searched a bounded part at a time, for %o", async (wanted) => {
    let below: string | undefined;
    let found = 0;
    do {
      const page = await listRequests(blocks, orgId, wanted, { below, limit: 200 });
      // A page stops between two blocks, or between two groups of them.
      expect(page.looked.requests).toBeLessThan(REQUESTS_LOOKED_AT_MAX + 16 * 500);
      expect(page.looked.blocks).toBeLessThan(BLOCKS_LOOKED_AT_MAX + 512);
      found += page.requests.length;
      below = page.nextBelow;
    } while (below !== undefined && found < 2_000);
    if (wanted.keyId === RARE) expect(found).toBe(2);
    if (wanted.status === "5xx" || wanted.code !== undefined) expect(found).toBe(3);
    if (wanted.path === "/players/999") expect(found).toBe(TOTAL / 1_000);
  });

  it("passes over blocks that cannot hold what is looked for without reading them", async () => {
    const { looked, requests } = await listRequests(blocks, orgId, { status: "5xx" }, AT_LEISURE);
    expect(requests).toHaveLength(3);
    expect(looked.requests).toBe(3 * 250);
    const ofKey = await listRequests(blocks, orgId, { keyId: RARE }, AT_LEISURE);
    expect([ofKey.requests.length, ofKey.looked.requests]).toEqual([2, 2 * 250]);
  });

  it("finds one request by its id without searching", async () => {
    const one = records[66_000];
    const found = await listRequests(blocks, orgId, { id: one?.id }, AT_LEISURE);
    expect(idsOf(found.requests)).toEqual([one?.id]);
    expect(found.looked).toEqual({ blocks: 1, requests: 250 });
    expect(found.nextBelow).toBeUndefined();
    expect((await listRequests(blocks, orgId, { id: "req_nonsense" }, { limit: 50 })).requests).toEqual([]);
    expect((await listRequests(blocks, orgId, { id: one?.id, keyId: RARE }, { limit: 50 })).requests).toEqual([]);
  });
});
