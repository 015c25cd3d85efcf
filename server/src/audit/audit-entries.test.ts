import { auditEntrySchema } from "@lineup/api/dashboard/records";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AuditFixture } from "../../test/audit-fixture.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import type { AuditEntry, Origin } from "../store/audit-entry.ts";
import { type AuditFilters, exportAuditCsv, listAuditEntries } from "./audit-entries.ts";

const ROBIN: Origin = { kind: "user", id: "user_robin", name: "Robin", address: "192.0.2.7", requestId: "req_7" };
const ENTRIES = 12_000;

let fixture: AuditFixture;
let orgId: string;

/** Every hundredth is about a key, one in the middle about a team; times go up by a second. */
function entryAt(index: number): AuditEntry {
  const at = 1_000_000 + index * 1_000;
  if (index === 6_000) return { at, action: "team.created", target: { kind: "team", id: "team_1", name: "=Main" } };
  const kind = index % 100 === 0 ? "key" : "player";
  const action = kind === "player" ? "player.updated" : index % 200 === 0 ? "key.revoked" : "key.created";
  return { at, action, target: { kind, id: `${kind}_${index}`, name: `N${index}` }, changes: { ign: ["a", { b: 1 }] } };
}

beforeAll(async () => {
  fixture = await AuditFixture.open();
  orgId = await fixture.makeOrg(1);
  const entries = Array.from({ length: ENTRIES - 1 }, (_, index) => entryAt(index + 1));
  await fixture.store.writeOrg(orgId, ROBIN, (org) => org.record(entries));
});
afterAll(() => fixture.close());

const list = (filters: AuditFilters = {}, page: { cursor?: string; limit?: number } = {}) =>
  listAuditEntries(fixture.store, orgId, { ...filters, ...page });

/** Page after page, to the end. */
async function listAll(filters: AuditFilters, limit = 200) {
  const seqs: number[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await list(filters, cursor === undefined ? { limit } : { limit, cursor });
    seqs.push(...page.entries.map(({ seq }) => seq));
    cursor = page.nextCursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined);
  return { seqs, pages };
}

describe("the list", () => {
  test("is of the newest first, whole entries, with the number of all", async () => {
    const { entries, nextCursor, total } = await list();
    expect([entries.length, total, nextCursor]).toEqual([50, ENTRIES, String(ENTRIES - 49)]);
    for (const entry of entries) expect(auditEntrySchema.parse(entry)).toEqual(entry);
    expect(entries[0]).toEqual({
      seq: ENTRIES,
      at: 1_000_000 + (ENTRIES - 1) * 1_000,
      actor: { kind: "user", id: "user_robin", name: "Robin" },
      address: "192.0.2.7",
      requestId: "req_7",
      action: "player.updated",
      target: { kind: "player", id: `player_${ENTRIES - 1}`, name: `N${ENTRIES - 1}` },
      changes: { ign: ["a", { b: 1 }] },
      note: null,
    });
  });

  test("goes on where a page ended until all were seen once", async () => {
    const { seqs } = await listAll({});
    expect(seqs).toEqual(Array.from({ length: ENTRIES }, (_, index) => ENTRIES - index));
    const exact = await list({}, { cursor: "51", limit: 50 });
    expect([exact.entries.length, exact.nextCursor]).toEqual([50, null]);
  });

  test.each<[string, AuditFilters, number]>([
    ["an action", { action: "key.revoked" }, 58],
    ["a kind of action", { action: "key" }, 118],
    ["a target", { target: "key_300" }, 1],
    ["an actor", { actor: "user_robin" }, ENTRIES - 1],
    ["a time", { from: 1_000_000 + 5_000_000, to: 1_000_000 + 5_010_000 }, 11],
    ["what is rare and far back", { action: "team" }, 1],
    ["several at once", { actor: "user_robin", action: "key", to: 1_000_000 + 1_000_000 }, 10],
    ["what nobody did", { action: "member" }, 0],
    ["a kind that is the beginning of another's name only", { action: "play" }, 0],
    ["an actor who did nothing", { actor: "user_nobody" }, 0],
  ])("can be narrowed to %s", async (_, filters, expected) => {
    const { seqs } = await listAll(filters, 50);
    expect(seqs.length).toBe(expected);
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
  });

  test("is of one organization alone", async () => {
    const other = await fixture.makeOrg(3);
    const page = await listAuditEntries(fixture.store, other, {});
    expect([page.entries.length, page.total, page.nextCursor]).toEqual([3, 3, null]);
  });

  test("refuses a cursor that no page gave", async () => {
    for (const cursor of ["x", "-1", "0", "1e3", "99999999999999999999"]) {
      await expect(list({}, { cursor })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    }
  });

  test("also shows what somebody has altered", async () => {
    const altered = await fixture.makeOrg(2);
    await fixture.sql(`UPDATE audit SET changes = '{"a":1,"b":[2]}' WHERE org_id = ? AND seq = 2`, altered);
    await fixture.sql("UPDATE audit_heads SET count = 900000000000000 WHERE org_id = ?", altered);
    const { entries } = await listAuditEntries(fixture.store, altered, {});
    expect(entries[0]?.changes).toEqual({ a: [null, 1], b: [2, undefined] });
  });
});

describe("the export", () => {
  test("has all that matches in one file, newest first, and is itself an entry", async () => {
    const filters = { action: "team" };
    const { fileName, csv } = await exportAuditCsv(fixture.store, orgId, filters, ROBIN, 2_000);
    expect(fileName).toBe("audit-1970-01-01.csv");
    const [row, ...more] = parse(csv, { columns: true }) as Record<string, string>[];
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      number: "6001",
      time: "1970-01-01T01:56:40.000Z",
      action: "team.created",
      actor: "Robin",
    });
    // A spreadsheet is not to take it for a formula.
    expect(row).toMatchObject({ "target id": "team_1", target: "'=Main", "request id": "req_7" });
    const [told] = (await list({ action: "audit" })).entries;
    expect(told).toMatchObject({ at: 2_000, action: "audit.exported", actor: { id: "user_robin" } });
    expect(told?.changes).toEqual({ action: [null, "team"], entries: [null, 1] });
  });

  test("takes everything where nothing narrows it down", async () => {
    const { csv } = await exportAuditCsv(fixture.store, orgId, {}, TEST_ORIGIN);
    const rows = parse(csv, { columns: true }) as Record<string, string>[];
    expect(rows.length).toBe(ENTRIES + 1);
    expect(JSON.parse(rows[1]?.changes ?? "")).toEqual({ ign: ["a", { b: 1 }] });
    expect(rows.at(-1)).toMatchObject({ number: "1", action: "organization.created" });
  });
});
