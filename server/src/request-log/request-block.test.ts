import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockOf, makeRecord, requestIdAt } from "../../test/request-log/logged-requests.ts";
import { type BlockRow, makeSearch, readBlock } from "./request-block.ts";
import { type RequestRecord, timeOfId } from "./request-record.ts";

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const ORG = "org_01h2xcejqtf2nbrexx3vqjhp41";

const records = fc.array(
  fc.record({
    keyId: fc.constantFrom("key_01h2xcejqtf2nbrexx3vqjhp41", "key_01h2xcejqtf2nbrexx3vqjhp42", "key_0a"),
    method: fc.constantFrom("GET", "HEAD", "POST", "BREW"),
    target: fc.constantFrom("/api/public/v1/players", "/api/public/v1/teams?game=LoL", "/api/public/v1/x"),
    endpoint: fc.constantFrom("listPlayers", "listTeams", "unknown"),
    status: fc.constantFrom(200, 201, 400, 403, 404, 418, 429, 500, 503),
    code: fc.constantFrom(null, "NOT_FOUND", "INTERNAL_ERROR"),
    durationUs: fc.nat({ max: 2 ** 31 - 1 }),
    address: fc.constantFrom(null, "192.0.2.1", "::1"),
    userAgent: fc.constantFrom(null, "curl/8", 'a "quoted" \\ agent'),
  }),
  { minLength: 1, maxLength: 40 },
);

const read = ({ records: bytes }: BlockRow) => readBlock({ records: bytes, body: null });

describe("a block", () => {
  it("gives back every request with all that was known of it", async () => {
    await fc.assert(
      fc.asyncProperty(records, async (some) => {
        const put = some.map((one) => makeRecord(ORG, { ...one, id: requestIdAt(AT) }));
        const row = await blockOf(put);
        expect(read(row)).toEqual(put.map(asRead));
        expect([row.first_id, row.last_id, row.requests]).toEqual([put[0]?.id, put.at(-1)?.id, put.length]);
      }),
    );
  });

  it.each([
    ["in a row", [1, 2, 3, 4, 200, 0, 51, 6, 0, 1, 2, 3, 4, 404, 5, 72, 6, 0]],
    ["in columns", [1, 2, 3, 4, [200, 404], [0, 5], [51, 72], 6, 0]],
  ])("is read also as it was written before, with the numbers of each request %s", (_, facts) => {
    const [one, two] = [requestIdAt(AT), requestIdAt(AT + 1)];
    const words = [null, "key_0a", "GET", "/players", "listPlayers", "NOT_FOUND", "192.0.2.1"];
    const body = JSON.stringify({ ids: one + two, words, facts });
    const both = {
      keyId: "key_0a",
      method: "GET",
      target: "/players",
      endpoint: "listPlayers",
      address: "192.0.2.1",
      userAgent: null,
    };
    expect(readBlock({ records: null, body })).toEqual([
      { ...both, id: one, status: 200, code: null, durationUs: 51 },
      { ...both, id: two, status: 404, code: "NOT_FOUND", durationUs: 72 },
    ]);
    expect(makeSearch({ status: "404", keyId: "key_0a" }).mayBeIn("")).toBe(true);
  });

  it("is passed over only when nothing in it is looked for", async () => {
    const filters = fc.record(
      {
        keyId: fc.constantFrom("key_01h2xcejqtf2nbrexx3vqjhp42", "key_0b"),
        status: fc.constantFrom("404", "4xx", "2xx", "5xx", "418", "1xx"),
        code: fc.constantFrom("NOT_FOUND", "INVALID_ROLE"),
        method: fc.constantFrom("GET", "BREW", "DELETE"),
        path: fc.constantFrom("TEAMS", "game=lol", "nothing"),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(records, filters, async (some, wanted) => {
        const put = some.map((one) => makeRecord(ORG, { ...one, id: requestIdAt(AT) }));
        const row = await blockOf(put);
        const expected = put.map(asRead).filter((one) => meets(one, wanted));
        const search = makeSearch(wanted);
        expect(read(row).filter(search.isMatch)).toEqual(expected);
        if (expected.length > 0) expect(search.mayBeIn(row.terms)).toBe(true);
      }),
    );
  });

  it("knows the ids it spans, in whatever order requests ended", async () => {
    const ids = [3, 1, 4, 2].map((offset) => requestIdAt(AT + offset));
    const row = await blockOf(ids.map((id) => makeRecord(ORG, { id })));
    expect([row.first_id, row.last_id]).toEqual([ids[1], ids[2]]);
    expect([timeOfId(row.first_id), timeOfId(row.last_id)]).toEqual([AT + 1, AT + 4]);
  });

  it("holds no key that stood in a text, and the right texts for those that follow", async () => {
    const secret = `lineup_live_${"aB3".repeat(12)}`;
    const put = [
      makeRecord(ORG, { target: `/api/public/v1/players?k=${secret}`, userAgent: secret }),
      makeRecord(ORG, { userAgent: null }),
      makeRecord(ORG, { target: `/api/public/v1/players?k=${secret}`, userAgent: secret }),
      makeRecord(ORG, { target: "/api/public/v1/teams" }),
    ];
    const row = await blockOf(put);
    const found = read(row);
    expect(JSON.stringify(found) + row.terms).not.toContain(secret.slice(16, 24));
    expect(found.map(({ target, userAgent }) => [target, userAgent])).toEqual([
      ["/players?k=lineup_live_aB3a…", "lineup_live_aB3a…"],
      ["/players", null],
      ["/players?k=lineup_live_aB3a…", "lineup_live_aB3a…"],
      ["/teams", "test/1.0"],
    ]);
  });
});

function asRead({ orgId: _, ...record }: RequestRecord) {
  return { ...record, target: record.target.replace("/api/public/v1", "") };
}

/** Slow and obvious. */
function meets(one: ReturnType<typeof asRead>, wanted: Readonly<Record<string, string | undefined>>): boolean {
  const { keyId, status, code, method, path } = wanted;
  const isStatus = status === undefined || `${one.status}`.startsWith(status.replace("xx", ""));
  const isPath = path === undefined || one.target.toLowerCase().includes(path.toLowerCase());
  return (
    isStatus &&
    isPath &&
    (keyId === undefined || one.keyId === keyId) &&
    (code === undefined || one.code === code) &&
    (method === undefined || one.method === method)
  );
}
