import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLineup } from "../../test/run-lineup.ts";
import { STORE_FILE } from "../store/data-folder.ts";
import { MIGRATIONS } from "../store/sqlite-migrations.ts";

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-transfer-"));
  dataDir = join(folder, "data");
  expect(await lineup("migrate", "--json")).toMatchObject({ code: 0 });
  expect(await lineup("org", "create", "--name", "Source")).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });

function writeFolder(name: string, files: Record<string, string>): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(path, file), content);
  return path;
}

describe("lineup migrate", () => {
  test("finds nothing to do the second time", async () => {
    const { code, out } = await lineup("migrate", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ migrated: 0, schema: MIGRATIONS.length, converted: 0, store: dataDir, dataDir });
  });
});

describe("lineup import and export", () => {
  test("say so where no folder can be made, and do not wait for ever", async () => {
    const { code, err } = await lineup("export", "--org", "Source", "/proc/lineup/export");
    expect(code).not.toBe(0);
    expect(err).toContain("/proc/lineup");
  });

  test("check first, then write, and give back what was taken", async () => {
    const path = writeFolder("good", {
      "teams.csv": "externalId,name,game\nt1,Main,LoL\n",
      "players.csv": "externalId,ign,role,team\np1,Vex,Mid,t1\np2,Orb,Top,t1\n",
    });
    const dry = await lineup("import", "--org", "Source", "--dry-run", path);
    expect(dry).toMatchObject({ code: 0, err: expect.stringContaining("nothing was written") });
    expect(dry.out).toMatch(/players +2 +0 +0/);
    const { code, out } = await lineup("import", "--org", "Source", path, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ dryRun: false, tables: { players: { created: 2, updated: 0 } } });

    const target = join(folder, "exported");
    const exported = await lineup("export", "--org", "Source", target, "--json");
    expect(JSON.parse(exported.out)).toMatchObject({ path: target, rows: { teams: 1, players: 2 } });
    expect(readFileSync(join(target, "players.csv"), "utf8")).toContain("Vex");
    const again = await lineup("import", "--org", "Source", target);
    expect(again.out).toMatch(/players +0 +0 +2/);
  });

  test("date rows by the moment they are written, however long another program holds the store", async () => {
    const path = writeFolder("late", { "teams.csv": "externalId,name,game\nlate,Late,LoL\n" });
    const other = new Sqlite(join(dataDir, STORE_FILE));
    try {
      other.exec("BEGIN IMMEDIATE");
      const held = lineup("import", "--org", "Source", path);
      // By then the command has read its file and waits; were it slower, it would be dated later all the more.
      await sleep(1_500);
      const released = Date.now();
      other.exec("ROLLBACK");
      expect(await held).toMatchObject({ code: 0 });
      const late = other.prepare("SELECT created_at FROM teams WHERE name = 'Late'").get();
      expect((late as { created_at: number }).created_at).toBeGreaterThanOrEqual(released);
    } finally {
      other.close();
    }
  });

  test("name every fault on standard error and exit with 1", async () => {
    const path = writeFolder("bad", { "teams.csv": "externalId,name,game\nt1,Main,Chess\nt2,,LoL\n" });
    const { code, out, err } = await lineup("import", "--org", "Source", path);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/teams\.csv, line 2, column game, value "Chess"/);
    expect(err).toMatch(/teams\.csv, line 3, column name/);
    expect(await lineup("import", "--org", "Source", join(folder, "nowhere"))).toMatchObject({ code: 1, out: "" });
  });

  test("refuse to export over a file that is no .json file", async () => {
    const file = join(folder, "notes.txt");
    writeFileSync(file, "precious");
    expect(await lineup("export", "--org", "Source", file)).toMatchObject({ code: 1, out: "" });
    expect(readFileSync(file, "utf8")).toBe("precious");
  });
});

describe("lineup backup and restore", () => {
  test("bring back what was there, and keep what is replaced", async () => {
    const file = join(folder, "backup.db");
    const made = await lineup("backup", file, "--json");
    expect(JSON.parse(made.out)).toEqual({ file, bytes: expect.any(Number) });
    expect(await lineup("backup", file)).toMatchObject({ code: 1, out: "", err: expect.stringContaining("--force") });
    expect(await lineup("org", "delete", "Source", "--yes")).toMatchObject({ code: 0 });
    const restored = await lineup("restore", file);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("before-restore") });
    expect((await lineup("org", "list")).out).toContain("Source");
    expect(await lineup("restore", join(folder, "good", "teams.csv"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not a Lineup store"),
    });
  });
});
