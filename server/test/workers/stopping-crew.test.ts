/** What the crew does about a worker that dies while all of them stop. */
import type { Worker } from "node:worker_threads";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { SharedWords } from "../../src/workers/shared-words.ts";
import { WorkerCrew } from "../../src/workers/worker-crew.ts";
import { openTestStore, storeEnvOf } from "../test-store.ts";
import { makeDataDir, removeDataDir } from "./worker-server.ts";

const DRAIN_MS = 500;

let dataDir: string;
let crew: WorkerCrew;
let thread: Worker | undefined;
let repaired: number[];

beforeEach(async () => {
  dataDir = await makeDataDir();
  await (await openTestStore(dataDir)).close();
  const settings = { LINEUP_PORT: "0", LINEUP_REQUEST_LOG_DAYS: "0", LINEUP_DRAIN_MS: String(DRAIN_MS) };
  const config = readConfig({ ...(await storeEnvOf(dataDir)), ...settings });
  const words = new SharedWords();
  repaired = [];
  crew = new WorkerCrew({
    count: 1,
    log: pino({ level: "silent" }),
    startOf: (number) => ({ config, number, port: 0, words: words.buffer, limits: undefined }),
    onLine: (line) => line.on("log", () => undefined),
    repairAfter: async (number) => void repaired.push(number),
    onServing: () => undefined,
    onFailed: () => undefined,
    onThread: (started) => {
      thread = started;
    },
  });
  await crew.start();
});
afterEach(async () => {
  await thread?.terminate();
  await removeDataDir(dataDir);
});

test("what it left is put in order, and the stop says that it failed", async () => {
  const stopping = crew.stop(DRAIN_MS);
  await thread?.terminate();
  expect((await stopping).map(String)).toEqual(["Error: The thread has ended."]);
  expect(repaired).toEqual([1]);
});

test("nothing has to be put in order after one that stopped by itself", async () => {
  expect(await crew.stop(DRAIN_MS)).toEqual([]);
  expect(repaired).toEqual([]);
});
