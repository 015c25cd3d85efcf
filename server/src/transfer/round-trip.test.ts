import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { lines, NOW, TransferFixture } from "../../test/transfer-fixture.ts";
import { sampleTables } from "../sample/sample-organization.ts";
import type { ImportTables } from "./import-source.ts";

let fixture: TransferFixture;
beforeAll(async () => {
  fixture = await TransferFixture.open();
});
afterAll(() => fixture.close());

async function importJsonText(orgId: string, text: string) {
  const path = fixture.path(".json");
  writeFileSync(path, text);
  return fixture.importPath(orgId, path, { now: NOW + 1_000 });
}

/** Exports, imports into a new organization, exports again; both ways; and imports into the same one, which must not notice. */
async function expectRoundTrip(orgId: string): Promise<void> {
  const files = await fixture.exportFolder(orgId);
  const json = await fixture.exportJson(orgId);
  const before = await fixture.snapshot(orgId);
  await fixture.importFiles(orgId, files, { now: NOW + 5_000 });
  await importJsonText(orgId, json);
  expect(await fixture.snapshot(orgId)).toEqual(before);

  const fromCsv = await fixture.makeOrg();
  await fixture.importFiles(fromCsv, files, { now: NOW + 9_000 });
  expect(await fixture.exportFolder(fromCsv)).toEqual(files);

  const fromJson = await fixture.makeOrg();
  await importJsonText(fromJson, json);
  expect(await fixture.exportJson(fromJson)).toBe(json);
  expect(await fixture.findContradictions()).toEqual([]);
}

describe("export, import into a new organization, export again: the same files", () => {
  test("of the sample organization", async () => {
    const orgId = await fixture.makeOrg();
    await fixture.importTables(orgId, sampleTables(NOW));
    await expectRoundTrip(orgId);
  });

  test("of an organization without anything", async () => {
    const orgId = await fixture.makeOrg();
    await expectRoundTrip(orgId);
    expect(await fixture.exportFolder(orgId)).toMatchObject({
      "teams.csv": "externalId,name,tag,game,division,region,logoUrl,status,externalIds\r\n",
    });
  });

  test("of records that files never named, by their own ids, and with moves that made history", async () => {
    const orgId = await fixture.makeOrg();
    const teams = lines("externalId,name,game", "a,Alpha,LoL", "b,Beta,CS2");
    await fixture.importFiles(orgId, {
      "teams.csv": teams,
      "players.csv": lines("externalId,ign,role,team", "p,Vex,Mid,a"),
    });
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,role,team", "p,AWPer,b") }, { now: NOW + 500 });
    await fixture.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
      await org.deleteFrom("external_ids").execute();
      await org.updateTable("players").set({ external_ids: "{}" }).execute();
      await org.updateTable("teams").set({ external_ids: '{"erp":"7"}' }).where("name", "=", "Alpha").execute();
      await org.updateTable("teams").set({ external_ids: "{}" }).where("name", "=", "Beta").execute();
      const { id } = await fixture.row(orgId, "teams", "name", "Alpha");
      const row = { kind: "team" as const, system: "erp", external_id: "7", record_id: String(id) };
      await org.insertInto("external_ids", [row]).execute();
    });
    expect(await fixture.exportFolder(orgId)).toMatchObject({
      "players.csv": expect.stringMatching(/\r\nplayer_\w+,Vex,,AWPer,team_\w+,/),
      "roster.csv": expect.stringMatching(/\r\nassignment_\w+,player_\w+,team_\w+,Mid,true,false,\d+,\d+\r\n/),
    });
    await expectRoundTrip(orgId);
  });

  test("of players whose moves lie between those of others, and who begin and leave at the same moment", async () => {
    const orgId = await fixture.makeOrg();
    const teams = lines("externalId,name,game", "a,Alpha,LoL", "b,Beta,LoL");
    const players = (first: string, second: string) =>
      lines("externalId,ign,role,team,joinDate", `p,Vex,Mid,${first},${NOW}`, `q,Ash,Top,${second},${NOW}`);
    await fixture.importFiles(orgId, { "teams.csv": teams, "players.csv": players("a", "a") });
    // The store now has p, q, p, q, q: rows that go back and forth between players, three of them of one moment.
    await fixture.importFiles(orgId, { "players.csv": players("b", "b") });
    await fixture.importFiles(orgId, { "players.csv": players("b", "a") });
    const { "roster.csv": roster = "" } = await fixture.exportFolder(orgId);
    expect([...roster.matchAll(/^assignment_\w+,(\w)/gm)].map(([, player]) => player)).toEqual([..."pqpqq"]);
    await expectRoundTrip(orgId);
  });

  test("of a team that changed its game, with roles of the old one in its history", async () => {
    const orgId = await fixture.makeOrg();
    const players = (role: string) => lines("externalId,ign,role,team", `p,Vex,${role},a`);
    await fixture.importFiles(orgId, {
      "teams.csv": lines("externalId,name,game", "a,Alpha,LoL"),
      "players.csv": players("Mid"),
    });
    await fixture.importFiles(orgId, {
      "teams.csv": lines("externalId,game", "a,Valorant"),
      "players.csv": players("Duelist"),
    });
    await expectRoundTrip(orgId);
  });

  test("of a moment whose milliseconds look like a day", async () => {
    const orgId = await fixture.makeOrg();
    const joinDate = "1970-01-01T05:37:40.131Z";
    await fixture.importTables(orgId, { players: [{ externalId: "p", ign: "Vex", role: "Player", joinDate }] });
    expect(await fixture.rows(orgId, "players")).toMatchObject([{ join_date: 20_260_131 }]);
    await expectRoundTrip(orgId);
  });

  test("of whatever texts people write", async () => {
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
      fc.constantFrom(
        "=",
        "+",
        "-",
        "@",
        "'",
        '"',
        '""',
        ";",
        ",",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\\",
        " ",
        "\u{FEFF}",
        "😀",
        "null",
        "{",
      ),
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(""));
    const clean = text.map((value) => value.replaceAll(/\p{Cc}/gu, "").trim());
    const name = clean.map((value) => [...`${value}x`].slice(0, 60).join(""));
    const notes = text.map((value) => value.replaceAll(/[^\P{Cc}\n\r]/gu, "").trim());
    const rows = fc.array(fc.record({ name, notes, other: clean, tags: fc.array(name, { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const orgId = await fixture.makeOrg();
        await fixture.importTables(orgId, hostileTables(drawn));
        expect((await fixture.rows(orgId, "prospects")).map((row) => row.notes)).toEqual(drawn.map((row) => row.notes));
        await expectRoundTrip(orgId);
      }),
      { numRuns: 15 },
    );
  });
});

interface HostileRow {
  readonly name: string;
  readonly notes: string;
  readonly other: string;
  readonly tags: readonly string[];
}

function hostileTables(rows: readonly HostileRow[]): ImportTables {
  const key = (row: HostileRow, index: number) => `${row.name}${index}`;
  return {
    teams: rows.map((row, index) => ({ externalId: key(row, index), name: row.name, tag: row.other, game: "Other" })),
    players: rows.map((row, index) => ({
      externalId: key(row, index),
      ign: row.name,
      realName: row.other,
      role: "Player",
      team: key(row, index),
      stats: { [row.name]: row.other, "=2": -1.5, __proto__x: "y" },
      externalIds: { __proto__: undefined, erp: key(row, index) },
    })),
    prospects: rows.map((row, index) => ({
      externalId: key(row, index),
      ign: row.name,
      notes: row.notes,
      source: row.other,
      tags: row.tags,
      player: key(row, index),
      targetTeam: key(row, index),
    })),
    schedule: rows.map((row, index) => ({
      externalId: key(row, index),
      title: row.name,
      startsAt: -index,
      opponent: row.other,
    })),
  };
}
