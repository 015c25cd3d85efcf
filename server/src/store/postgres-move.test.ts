/** A store that moves to the other engine is there whole, the same in every row; and where it came from, it is untouched. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { administer, listSchemas, makeOddBackup, makePlainBackup, namesIn, sumsOf } from "../../test/copy-fixture.ts";
import { hasPostgres, makeTestDatabase } from "../../test/services/provided-services.ts";
import type { TestDatabase } from "../../test/services/test-database.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { createOrganization } from "../access/organizations.ts";
import { backupTo } from "./backup.ts";
import type { StoreSums } from "./copy-rows.ts";
import { lockDataFolder, STORE_FILE } from "./data-folder.ts";
import { openPostgresStore } from "./postgres.ts";
import type { PostgresAddress } from "./postgres-snapshot.ts";
import { restoreFrom, restoreIntoPostgres } from "./restore-store.ts";
import { openSqliteStore } from "./sqlite.ts";
import { moveToFolder, moveToPostgres } from "./store-move.ts";

let folder: string;
let dataDir: string;
let database: TestDatabase;
let address: PostgresAddress;
let oddSums: StoreSums;
let plain: string;
let number = 0;

const alone = { moveAlong: async () => {} };
const newFolder = () => join(folder, `folder-${++number}`);
const namesOfFiles = (path: string) => readdirSync(path).filter((name) => !name.endsWith(".lock"));

async function sumsIn(path: string): Promise<StoreSums> {
  const file = join(folder, `${++number}.db`);
  await backupTo(path, file);
  return sumsOf(file);
}

const cutConnections = () =>
  administer(database.url, async (client) => {
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lineup' AND datname = current_database()",
    );
  });

describe.skipIf(!hasPostgres())("a move", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "lineup-move-"));
    const odd = await makeOddBackup(folder);
    oddSums = await sumsOf(odd);
    dataDir = join(folder, "odd");
    plain = await makePlainBackup(folder, "Other");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    database = await makeTestDatabase({ empty: true });
    address = { url: database.url, setting: "--to" };
  });
  afterEach(() => database.drop());

  test("to PostgreSQL and back gives the same rows, and leaves both where they came from", async () => {
    const digest = () =>
      createHash("sha256")
        .update(readFileSync(join(dataDir, STORE_FILE)))
        .digest("hex");
    const before = digest();
    const files = namesOfFiles(dataDir);
    const along: string[][] = [];
    const moveAlong = async (keyIds: readonly string[]) => void along.push([...keyIds]);
    expect(await moveToPostgres(dataDir, address, { moveAlong })).toMatchObject({ sums: oddSums, wasThere: false });
    expect(digest()).toBe(before);
    expect(namesOfFiles(dataDir)).toEqual(files);

    const back = newFolder();
    expect(await moveToFolder(address, back, { moveAlong })).toMatchObject({ sums: oddSums, wasThere: false });
    expect(await sumsIn(back)).toEqual(oddSums);
    expect(namesOfFiles(back)).toEqual([STORE_FILE]);
    expect(along).toEqual([along[0], along[0]]);
    expect(along[0]).toEqual([expect.stringMatching(/^key_/), expect.stringMatching(/^key_/)]);
    // And PostgreSQL still has it.
    const again = newFolder();
    expect(await moveToFolder(address, again, alone)).toMatchObject({ sums: oddSums });
  });

  test("finds the same store there already when it is run again, and takes along what goes with it all the same", async () => {
    const back = newFolder();
    let along = 0;
    const moveAlong = async () => void along++;
    for (const wasThere of [false, true]) {
      expect(await moveToPostgres(dataDir, address, { moveAlong })).toMatchObject({ sums: oddSums, wasThere });
      expect(await moveToFolder(address, back, { moveAlong })).toMatchObject({ sums: oddSums, wasThere });
    }
    expect(along).toBe(4);
    expect(await listSchemas(database.url)).toEqual(["lineup"]);
  });

  test("is refused where another store is, and leaves it as it was", async () => {
    await restoreIntoPostgres(address, plain);
    await expect(moveToPostgres(dataDir, address, alone)).rejects.toThrow(/holds another store.*ALTER SCHEMA/);
    expect(await namesIn(database.url)).toEqual(["Other"]);
    await expect(moveToFolder(address, dataDir, alone)).rejects.toThrow(/another store.*Name another folder/);
    expect(await sumsIn(dataDir)).toEqual(oddSums);
  });

  test("fills a store that has no organization yet", async () => {
    const empty = newFolder();
    await (await openSqliteStore(empty)).store.close();
    await (await openPostgresStore({ url: database.url, poolSize: 1 })).store.close();
    expect(await moveToPostgres(dataDir, address, alone)).toMatchObject({ wasThere: false });
    expect(await moveToFolder(address, empty, alone)).toMatchObject({ wasThere: false });
    expect(await sumsIn(empty)).toEqual(oddSums);
  });

  test("is refused while a server runs at either end", async () => {
    const lock = lockDataFolder(dataDir);
    await expect(moveToPostgres(dataDir, address, alone)).rejects.toThrow("server is running");
    lock.release();
    await moveToPostgres(dataDir, address, alone);
    const { store } = await openPostgresStore({ url: database.url, poolSize: 1, lock: "together" });
    await expect(moveToPostgres(dataDir, address, alone)).rejects.toThrow(/server is running on the database/);
    await expect(moveToFolder(address, newFolder(), alone)).rejects.toThrow(/server is running on the database/);
    await store.close();
    const back = newFolder();
    mkdirSync(back);
    const target = lockDataFolder(back);
    await expect(moveToFolder(address, back, alone)).rejects.toThrow("server is running");
    target.release();
    await moveToFolder(address, back, alone);
  });

  test("lets no server start on the database before it is done", async () => {
    await moveToPostgres(dataDir, address, alone);
    const moveAlong = async () => {
      await expect(openPostgresStore({ url: database.url, poolSize: 1, lock: "alone" })).rejects.toThrow(/server runs/);
    };
    await moveToFolder(address, newFolder(), { moveAlong });
    expect.assertions(1);
  });

  test("that loses its connection, or what goes along, leaves nothing behind and can be run again", async () => {
    const failing = async () => {
      throw new Error("Redis is gone");
    };
    const back = newFolder();
    for (const moveAlong of [failing, cutConnections]) {
      const move = moveToPostgres(dataDir, address, { moveAlong });
      await expect(move).rejects.toThrow(/^Redis is gone|cannot be reached/);
      expect(await listSchemas(database.url)).toEqual([]);
    }
    await moveToPostgres(dataDir, address, alone);
    for (const moveAlong of [failing, cutConnections]) {
      const move = moveToFolder(address, back, { moveAlong });
      await expect(move).rejects.toThrow(/^Redis is gone|cannot be reached/);
      expect(namesOfFiles(back)).toEqual([]);
    }
    await moveToFolder(address, back, alone);
    expect(await sumsIn(back)).toEqual(oddSums);
    expect(await sumsIn(dataDir)).toEqual(oddSums);
  });

  test("says where there is nothing to move", async () => {
    await expect(moveToPostgres(newFolder(), address, alone)).rejects.toThrow("There is no store in");
    await expect(moveToFolder(address, newFolder(), alone)).rejects.toThrow("holds no Lineup store");
  });

  test("takes a store whose last changes are still in its journal", async () => {
    const live = newFolder();
    await restoreFrom(live, plain);
    const { store } = await openSqliteStore(live);
    await createOrganization(store, { name: "In the journal" }, TEST_ORIGIN);
    // Closed by the end of the process that had it open, as a killed server leaves it.
    const left = newFolder();
    mkdirSync(left);
    for (const side of ["", "-wal"]) {
      const bytes = readFileSync(join(live, STORE_FILE + side));
      writeFileSync(join(left, STORE_FILE + side), bytes);
    }
    await store.close();
    await moveToPostgres(left, address, alone);
    expect(await namesIn(database.url)).toEqual(["Other", "In the journal"]);
  });
});
