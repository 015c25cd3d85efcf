import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
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
import { createInterface } from "node:readline";
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { createOrganization, listOrganizations } from "../access/organizations.ts";
import { MARKS_FILE } from "./audit-marks.ts";
import { STORE_FILE } from "./data-folder.ts";
import { SECRET_FILE } from "./secret-file.ts";
import { openSqliteStore } from "./sqlite.ts";
import { MIGRATIONS } from "./sqlite-migrations.ts";
import { StoreError } from "./store-error.ts";

const PAGE_BYTES = 4_096;
const LATER_STEP = {
  name: "a later step",
  sql: "CREATE TABLE later (id TEXT) STRICT; INSERT INTO later VALUES ('here')",
};

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "lineup-sqlite-"));
  file = join(dataDir, STORE_FILE);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function makeStore(organizations = 1): Promise<void> {
  const { store } = await openSqliteStore(dataDir);
  for (let made = 0; made < organizations; made++)
    await createOrganization(store, { name: `Org ${made} ${"x".repeat(150)}` }, TEST_ORIGIN);
  await store.close();
}

function change(sql: string): void {
  const database = new Sqlite(file);
  database.exec(sql);
  database.close();
}

function overwritePage(page: number, fill: number): void {
  const bytes = readFileSync(file);
  bytes.fill(fill, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(file, bytes);
}

/** The file and what lies beside it. */
function lookAt() {
  return {
    bytes: readFileSync(file).toString("base64"),
    mode: statSync(file).mode,
    names: readdirSync(dataDir).sort(),
  };
}

async function refusal(): Promise<string> {
  const error = await openSqliteStore(dataDir).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return (error as StoreError).message;
}

describe("opening refuses, says why and leaves the file as it was", () => {
  test.each<[string, RegExp, () => void | Promise<void>]>([
    ["text", /damaged/, () => writeFileSync(file, "no database, though long enough to be looked at\n".repeat(200))],
    [
      "a store cut off in the middle",
      /damaged/,
      async () => {
        await makeStore(200);
        truncateSync(file, Math.floor(statSync(file).size / PAGE_BYTES / 2) * PAGE_BYTES);
      },
    ],
    [
      "a store with a page of zeros",
      /damaged/,
      async () => {
        await makeStore(200);
        overwritePage(Math.floor(statSync(file).size / PAGE_BYTES) - 2, 0);
      },
    ],
    [
      "a store with a page of something else",
      /damaged/,
      async () => {
        await makeStore(200);
        overwritePage(Math.floor(statSync(file).size / PAGE_BYTES) - 2, 0xa5);
      },
    ],
    [
      "a store whose first page is gone",
      /damaged/,
      async () => {
        await makeStore();
        overwritePage(0, 0);
      },
    ],
    [
      "a store of which nothing is left beside its journal",
      /is empty.*restore/i,
      async () => {
        await makeStore();
        writeFileSync(`${file}-wal`, Buffer.alloc(8_192, 1));
        truncateSync(file, 0);
      },
    ],
    [
      "a store of which nothing is left where a server has counted requests",
      /is empty.*restore/i,
      async () => {
        await makeStore();
        writeFileSync(join(dataDir, "limits.db"), "");
        truncateSync(file, 0);
      },
    ],
    [
      "a database of another program",
      /database of another program.*LINEUP_DATA_DIR/,
      () => {
        change("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO notes (text) VALUES ('mine')");
        chmodSync(file, 0o644);
      },
    ],
    [
      "a store of a newer version",
      /newer version of Lineup \(schema 99; this version knows \d+\).*Start that version/,
      async () => {
        await makeStore();
        change("PRAGMA user_version = 99");
      },
    ],
  ])("%s", async (_, reason, prepare) => {
    await prepare();
    const before = lookAt();
    const message = await refusal();
    expect(message).toMatch(reason);
    expect(message).toContain(file);
    expect(lookAt()).toEqual(before);
  });

  test("a folder where the file should be, and a folder that cannot be made", async () => {
    mkdirSync(file);
    expect(await refusal()).toContain(file);
    writeFileSync(join(dataDir, "a-file"), "");
    await expect(openSqliteStore(join(dataDir, "a-file", "data"))).rejects.toThrow(/LINEUP_DATA_DIR/);
  });
});

test("a new store is readable for its owner alone, also where others may look into its folder", async () => {
  chmodSync(dataDir, 0o755);
  await makeStore();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a store that was closed is one single file, beside the secret that is not to be in it", async () => {
  await makeStore(3);
  expect(readdirSync(dataDir).sort()).toEqual([MARKS_FILE, STORE_FILE, SECRET_FILE].sort());
});

describe("migrations", () => {
  const migrations = [...MIGRATIONS, LATER_STEP];

  test("run once, forward only, and keep what was there", async () => {
    await makeStore(3);
    const { store, migrated } = await openSqliteStore(dataDir, { migrations });
    expect([migrated, (await listOrganizations(store)).length]).toEqual([1, 3]);
    await store.ping();
    await store.close();
    const again = await openSqliteStore(dataDir, { migrations });
    expect(again.migrated).toBe(0);
    await again.store.close();
    // To this version the store is now a newer one's.
    expect(await refusal()).toContain("newer version");
  });

  test("of a store with data begin with a snapshot of it, which opens and is for its owner alone", async () => {
    await makeStore(3);
    const { store } = await openSqliteStore(dataDir, { migrations });
    await store.close();
    const snapshots = readdirSync(dataDir).filter((name) => name.startsWith(`${STORE_FILE}.before-schema-`));
    expect(snapshots).toHaveLength(1);
    const snapshot = join(dataDir, snapshots[0] ?? "");
    expect(statSync(snapshot).mode & 0o777).toBe(0o600);
    const database = new Sqlite(snapshot, { readonly: true });
    expect(database.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
    expect(database.prepare("SELECT count(*) FROM organizations").pluck().get()).toBe(3);
    database.close();
  });

  test("of a new store take no snapshot, and of old ones only the last few snapshots are kept", async () => {
    await makeStore();
    for (let step = 1; step <= 5; step++) {
      const steps = Array.from({ length: step }, (_, index) => ({
        name: "one more",
        sql: `CREATE TABLE more_${index} (id)`,
      }));
      const { store } = await openSqliteStore(dataDir, { migrations: [...MIGRATIONS, ...steps] });
      await store.close();
    }
    const kept = readdirSync(dataDir).filter((name) => name.includes(".before-schema-"));
    const numbers = kept.map((name) => Number(/before-schema-(\d+)/.exec(name)?.[1])).sort((a, b) => a - b);
    expect(numbers).toEqual([3, 4, 5].map((step) => MIGRATIONS.length + step));
  });

  test("that fail in the middle change nothing at all", async () => {
    await makeStore(3);
    const before = readFileSync(file);
    const broken = [
      ...migrations,
      { name: "a mistake", sql: "CREATE TABLE half (id TEXT); INSERT INTO nowhere VALUES (1)" },
    ];
    await expect(openSqliteStore(dataDir, { migrations: broken })).rejects.toThrow(StoreError);
    expect(readFileSync(file).equals(before)).toBe(true);
    const { store } = await openSqliteStore(dataDir);
    expect(await listOrganizations(store)).toHaveLength(3);
    await store.close();
  });
});

describe("two processes at once", () => {
  const children: ChildProcessWithoutNullStreams[] = [];
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  /** A process that opens the store in each folder it is told, with one step more than this version has. */
  function startOpener() {
    const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
    const program = `
      import { createInterface } from "node:readline";
      import { openSqliteStore } from ${module("sqlite.ts")};
      import { MIGRATIONS } from ${module("sqlite-migrations.ts")};
      const later = ${JSON.stringify(LATER_STEP)};
      console.log("loaded");
      for await (const line of createInterface({ input: process.stdin })) {
        const { dataDir, isLater } = JSON.parse(line);
        try {
          const { store, migrated } = await openSqliteStore(dataDir, { migrations: isLater ? [...MIGRATIONS, later] : MIGRATIONS });
          await store.ping();
          await store.close();
          console.log(migrated);
        } catch (error) {
          console.log(error.message);
        }
      }`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    children.push(child);
    child.stderr.pipe(process.stderr);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      loaded: lines.next(),
      async open(folder: string, isLater: boolean): Promise<string> {
        child.stdin.write(`${JSON.stringify({ dataDir: folder, isLater })}\n`);
        return (await lines.next()).value ?? "";
      },
    };
  }

  test("make one store, and migrate it once, no matter who comes first", async () => {
    const [one, other] = [startOpener(), startOpener()];
    await Promise.all([one.loaded, other.loaded]);
    for (let round = 0; round < 20; round++) {
      const folder = join(dataDir, String(round));
      const made = await Promise.all([one.open(folder, false), other.open(folder, false)]);
      expect(made.sort()).toEqual(["0", String(MIGRATIONS.length)]);
      const migrated = await Promise.all([one.open(folder, true), other.open(folder, true)]);
      expect(migrated.sort()).toEqual(["0", "1"]);
      const database = new Sqlite(join(folder, STORE_FILE));
      expect(database.prepare("SELECT count(*) FROM later").pluck().get()).toBe(1);
      expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
      database.close();
    }
  });

  test("of different versions: the older never puts the schema's number back", async () => {
    const [one, other] = [startOpener(), startOpener()];
    await Promise.all([one.loaded, other.loaded]);
    for (let round = 0; round < 10; round++) {
      const folder = join(dataDir, `versions-${round}`);
      const answers = await Promise.all([one.open(folder, true), other.open(folder, false)]);
      // The older one may also have been first, and then finds the schema moved on beneath it.
      for (const answer of answers) expect(answer).toMatch(/^\d$|newer version|schema is at step/);
      const database = new Sqlite(join(folder, STORE_FILE));
      expect(database.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length + 1);
      database.close();
    }
    expect(existsSync(file)).toBe(false);
  });
});
