/** Who follows the change feed over a restore of an older backup hears that they have to read the lists again: the log's numbers are given out anew. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLineup } from "../run-lineup.ts";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore } from "../test-store.ts";
import { checkedCall, expectError } from "./checked-call.ts";

let folder: string;
let dataDir: string;
let server: TestServer;
let key: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-restored-feed-"));
  dataDir = join(folder, "data");
  server = await startTestServer({ dataDir });
  key = (await makeKey(server, await makeOrg(server))).key;
});
afterAll(async () => {
  await server.stop();
  await dropTestStore(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

const lineup = (...words: string[]) => runLineup(words, { LINEUP_DATA_DIR: dataDir });
const follow = (cursor: string) => checkedCall(server, "GET", `/changes?cursor=${cursor}`, { key });
const findCursor = async (): Promise<string> =>
  (await checkedCall(server, "GET", "/changes", { key })).body.meta.nextCursor;
const createPlayer = async (ign: string): Promise<string> =>
  (await checkedCall(server, "POST", "/players", { key, body: { ign, role: "Player" } })).body.data.id;

test("a cursor from after the backup is refused, and one from before it goes on", async () => {
  await createPlayer("Before");
  const kept = await findCursor();
  expect(await lineup("backup", join(folder, "older.db"))).toMatchObject({ code: 0 });
  await createPlayer("Lost");
  const short = await findCursor();
  await createPlayer("Lost too");
  const long = await findCursor();
  await server.stop();
  expect(await lineup("restore", join(folder, "older.db"))).toMatchObject({ code: 0 });
  server = await startTestServer({ dataDir });
  const id = await createPlayer("New");
  // The one has another row where it was, the other none.
  for (const cursor of [short, long]) {
    const refused = await follow(cursor);
    expectError(refused, "INVALID_PARAMETER");
    expect(refused.body.error.message).toContain("read the lists again");
  }
  const { data } = (await follow(kept)).body;
  expect(data.map(({ resourceId }: { resourceId: string }) => resourceId)).toEqual([id]);
});
