import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { drillCount, SEED } from "../drill-count.ts";
import { ManualClock } from "../manual-clock.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { dropTestStore, ENGINE, openTestStore } from "../test-store.ts";
import { READ_PATHS } from "./questions.ts";
import { walk } from "./walk.ts";

const MANY = 50_000;
const STEPS = drillCount("stale-answers", 2_500, MANY);
const ORGANIZATIONS = 8;
const WRITE_PATHS = ["POST /players", "PATCH /players", "POST /prospects", "PATCH /prospects"];
/** An Enterprise key never waits; the others sometimes do, and are told so. */
const TIERS = { Enterprise: 6, Pro: 3, Basic: 1 };

const clock = new ManualClock(Date.UTC(2026, 0, 1));
let dataDir: string;
let server: TestServer;
let elsewhere: Store;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-stale-"));
  server = await startTestServer({ clock, dataDir });
  elsewhere = await openTestStore(dataDir);
});

afterAll(async () => {
  await elsewhere.close();
  await server.stop();
  await dropTestStore(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

test(`no answer is stale in ${STEPS} random steps, with time moving`, async () => {
  const tally = await walk({
    servers: [server],
    clock,
    elsewhere,
    seesAtOnce: ENGINE === "sqlite",
    countsHere: true,
    tiers: TIERS,
    seed: SEED,
    steps: STEPS,
    organizations: ORGANIZATIONS,
  });
  // What comes seldom need not come in a short walk.
  if (STEPS < MANY) return;
  // A walk that is always refused, or never answered from memory, would prove little.
  const least = (kind: string, share: number, ...names: readonly string[]) => {
    // How many steps an action takes depends on the machine: until a write is seen, one asks again.
    const all = kind === "action" ? tally.all(kind) : STEPS;
    for (const name of names) expect(tally.of(kind, name), `${kind} ${name}\n${tally}`).toBeGreaterThan(all * share);
  };
  least("path", 0.003, ...READ_PATHS, ...WRITE_PATHS, "/me");
  least("status", 0.05, "200", "304");
  least("status", 0.001, "201", "400", "401", "403", "404");
  least("manner", 0.01, "HEAD", "br", "gzip", "conditional");
  least("action", 0.005, "race", "burst", "write", "past", "access");
  least("time", 0.002, "boundary");
  expect(await readHits(server), `${tally}`).toBeGreaterThan(STEPS * 0.15);
});

/** How many answers came from memory. */
async function readHits({ origin }: TestServer): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/lineup_answer_cache_reads\{outcome="hit"\} (\d+)/.exec(metrics)?.[1]);
}
