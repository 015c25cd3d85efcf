import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lines, TransferFixture } from "../../test/transfer-fixture.ts";
import { readCsvFile } from "./csv-file.ts";
import { FaultList, type ImportFault } from "./import-faults.ts";
import { IMPORT_LIMITS, ImportFiles } from "./import-files.ts";
import { readJsonFile } from "./json-file.ts";

let fixture: TransferFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await TransferFixture.open();
  orgId = await fixture.makeOrg();
});
afterAll(() => fixture.close());

/** Of the one fault for which each is refused: as the only JSON file, and as a file of a folder. */
async function refuseBoth(make: (path: string) => void): Promise<ImportFault[]> {
  const json = fixture.path(".json");
  const folder = fixture.path();
  mkdirSync(folder);
  for (const path of [json, join(folder, "players.csv")]) make(path);
  const found = [await fixture.refuse(orgId, json), await fixture.refuse(orgId, folder)];
  return found.flatMap(({ faults }) => faults);
}

const refusal = (message: RegExp) => ({ line: null, message: expect.stringMatching(message) });

test("what never ends is not read", async () => {
  const faults = await refuseBoth((path) => symlinkSync("/dev/zero", path));
  expect(faults).toMatchObject([refusal(/a device/), { file: "players.csv", ...refusal(/a device/) }]);
});

test("a pipe that nobody writes into is not waited for", async () => {
  const faults = await refuseBoth((path) => execFileSync("mkfifo", [path]));
  expect(faults).toMatchObject([refusal(/a pipe/), { file: "players.csv", ...refusal(/a pipe/) }]);
});

test("a file that is too large is refused with the limit and what to do", async () => {
  const faults = await refuseBoth((path) => {
    writeFileSync(path, "");
    truncateSync(path, IMPORT_LIMITS.bytes + 1);
  });
  const message = /larger than one import takes, which is 64 MB in all files together; split it/;
  expect(faults).toMatchObject([refusal(message), { file: "players.csv", ...refusal(message) }]);
});

test("a zip, and UTF-16 without a byte order mark, are told as what they are in place of JSON too", async () => {
  const path = fixture.path(".json");
  writeFileSync(path, "PK\u{3}\u{4}…");
  expect((await fixture.refuse(orgId, path)).message).toContain("is a zip archive or an Excel workbook; unpack it");
  writeFileSync(path, Buffer.from("{}", "utf16le"));
  expect((await fixture.refuse(orgId, path)).message).toContain("looks like UTF-16; save it as UTF-8");
});

test("more rows than an import takes are refused with the limit and what to do", async () => {
  const path = fixture.path(".json");
  writeFileSync(path, '{"teams": [{}], "players": [{}, {}]}');
  const faults = new FaultList();
  const files = new ImportFiles(faults, undefined, { ...IMPORT_LIMITS, rows: 2 });
  expect(await readJsonFile(path, "all.json", files)).toBeUndefined();
  expect(faults.toError().faults).toMatchObject([
    { file: "all.json", ...refusal(/more rows than one import takes, which is 2 in all files together; split it/) },
  ]);
});

test("empty lines count as rows", async () => {
  const folder = fixture.writeFolder({ "players.csv": `externalId,ign,role\n${"\n".repeat(4)}` });
  const faults = new FaultList();
  const files = new ImportFiles(faults, undefined, { ...IMPORT_LIMITS, rows: 3 });
  await readCsvFile(join(folder, "players.csv"), "players", "players.csv", files);
  expect(faults.toError().faults).toMatchObject([{ file: "players.csv", ...refusal(/more rows than one import/) }]);
});

test("more values than an import takes are refused with the limit and what to do, in one row too", async () => {
  const json = fixture.path(".json");
  writeFileSync(json, '{"players": [{"stats": {"a": [0, 0, 0]}}]}');
  const folder = fixture.writeFolder({
    "players.csv": `externalId,ign,role\n${",".repeat(9)}\n`,
    "teams.csv": `externalId;name;game\n${"\r".repeat(9)}`,
  });
  for (const path of [json, join(folder, "players.csv"), join(folder, "teams.csv")]) {
    const faults = new FaultList();
    expect(new ImportFiles(faults, undefined, { ...IMPORT_LIMITS, values: 6 }).read(path, "all")).toBeUndefined();
    expect(faults.toError().faults).toMatchObject([refusal(/more values than one import takes, which is 6 in all/)]);
  }
});

test("the files of a folder share one limit, of bytes and of rows", async () => {
  const content = lines("externalId,ign,role", "1,Vex,Player", "2,Nyx,Player");
  const folder = fixture.writeFolder({
    "players.csv": content,
    "prospects.csv": content.replaceAll(",Player", ",Mid"),
  });
  const readBoth = async (limits: { bytes: number; rows: number }) => {
    const faults = new FaultList();
    const files = new ImportFiles(faults, undefined, { ...IMPORT_LIMITS, ...limits });
    for (const name of ["players", "prospects"] as const) {
      await readCsvFile(join(folder, `${name}.csv`), name, `${name}.csv`, files);
    }
    return faults.toError().message;
  };
  expect(await readBoth({ bytes: 2 * content.length, rows: 4 })).toContain("has 0 faults");
  expect(await readBoth({ bytes: content.length + 9, rows: 4 })).toMatch(
    /one fault.\n {2}prospects.csv: is larger than/,
  );
  expect(await readBoth({ bytes: 2 * content.length, rows: 3 })).toMatch(
    /one fault.\n {2}prospects.csv: has more rows/,
  );
});
