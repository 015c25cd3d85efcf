import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PERMISSIONS } from "@lineup/api/permissions";
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { prepareServer } from "../durability/server-process.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { openTestStore } from "../test-store.ts";
import { countOf, describeLimits } from "./limit-headers.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-limits-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

function send(server: TestServer, key: string, count: number) {
  return Promise.all(Array.from({ length: count }, () => call(server, "GET", "/teams", { key })));
}

describe("a clean stop forgets nothing", () => {
  test("of the minute: what was counted leaves exactly when it would have, though the wall clock was set ahead", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1), 5_000, "this boot");
    const first = await startTestServer({ dataDir, clock });
    const { key } = await makeKey(first, await makeOrg(first, "Free"));
    expect(countOf(await send(first, key, 7), 200)).toBe(7);
    await first.stop();
    clock.advance(20_000);
    clock.jumpWall(3_600_000);
    const second = await startTestServer({ dataDir, clock });
    expect(countOf(await send(second, key, 10), 200)).toBe(3);
    clock.advance(MINUTE_MS - 20_000 - 1);
    expect(countOf(await send(second, key, 1), 429)).toBe(1);
    clock.advance(1);
    expect(countOf(await send(second, key, 10), 200)).toBe(7);
    await second.stop();
  });

  test("of the day, over any number of restarts, and a refused request is not counted on the way", async () => {
    const clock = new ManualClock();
    let server = await startTestServer({ dataDir, clock });
    const { key } = await makeKey(server, await makeOrg(server, "Free"));
    const firstAt = clock.wallMs();
    for (let restart = 0; restart < 5; restart++) {
      for (let minute = 0; minute < 2; minute++) {
        expect(countOf(await send(server, key, 14), 200)).toBe(10);
        clock.advance(MINUTE_MS);
      }
      await server.stop();
      server = await startTestServer({ dataDir, clock });
    }
    const [refused] = await send(server, key, 1);
    expect(refused?.body.error.message).toContain("100 requests a day");
    clock.advance(firstAt + DAY_MS - clock.wallMs() - 1);
    expect(countOf(await send(server, key, 1), 429)).toBe(1);
    clock.advance(1);
    expect(countOf(await send(server, key, 1), 200)).toBe(1);
    await server.stop();
  });
});

test("kill -9 forgets at most what was admitted in the last second", async () => {
  const store = await openTestStore(dataDir);
  const { id: orgId } = await createOrganization(store, { name: "Killed", tier: "Basic" }, TEST_ORIGIN);
  const { key } = await createKey(store, { orgId, name: "Counted", permissions: PERMISSIONS }, TEST_ORIGIN);
  await store.close();
  const [first, second] = [await prepareServer(dataDir), await prepareServer(dataDir)];
  try {
    const killed = await first.start();
    const ask = (baseUrl: string) => fetch(`${baseUrl}/teams`, { headers: { authorization: `Bearer ${key}` } });
    for (let sent = 0; sent < 20; sent++) expect((await ask(killed.baseUrl)).status).toBe(200);
    await sleep(1_000);
    for (let sent = 0; sent < 5; sent++) expect((await ask(killed.baseUrl)).status).toBe(200);
    await killed.kill();
    const next = await second.start();
    const { limit, remaining } = describeLimits(await ask(next.baseUrl));
    const remembered = limit - remaining - 1;
    expect(remembered).toBeGreaterThanOrEqual(20);
    expect(remembered).toBeLessThanOrEqual(25);
  } finally {
    await Promise.all([first.discard(), second.discard()]);
  }
});
