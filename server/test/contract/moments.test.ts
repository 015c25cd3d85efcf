/** Parameters that are moments: how they may be written, and what `updatedSince` and `asOf` show. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, openStage, type Stage } from "./checked-call.ts";
import { RECORD_LISTS } from "./endpoint-requests.ts";
import { DAY_MS, SEED_NOW } from "./seed-records.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const MOMENTS = RECORD_LISTS.flatMap(({ path, query }) =>
  ["updatedSince", "asOf", "from", "to", "endsBefore", "endsAfter"]
    .filter((name) => name in query)
    .map((name) => [path, name] as const),
);

/** The same moment, 2025-12-31T00:00:00Z, as a URL may hold it. */
const WRITTEN = [
  "1767139200000",
  "2025-12-31",
  "2025-12-31T00:00Z",
  "2025-12-31T00:00:00Z",
  "2025-12-31t00:00:00z",
  "2025-12-31T00:00:00",
  "2025-12-31T00:00:00.000Z",
  "2025-12-31T00:00:00,000000Z",
  "2025-12-31T02:00:00%2B02:00",
  "2025-12-31T02:00:00+02:00",
  "2025-12-31T02:00:00+0200",
  "2025-12-31T02:00:00+02",
  "2025-12-30T18:30:00-05:30",
];

const WRONG = [
  "",
  "yesterday",
  "2025-02-29",
  "2026-13-01",
  "2026-1-1",
  "2026-01-01T25:00Z",
  "2026-01-01T00:60Z",
  "2026-01-01T00:00:00+24:00",
  "2026-01-01T",
  "20260101T000000Z",
  "1e3",
  "1.5",
  "0x10",
  "8640000000000001",
  "99999999999999999",
  "--1",
  "NaN",
];

describe("a moment", () => {
  it.each(MOMENTS)("may be written in any of its forms in %s %s", async (path, name) => {
    const expected = await stage.list(`${path}?${name}=${WRITTEN[0]}`);
    for (const text of WRITTEN) expect(await stage.list(`${path}?${name}=${text}`), text).toEqual(expected);
    for (const text of ["0", "-1", "8640000000000000", "-8640000000000000"]) {
      expect((await stage.api("GET", `${path}?${name}=${text}`)).status, text).toBe(200);
    }
  });

  it.each(MOMENTS)("is refused in %s %s when it is none", async (path, name) => {
    for (const text of WRONG) {
      const reply = await stage.api("GET", `${path}?${name}=${text}`);
      expectError(reply, "INVALID_PARAMETER");
      expect(reply.body.error.details).toEqual([{ field: name, message: expect.stringContaining("ISO 8601") }]);
    }
  });
});

describe("updatedSince", () => {
  it.each(RECORD_LISTS.map(({ path }) => path))(
    "shows of %s what has changed at that moment or after",
    async (path) => {
      const rest = path === "/schedule" ? "from=0&" : path === "/contracts/expiring" ? "days=365&" : "";
      const all = await stage.list(`${path}?${rest}`);
      const moments = [...new Set(all.map(({ updatedAt }) => updatedAt as number))];
      for (const moment of moments.flatMap((at) => [at - 1, at, at + 1])) {
        const expected = all.filter(({ updatedAt }) => updatedAt >= moment);
        expect(await stage.list(`${path}?${rest}updatedSince=${moment}`)).toEqual(expected);
      }
    },
  );

  it("shows a record that was written after the moment, and not before", async () => {
    const since = stage.clock.wallMs() + 1;
    const [first] = stage.seed.prospects;
    expect(await stage.list(`/prospects?updatedSince=${since}`)).toEqual([]);
    stage.clock.advance(1);
    const { data } = (await stage.api("PATCH", `/prospects/${first.id}`, { notes: "Changed" })).body;
    expect(await stage.list(`/prospects?updatedSince=${since}`)).toEqual([data]);
  });
});

describe("asOf", () => {
  const past = { from: SEED_NOW - 300 * DAY_MS, until: SEED_NOW - 200 * DAY_MS };

  it("shows the assignments that were open then: from their beginning on, no longer at their end", async () => {
    const [player] = stage.seed.players;
    for (const [asOf, isOpen] of [
      [past.from - 1, false],
      [past.from, true],
      [past.until - 1, true],
      [past.until, false],
    ] as const) {
      const entries = await stage.list(`/roster?asOf=${asOf}`);
      expect(entries.map(({ playerId }) => playerId)).toEqual(isOpen ? [player.id] : []);
    }
  });

  it("shows the role and team of then under the names and status of today", async () => {
    const [player] = stage.seed.players;
    const { Other: team } = stage.seed.teams;
    const [entry] = await stage.list(`/roster?asOf=${past.from}`);
    expect(entry).toMatchObject({
      role: "Coach",
      kind: "staff",
      teamId: team.id,
      teamName: team.name,
      game: "Other",
      ign: player.ign,
      realName: player.realName,
      status: player.status,
      joinedAt: past.from,
      leftAt: past.until,
    });
    expect(await stage.list(`/roster?asOf=${past.from}&kind=player`)).toEqual([]);
    expect(await stage.list(`/roster?asOf=${past.from}&game=Other&role=Coach`)).toEqual([entry]);
  });

  it("shows at this moment what the bare call shows, which has no entry for a player without a team", async () => {
    const bare = await stage.list("/roster");
    expect(await stage.list(`/roster?asOf=${stage.clock.wallMs()}`)).toEqual(bare);
    const placed = stage.seed.players.filter(({ teamId }) => teamId !== null);
    expect(bare.map(({ playerId }) => playerId).sort()).toEqual(placed.map(({ id }) => id).sort());
    expect(bare.every(({ leftAt }) => leftAt === null)).toBe(true);
  });
});
