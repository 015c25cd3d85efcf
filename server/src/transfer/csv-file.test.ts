import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lines, TransferFixture } from "../../test/transfer-fixture.ts";
import { describeUnfound } from "./import-source.ts";

let fixture: TransferFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await TransferFixture.open();
  orgId = await fixture.makeOrg();
});
afterAll(() => fixture.close());

/** The prospects that a file of them makes in a new organization: [ign, rating, notes]. */
async function readProspects(content: string | Buffer): Promise<unknown[][]> {
  const id = await fixture.makeOrg();
  await fixture.importFiles(id, { "prospects.csv": content });
  return (await fixture.rows(id, "prospects")).map((row) => [row.ign, row.rating, row.notes]);
}

describe("reads CSV as people have it", () => {
  test("semicolons, decimal commas, a byte order mark and CRLF, from a European spreadsheet", async () => {
    const rows = ["externalId;ign;rating;notes;tags;;", '1;Vex;7,5;"a; b";"[""aim""]";;', ";;;;;;", "2;Zoë;8;;;;"];
    expect(await readProspects(`\u{FEFF}${rows.join("\r\n")}\r\n`)).toEqual([
      ["Vex", 7.5, "a; b"],
      ["Zoë", 8, null],
    ]);
  });

  test("tabs", async () => {
    expect(await readProspects("externalId\tign\trating\n1\tVex\t7.5\n")).toEqual([["Vex", 7.5, null]]);
  });

  test("tabs, between which a comma is no decimal one", async () => {
    const content = "externalId\tign\trating\n1\tVex\t7,5\n";
    expect((await fixture.refuse(orgId, { "prospects.csv": content })).faults).toMatchObject([
      { line: 2, column: "rating", value: "7,5", message: "must be a number" },
    ]);
  });

  test("old line ends, and a last line without one", async () => {
    expect(await readProspects("externalId,ign\r1,Vex\r2,Nyx")).toEqual([
      ["Vex", null, null],
      ["Nyx", null, null],
    ]);
  });

  test("a first line that names the separator", async () => {
    expect(await readProspects("sep=;\r\nexternalId;ign\r\n1;Vex, the first\r\n")).toEqual([
      ["Vex, the first", null, null],
    ]);
  });

  test("quoted cells with quotes, separators and line breaks of any kind", async () => {
    const cell = '"He said ""go"",\r\nthen; left\nfor good"';
    expect(await readProspects(`externalId,ign,notes\r\n1,"Vex ""V""",${cell}\r\n`)).toEqual([
      ['Vex "V"', null, 'He said "go",\r\nthen; left\nfor good'],
    ]);
  });

  test("quoted header names, spaces around cells, empty lines", async () => {
    expect(await readProspects('\n"externalId" , "ign"\n\n 1 , Vex \n\n')).toEqual([["Vex", null, null]]);
  });

  test("a file in several chunks, with characters across their borders", async () => {
    const notes = "é😀".repeat(1_500);
    const rows = Array.from({ length: 120 }, (_, index) => `${index},Vex${index},"${notes}"`);
    const read = await readProspects(lines("externalId,ign,notes", ...rows));
    expect(read.length).toBe(120);
    expect(read.every((row) => row[2] === notes)).toBe(true);
  });

  test("names of files in any case", async () => {
    const id = await fixture.makeOrg();
    expect(await fixture.importFiles(id, { "Prospects.CSV": "externalId,ign\n1,Vex\n" })).toEqual({
      prospects: { created: 1, updated: 0, unchanged: 0 },
    });
  });

  test("a header without rows", async () => {
    expect(await readProspects("externalId,ign\n")).toEqual([]);
  });
});

describe("says where a file is broken", () => {
  async function faultOf(content: string | Buffer) {
    const { faults } = await fixture.refuse(orgId, { "prospects.csv": content });
    expect(faults[0]?.file).toBe("prospects.csv");
    return faults[0];
  }

  test("on the physical line, with line breaks in cells before it", async () => {
    const content = 'externalId,ign,notes\r\n1,Vex,"two\r\nlines\r\nand more"\r\n\r\n2,Nyx,\r\n3,,x\r\n';
    expect(await faultOf(content)).toMatchObject({ line: 7, column: "ign", value: null });
  });

  test("a row with too few cells", async () => {
    expect(await faultOf("externalId,ign,notes\n1,Vex,\n2,Nyx\n")).toMatchObject({
      line: 3,
      message: expect.stringContaining("2 cells and the header 3"),
    });
  });

  test("a row with too many cells", async () => {
    expect(await faultOf("externalId,ign\n1,Vex\n2,Nyx,extra\n")).toMatchObject({ line: 3, value: "extra" });
  });

  test("a quote that never closes", async () => {
    expect(await faultOf('externalId,ign\n1,Vex\n2,"Nyx\n3,Zed\n')).toMatchObject({
      line: 3,
      message: expect.stringContaining("never closes"),
    });
  });

  test("text after a closing quote, or a quote inside an unquoted cell", async () => {
    expect(await faultOf('externalId,ign\n1,"Vex" the\n')).toMatchObject({ line: 2 });
    expect(await faultOf('externalId,ign\n1,Vex\n2,the "Nyx"\n')).toMatchObject({ line: 3 });
  });

  test("bytes that are not UTF-8", async () => {
    const content = Buffer.concat([
      Buffer.from("externalId,ign\n1,Vex\n2,Zo"),
      Buffer.from([0xeb]),
      Buffer.from("\n3,x\n"),
    ]);
    expect(await faultOf(content)).toMatchObject({ line: 3, message: expect.stringContaining("CSV UTF-8") });
    expect(await faultOf(Buffer.concat([Buffer.from("externalId,ign\n1,Ve"), Buffer.from([0xc3])]))).toMatchObject({
      line: 2,
    });
  });

  test("UTF-16", async () => {
    const content = Buffer.from("\u{FEFF}externalId,ign\n1,Vex\n", "utf16le");
    expect(await faultOf(content)).toMatchObject({ line: 1, message: expect.stringContaining("UTF-16") });
  });

  test.each([
    ["a folder", undefined, /is a folder; put a file of that name there/],
    ["UTF-16 without a mark", Buffer.from("externalId,ign\n1,Vex\n", "utf16le"), /UTF-16; save it as UTF-8/],
    ["UTF-16 of the other order", Buffer.from("externalId,ign\n", "utf16le").swap16(), /UTF-16; save it as UTF-8/],
    ["a zip archive, as an .xlsx is", Buffer.from("PK\x03\x04\x14\0\x06\0", "latin1"), /zip archive or an Excel/],
    ["an old workbook", Buffer.from("d0cf11e0a1b11ae1", "hex"), /is an Excel workbook; save the sheet as CSV/],
    ["what gzip made", gzipSync("externalId,ign\n"), /gzip; unpack it/],
  ])("%s is told as what it is", async (_, content, message) => {
    const path = fixture.writeFolder(content === undefined ? {} : { "prospects.csv": content });
    if (content === undefined) mkdirSync(join(path, "prospects.csv"));
    expect((await fixture.refuse(orgId, path)).faults).toMatchObject([
      { file: "prospects.csv", message: expect.stringMatching(message) },
    ]);
  });

  test("an empty file", async () => {
    expect(await faultOf("")).toMatchObject({ line: null, message: expect.stringContaining("is empty") });
    expect(await faultOf("\n\n")).toMatchObject({ line: null });
  });

  test("a row that is longer than any valid one", async () => {
    expect(await faultOf(`externalId,ign,notes\n1,Vex,${"x".repeat(600_000)}\n`)).toMatchObject({ line: 2 });
  });

  test("a column nobody knows, with the one that was meant", async () => {
    expect(await faultOf("externalId,ign,ratng\n")).toMatchObject({
      line: 1,
      column: "ratng",
      message: expect.stringContaining("did you mean rating?"),
    });
    const { faults } = await fixture.refuse(orgId, { "players.csv": "externalId,teamId\n" });
    expect(faults[0]).toMatchObject({ column: "teamId", message: expect.stringContaining("did you mean team?") });
  });

  test("a column that is there twice, and a header without externalId", async () => {
    expect(await faultOf("externalId,ign,ign\n1,a,b\n")).toMatchObject({ line: 1, column: "ign" });
    expect(await faultOf("ign\nVex\n")).toMatchObject({ line: 1, column: "externalId" });
  });

  test("two files of one table, whose names differ only in case", async () => {
    const { faults } = await fixture.refuse(orgId, {
      "players.csv": "externalId,ign,role\np1,Vex,Player\n",
      "Players.CSV": "externalId,ign,role\np2,Nyx,Player\n",
    });
    expect(faults).toEqual([
      expect.objectContaining({ file: "players.csv", message: expect.stringContaining("same table as Players.CSV") }),
    ]);
  });

  test("a file whose name is nearly right, and a folder with nothing in it", async () => {
    const misnamed = await fixture.refuse(orgId, { "player.csv": "externalId\n" });
    expect(misnamed.faults[0]).toMatchObject({ file: "player.csv", message: expect.stringContaining("players.csv") });
    const empty = await fixture.refuse(orgId, { "readme.txt": "" });
    expect(empty.message).toContain("holds none of teams.csv");
    const missing = await fixture.refuse(orgId, join(fixture.folder, "nowhere"));
    expect(missing.message).toContain("is not there");
    expect(describeUnfound(Object.assign(new Error(), { code: "EACCES" }))).toContain("may not be read");
  });

  test("a path that is a single CSV file", async () => {
    const path = fixture.writeFolder({ "players.csv": "externalId\n" });
    expect((await fixture.refuse(orgId, join(path, "players.csv"))).message).toContain("give the folder");
  });
});

describe("reads one JSON file", () => {
  function writeJson(text: string): string {
    const folder = fixture.path();
    mkdirSync(folder);
    const path = join(folder, "data.json");
    writeFileSync(path, text);
    return path;
  }

  test("with native values, and nothing for a key that is not there", async () => {
    const id = await fixture.makeOrg();
    const prospect = { externalId: 7, ign: "Vex", rating: 7.5, tags: ["aim"], lastContactAt: "2026-01-01", notes: "" };
    await fixture.importPath(id, writeJson(`\u{FEFF}${JSON.stringify({ prospects: [prospect], teams: null })}`));
    expect(await fixture.rows(id, "prospects")).toMatchObject([
      { ign: "Vex", rating: 7.5, tags: '["aim"]', notes: "", external_ids: '{"import":"7"}' },
    ]);
  });

  test("and says on which line an item stands that is wrong", async () => {
    const text =
      '{"teams": [\n  {"externalId": "a", "name": "} ] \\" {", "game": "LoL"},\n\n  {"externalId": "b",\n   "name": "B", "game": "Chess"}]}';
    const { faults } = await fixture.refuse(orgId, writeJson(text));
    expect(faults).toEqual([
      {
        file: "data.json",
        line: 4,
        column: "game",
        value: "Chess",
        message: expect.stringContaining("must be one of"),
      },
    ]);
  });

  test("and refuses a list or a column that is there twice, however its name is written", async () => {
    const text =
      '{"teams": [{"externalId": "a", "name": "A",\n "game": "LoL", "name": "B"}],\n"players": [],\n"\\u0074eams": []}';
    const { faults } = await fixture.refuse(orgId, writeJson(text));
    expect(faults).toMatchObject([
      { line: 2, column: "name", message: expect.stringContaining("twice") },
      { line: 4, column: "teams", message: expect.stringContaining("twice") },
    ]);
    const once =
      '{"teams": [{"externalId": "teams", "name": "name", "game": "LoL"}, {"externalId": "x"}], "players": []}';
    expect((await fixture.refuse(orgId, writeJson(once))).message).not.toContain("twice");
  });

  test.each([
    ["{", "is not JSON"],
    ["[]", "must be an object"],
    ['{"teams": {}}', "must be a list"],
    ['{"teams": [1]}', "must be an object of columns"],
    ['{"player": []}', "did you mean players?"],
    ['{"teams": [{"externalId": "a", "nam": "x"}]}', "did you mean name?"],
  ])("refuses %s", async (text, message) => {
    expect((await fixture.refuse(orgId, writeJson(text))).message).toContain(message);
  });
});
