import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { createOrganization, listOrganizations } from "../access/organizations.ts";
import { SETUP_TOKEN_FILE } from "../identity/first-owner.ts";
import { MARKS_FILE } from "./audit-marks.ts";
import { backupTo } from "./backup.ts";
import { joinDataFolder, LIMITS_FILE, lockDataFolder, REQUESTS_FILE, STORE_FILE } from "./data-folder.ts";
import { restoreFrom } from "./restore-store.ts";
import { SECRET_FILE } from "./secret-file.ts";
import { openSqliteStore } from "./sqlite.ts";

let folder: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-backup-"));
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function makeStore(name: string, ...organizations: string[]): Promise<string> {
  const dataDir = join(folder, name);
  const { store } = await openSqliteStore(dataDir);
  for (const organization of organizations) await createOrganization(store, { name: organization }, TEST_ORIGIN);
  await store.close();
  return dataDir;
}

/** Writes over a page in the middle. */
function tearPage(file: string): void {
  const bytes = readFileSync(file);
  const pageBytes = bytes.readUInt16BE(16);
  const start = Math.floor(bytes.length / pageBytes / 2) * pageBytes;
  writeFileSync(file, bytes.fill(0xa5, start, start + pageBytes));
}

async function namesIn(dataDir: string): Promise<string[]> {
  const { store } = await openSqliteStore(dataDir);
  const organizations = await listOrganizations(store);
  await store.close();
  return organizations.map((organization) => organization.name);
}

function changeFile(file: string, work: (connection: Sqlite.Database) => void): string {
  const connection = new Sqlite(file);
  work(connection);
  connection.close();
  return file;
}

describe("a backup", () => {
  test("is one private file that holds what was committed, while the store is open", async () => {
    const dataDir = join(folder, "open");
    const { store } = await openSqliteStore(dataDir);
    await createOrganization(store, { name: "Before" }, TEST_ORIGIN);
    const file = join(folder, "open.db");
    const steps: number[] = [];
    const made = await backupTo(dataDir, file, { onProgress: (done, total) => steps.push(done / total) });
    await createOrganization(store, { name: "After" }, TEST_ORIGIN);
    await store.close();

    expect(made).toEqual({ file, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(steps.length).toBeGreaterThan(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("open.db"))).toEqual(["open.db"]);
    const fresh = join(folder, "open-restored");
    expect(await restoreFrom(fresh, file)).toEqual({ keptAs: undefined, migrated: 0 });
    expect(await namesIn(fresh)).toEqual(["Before"]);
  });

  test("ends, and is consistent, while another process never stops writing", async () => {
    const dataDir = await makeStore("busy", "Steady");
    changeFile(join(dataDir, STORE_FILE), (connection) => {
      connection.exec("CREATE TABLE ballast (bytes BLOB)");
      const insert = connection.prepare("INSERT INTO ballast VALUES (randomblob(1000000))");
      connection.transaction(() => {
        for (let i = 0; i < 40; i++) insert.run();
      })();
    });
    const program = `
      const Sqlite = require(${JSON.stringify(import.meta.resolve("better-sqlite3").replace("file://", ""))});
      const connection = new Sqlite(${JSON.stringify(join(dataDir, STORE_FILE))}, { timeout: 5000 });
      connection.exec("UPDATE settings SET value = value + 1");
      console.log("writing");
      setInterval(() => connection.exec("UPDATE settings SET value = value + 1"), 1);`;
    const writer = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(writer);
    await once(writer.stdout, "data");
    const file = join(folder, "busy.db");
    let goneBack = 0;
    let last = 0;
    await backupTo(dataDir, file, {
      onProgress: (done) => {
        if (done < last) goneBack++;
        last = done;
      },
    });
    writer.kill("SIGKILL");
    await once(writer, "exit");
    expect(goneBack).toBe(0);
    expect(statSync(file).size).toBeGreaterThan(40_000_000);
  });

  test("replaces no file unless told, and never the store", async () => {
    const dataDir = await makeStore("careful", "One");
    const file = join(folder, "careful.db");
    writeFileSync(file, "precious");
    await expect(backupTo(dataDir, file)).rejects.toThrow(/exists already.*--force/);
    expect(readFileSync(file, "utf8")).toBe("precious");
    await backupTo(dataDir, file, { overwrite: true });
    expect(readFileSync(file, "latin1").slice(0, 15)).toBe("SQLite format 3");
    const others = [
      SECRET_FILE,
      MARKS_FILE,
      REQUESTS_FILE,
      SETUP_TOKEN_FILE,
      "server.json",
      "moved-to",
      "restore-in-progress",
      "move-in-progress",
      `${STORE_FILE}.before-restore.1`,
    ];
    for (const name of [STORE_FILE, `${STORE_FILE}-wal`, LIMITS_FILE, "server.lock", ...others]) {
      await expect(backupTo(dataDir, join(dataDir, name), { overwrite: true })).rejects.toThrow("part of the store");
    }
    expect(await namesIn(dataDir)).toEqual(["One"]);
  });

  test("says what is wrong with where it should go or come from", async () => {
    const dataDir = await makeStore("where", "One");
    await expect(backupTo(dataDir, join(folder, "no", "where.db"))).rejects.toThrow("no folder");
    await expect(backupTo(dataDir, folder)).rejects.toThrow("is a folder");
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expect(backupTo(dataDir, pipe, { overwrite: true })).rejects.toThrow("is a device or the like");
    await expect(backupTo(join(folder, "nothing"), join(folder, "x.db"))).rejects.toThrow("no store");
  });

  test("blames the store for what is the store's", async () => {
    const target = join(folder, "blamed.db");
    const dataDir = join(folder, "blamed");
    const file = join(dataDir, STORE_FILE);
    mkdirSync(dataDir);
    writeFileSync(file, "not a store");
    await expect(backupTo(dataDir, target)).rejects.toThrow(`${file} is damaged (file is not a database)`);
    writeFileSync(file, "");
    await expect(backupTo(dataDir, target)).rejects.toThrow(`${file} is damaged (it is empty)`);
    const foreign = new Sqlite(file);
    foreign.exec("CREATE TABLE theirs (x)");
    await expect(backupTo(dataDir, target)).rejects.toThrow(`${file} is a database of another program`);
    foreign.close();
    const torn = await makeStore("torn", "One");
    tearPage(join(torn, STORE_FILE));
    await expect(backupTo(torn, target)).rejects.toThrow(/^The copy of .*torn.* is damaged .* So is the store/);
    expect(readdirSync(folder).filter((name) => name.startsWith("blamed.db"))).toEqual([]);
  });

  test("blames the store for what cannot be read of it in the middle", async () => {
    const dataDir = await makeStore("fading", "One");
    const file = join(dataDir, STORE_FILE);
    const writer = new Sqlite(file);
    writer.pragma("wal_autocheckpoint = 0");
    writer.exec("CREATE TABLE ballast (bytes BLOB)");
    for (let i = 0; i < 10; i++) writer.exec("INSERT INTO ballast VALUES (randomblob(1000000))");
    const target = join(folder, "fading.db");
    const fade = () => truncateSync(`${file}-wal`, 100_000);
    await expect(backupTo(dataDir, target, { onProgress: fade })).rejects.toThrow(
      new RegExp(`^${file} cannot be read \\(disk I/O error\\).*disk`),
    );
    writer.close();
    expect(readdirSync(folder).filter((name) => name.startsWith("fading.db"))).toEqual([]);
  });
});

describe("a restore", () => {
  test("puts the backup in place and keeps what was there, last changes included", async () => {
    const dataDir = await makeStore("swap", "Old");
    const file = join(folder, "swap.db");
    await backupTo(dataDir, file);
    const { store } = await openSqliteStore(dataDir);
    await createOrganization(store, { name: "Newer" }, TEST_ORIGIN);
    await store.close();

    const { keptAs } = await restoreFrom(dataDir, file, new Date(0));
    expect(keptAs).toBe(join(dataDir, "lineup.db.before-restore.1970-01-01T00-00-00-000Z"));
    expect(await namesIn(dataDir)).toEqual(["Old"]);
    await restoreFrom(dataDir, keptAs ?? "");
    expect(await namesIn(dataDir)).toEqual(["Old", "Newer"]);
    expect(readdirSync(dataDir)).not.toContain("restore-in-progress");
  });

  test("is refused while a server runs, a command works, or another program has the store open", async () => {
    const dataDir = await makeStore("inuse", "Live");
    const file = join(folder, "inuse.db");
    await backupTo(dataDir, file);
    const server = lockDataFolder(dataDir);
    await expect(restoreFrom(dataDir, file)).rejects.toThrow(/server is running.*Stop it first/);
    server.release();
    const command = joinDataFolder(dataDir);
    await expect(restoreFrom(dataDir, file)).rejects.toThrow("Another command");
    command.release();
    const { store } = await openSqliteStore(dataDir);
    await expect(restoreFrom(dataDir, file)).rejects.toThrow("in use by another program");
    await store.close();
    expect(await namesIn(dataDir)).toEqual(["Live"]);
    expect(readdirSync(dataDir).filter((name) => name.includes("restore"))).toEqual([]);
  });

  test("changes nothing when the file is not a good backup", async () => {
    const dataDir = await makeStore("checked", "Safe");
    const good = join(folder, "good.db");
    await backupTo(dataDir, good);
    const bad = (name: string, work: (connection: Sqlite.Database) => void) => {
      copyFileSync(good, join(folder, name));
      return changeFile(join(folder, name), work);
    };
    const torn = join(folder, "torn.db");
    const bytes = readFileSync(good);
    writeFileSync(torn, bytes.fill(0xee, 8_192, 40_960));
    const cut = join(folder, "cut.db");
    writeFileSync(cut, readFileSync(good).subarray(0, 20_000));
    const text = join(folder, "notes.txt");
    writeFileSync(text, "not a database, but long enough to be looked at as if it were one".repeat(20));
    const empty = join(folder, "empty.db");
    writeFileSync(empty, "");
    const cases: [string, string][] = [
      [join(folder, "nowhere.db"), "There is no file"],
      [folder, "is not a file"],
      [join(dataDir, STORE_FILE), "is the store itself"],
      [text, "is not a Lineup store"],
      [empty, "is not a Lineup store"],
      [torn, "is damaged"],
      [cut, "is damaged"],
      [bad("other.db", (connection) => connection.pragma("application_id = 7")), "is not a Lineup store"],
      [bad("newer.db", (connection) => connection.pragma("user_version = 999")), "newer version of Lineup"],
      [
        bad("dangling.db", (connection) => {
          connection.pragma("foreign_keys = OFF");
          connection.exec("INSERT INTO erasures VALUES ('org_nobody', 'x', 1, NULL, NULL)");
        }),
        "refer to others that are not there",
      ],
    ];
    const before = readdirSync(dataDir).sort();
    for (const [file, message] of cases) await expect(restoreFrom(dataDir, file)).rejects.toThrow(message);
    expect(
      readdirSync(dataDir)
        .filter((name) => !name.endsWith(".lock"))
        .sort(),
    ).toEqual(before.filter((name) => !name.endsWith(".lock")));
    expect(await namesIn(dataDir)).toEqual(["Safe"]);
  });

  test("replaces a store that is too damaged to open, and keeps it", async () => {
    const dataDir = await makeStore("wreck", "Sound");
    const file = join(folder, "wreck.db");
    await backupTo(dataDir, file);
    for (const side of ["-wal", "-shm"]) rmSync(join(dataDir, STORE_FILE + side), { force: true });
    writeFileSync(join(dataDir, STORE_FILE), "ruined".repeat(2_000));
    const { keptAs } = await restoreFrom(dataDir, file);
    expect(readFileSync(keptAs ?? "", "utf8")).toContain("ruined");
    expect(await namesIn(dataDir)).toEqual(["Sound"]);
  });

  test("takes a plain copy of a store together with its journal", async () => {
    const dataDir = await makeStore("plain", "First");
    const { store } = await openSqliteStore(dataDir);
    await createOrganization(store, { name: "In the journal" }, TEST_ORIGIN);
    const copies = join(folder, "copies");
    mkdirSync(copies);
    for (const side of ["", "-wal"]) copyFileSync(join(dataDir, STORE_FILE + side), join(copies, STORE_FILE + side));
    await store.close();
    const fresh = join(folder, "plain-restored");
    await restoreFrom(fresh, join(copies, STORE_FILE));
    expect(await namesIn(fresh)).toEqual(["First", "In the journal"]);
  });
});
