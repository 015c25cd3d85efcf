import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CellReader, defuseText, restoreText, writeCell } from "./cells.ts";
import { TABLES } from "./tables.ts";

function readerOf(table: keyof typeof TABLES, name: string, decimalComma = false): CellReader {
  const column = TABLES[table].columns.find((one) => one.name === name);
  if (column === undefined) throw new Error(`No column ${name}.`);
  return new CellReader(column, decimalComma);
}

describe("cells that a spreadsheet would take for a formula", () => {
  test.each(["=1+1", "+46 70", "-5", "@SUM(A1)", "\tx", "\rx", "'quoted'", "'=x", "''"])("defuses %j", (text) => {
    expect(defuseText(text)).toBe(`'${text}`);
    expect(restoreText(defuseText(text))).toBe(text);
  });

  test("leaves other texts alone, apostrophes of their own included", () => {
    for (const text of ["Vex", "D'Arc", "1=1", "'tis", "’=x", ""]) expect(restoreText(text)).toBe(text);
    for (const text of ["Vex", "D'Arc", "1=1"]) expect(defuseText(text)).toBe(text);
  });

  test("gives every text back as it was, and never writes one that begins a formula", async () => {
    const head = fc.constantFrom("", "'", "''", "=", "+", "-", "@", "\t", "\r", "'=", "'-");
    await fc.assert(
      fc.property(head, fc.string({ unit: "grapheme" }), (start, rest) => {
        const text = start + rest;
        expect(restoreText(defuseText(text))).toBe(text);
        expect(defuseText(text)).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });

  test("writes numbers as they are, for they begin no formula", () => {
    expect([writeCell(-5), writeCell(0), writeCell(null), writeCell(true)]).toEqual(["-5", "0", "", "true"]);
    expect(writeCell({ kda: 4.2 })).toBe('{"kda":4.2}');
  });
});

describe("cells", () => {
  test.each([
    ["true", true],
    ["TRUE", true],
    ["Yes", true],
    ["1", true],
    ["False", false],
    ["no", false],
    ["0", false],
  ])("reads %s as %s", (cell, value) => {
    expect(readerOf("contracts", "autoRenew").readText(cell)).toEqual({ value });
  });

  test.each([
    ["1735689600000", 1_735_689_600_000],
    ["-1000", -1_000],
    ["'-1000", -1_000],
    ["2025-01-01", 1_735_689_600_000],
    ["2025-01-01T01:00:00+01:00", 1_735_689_600_000],
  ])("reads the moment %s", (cell, value) => {
    expect(readerOf("players", "joinDate").readText(cell)).toEqual({ value });
  });

  test.each(["31.12.2025", "1.73569E+12", "2025-02-30", "soon"])("refuses the moment %s", (cell) => {
    expect(readerOf("players", "joinDate").readText(cell)).toEqual({ fault: expect.stringContaining("ISO 8601") });
  });

  test.each(["20260131", " 20260131 ", 20_260_131])("refuses the day %j, which milliseconds are not", (day) => {
    const reader = readerOf("players", "joinDate");
    const result = typeof day === "string" ? reader.readText(day) : reader.readValue(day);
    expect(result).toEqual({ fault: expect.stringContaining("write 2026-01-31") });
    expect(reader.readText("20261331")).toEqual({ value: 20_261_331 });
  });

  test("takes a decimal comma only where semicolons separate cells, and never one that may mean thousands", () => {
    const thousand = readerOf("contracts", "noticePeriodDays", true).readText("1,000");
    expect(thousand).toEqual({ fault: expect.stringContaining("thousands") });
    expect(readerOf("prospects", "rating", true).readText("7,5")).toEqual({ value: 7.5 });
    expect(readerOf("prospects", "rating", false).readText("7,5")).toEqual({ fault: "must be a number" });
  });

  test("are judged by the API's own rules", () => {
    const faultOf = (result: object) => ("fault" in result ? result.fault : undefined);
    expect(faultOf(readerOf("teams", "game").readText("Chess"))).toContain("must be one of LoL");
    expect(faultOf(readerOf("players", "nationality").readText("Sweden"))).toContain("ISO 3166-1");
    expect(faultOf(readerOf("players", "stats").readText('{"kda": [1]}'))).toContain("kda must be a finite number");
    expect(faultOf(readerOf("schedule", "bestOf").readText("2"))).toContain("odd");
    expect(faultOf(readerOf("prospects", "tags").readText("aim"))).toContain("must be JSON");
  });

  test("of a JSON file may be native or texts, and know an empty text from none where a field does", () => {
    expect(readerOf("contracts", "autoRenew").readValue(true)).toEqual({ value: true });
    expect(readerOf("contracts", "autoRenew").readValue("true")).toEqual({ value: true });
    expect(readerOf("players", "stats").readValue({ kda: 1 })).toEqual({ value: { kda: 1 } });
    expect(readerOf("players", "team").readValue(17)).toEqual({ value: "17" });
    expect(readerOf("teams", "tag").readValue("")).toEqual({ value: "" });
    expect(readerOf("teams", "tag").readValue(null)).toEqual({ value: null });
    expect(readerOf("players", "role").readValue("")).toEqual({ value: null });
    expect(readerOf("players", "joinDate").readValue(1.5)).toEqual({ fault: expect.any(String) });
  });
});

test("the columns are the API's writable fields, with references by name", () => {
  const headers = Object.fromEntries(
    Object.values(TABLES).map(({ name, columns }) => [name, columns.map((column) => column.name).join(" ")]),
  );
  expect(headers).toEqual({
    teams: "externalId name tag game division region logoUrl status externalIds",
    players: "externalId ign realName role team contractStatus joinDate status nationality imageUrl stats externalIds",
    roster: "externalId player team role isStarter isCaptain joinedAt leftAt",
    contracts:
      "externalId player team kind status startDate endDate signedAt terminatedAt autoRenew noticePeriodDays externalIds",
    schedule:
      "externalId kind title team game status startsAt endsAt previousStartsAt timezone opponent competition stage bestOf location streamUrl result externalIds",
    prospects:
      "externalId player ign realName game role stage priority rating currentTeam nationality region source assignedTo notes targetTeam contractEndDate lastContactAt tags externalIds",
  });
});
