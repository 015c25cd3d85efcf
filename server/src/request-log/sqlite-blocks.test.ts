import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fillLog, makeRecord, requestIdAt, walkLog } from "../../test/request-log/logged-requests.ts";
import { REQUESTS_FILE } from "../store/data-folder.ts";
import { SqliteBlocks } from "./sqlite-blocks.ts";

const ORG = "org_01h2xcejqtf2nbrexx3vqjhp41";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-blocks-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As the version before made it, with one block of two requests. */
function writeFirstFormat(file: string, ids: readonly [string, string]): void {
  const old = new Sqlite(file);
  old.pragma(`application_id = ${0x4c6e7552}`);
  old.pragma("user_version = 1");
  old.exec(`
    CREATE TABLE request_blocks (
      org_id TEXT NOT NULL, id TEXT NOT NULL, first_id TEXT NOT NULL, last_id TEXT NOT NULL, requests INTEGER NOT NULL,
      key_marks INTEGER NOT NULL, kind_marks INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (org_id, id)
    ) STRICT;
    CREATE INDEX request_blocks_by_last
      ON request_blocks (org_id, last_id, first_id, id, requests, key_marks, kind_marks);
    CREATE INDEX request_blocks_by_age ON request_blocks (last_id);
  `);
  const words = [null, "key_0a", "GET", "/players", "listPlayers", "NOT_FOUND"];
  const body = JSON.stringify({ ids: ids.join(""), words, facts: [1, 2, 3, 4, [200, 404], [0, 5], 51, 0, 0] });
  old.prepare("INSERT INTO request_blocks VALUES (?, ?, ?, ?, 2, 1, 1, ?)").run(ORG, ids[0], ids[0], ids[1], body);
  old.close();
}

test("goes on with the file of the version before: what is in it is found, and new blocks come to it", async () => {
  const ids = [requestIdAt(1_000_000), requestIdAt(1_000_001)] as const;
  const file = join(folder, REQUESTS_FILE);
  writeFirstFormat(file, ids);
  const notices: string[] = [];
  for (const round of [1, 2]) {
    const blocks = new SqliteBlocks(file, (notice) => notices.push(notice));
    await fillLog(blocks, [makeRecord(ORG, { id: requestIdAt(1_000_000 + round * 1_000) })], 1);
    const { requests } = await walkLog(blocks, ORG, {}, 50);
    expect(requests.map(({ id }) => id).slice(-2)).toEqual(ids.toReversed());
    expect(requests).toHaveLength(2 + round);
    expect((await walkLog(blocks, ORG, { status: "4xx", keyId: "key_0a" }, 50)).requests).toMatchObject([
      { id: ids[1], status: 404, code: "NOT_FOUND", target: "/players" },
    ]);
    await blocks.close();
  }
  expect(notices).toEqual([]);
});

test.each([
  ["is of another program", "PRAGMA application_id = 7; CREATE TABLE other (x)", /another kind/],
  [
    "is of a later version",
    `PRAGMA application_id = ${0x4c6e7552}; PRAGMA user_version = 9; CREATE TABLE o (x)`,
    /format 9/,
  ],
])("sets a file aside that %s, and says so", async (_, sql, reason) => {
  const file = join(folder, REQUESTS_FILE);
  const other = new Sqlite(file);
  other.exec(sql);
  other.close();
  const notices: string[] = [];
  const blocks = new SqliteBlocks(file, (notice) => notices.push(notice));
  await fillLog(blocks, [makeRecord(ORG)], 1);
  expect((await walkLog(blocks, ORG, {}, 50)).requests).toHaveLength(1);
  expect(notices).toEqual([expect.stringMatching(reason)]);
  await blocks.close();
});
