import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { runLineup } from "../run-lineup.ts";
import { call, startTestServer, type TestServer } from "../test-server.ts";

/** A data folder that version 0.1 has filled and left, and what it answered from it at its last moment. */
const FOLDER_OF_0_1 = fileURLToPath(new URL("./data-0.1.tgz", import.meta.url));

interface Answers {
  readonly key: string;
  readonly revokedKey: string;
  readonly at: number;
  readonly lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

let dataDir: string;
let answers: Answers;
let server: TestServer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-upgrade-"));
  execFileSync("tar", ["-xzf", FOLDER_OF_0_1, "-C", dataDir]);
  answers = JSON.parse(await readFile(join(dataDir, "answers.json"), "utf8")) as Answers;
  server = await startTestServer({ dataDir, clock: new ManualClock(answers.at) });
});
afterAll(async () => {
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("answers with every record as version 0.1 did, under the same key", async () => {
  for (const [path, before] of Object.entries(answers.lists)) {
    const { body } = await call(server, "GET", `/${path}`, { key: answers.key });
    expect(body.data, path).toHaveLength(before.length);
    // It may say more of a record than it did; what it said it says again.
    for (const [index, record] of before.entries()) expect(body.data[index], path).toMatchObject(record);
  }
});

test("still refuses a key that was revoked then", async () => {
  const { body } = await call(server, "GET", "/players", { key: answers.revokedKey });
  expect(body.error.code).toBe("KEY_REVOKED");
});

test("writes to what was there, tells it in the feed, and proves its audit log whole", async () => {
  const { key } = answers;
  const id = answers.lists.players?.[0]?.id as string;
  const { body: begin } = await call(server, "GET", "/changes", { key });
  const { status } = await call(server, "PATCH", `/players/${id}`, { key, body: { status: "inactive" } });
  expect(status).toBe(200);
  const { body } = await call(server, "GET", `/changes?cursor=${begin.meta.nextCursor}`, { key });
  expect(body.data[0]).toMatchObject({ type: "player.updated", resourceId: id, fields: ["status"] });
  const { out, code } = await runLineup(["audit", "verify"], { LINEUP_DATA_DIR: dataDir });
  expect([code, out]).toEqual([0, expect.stringContaining("The audit log is whole")]);
});
