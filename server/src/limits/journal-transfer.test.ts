import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { canStart } from "../../test/services/provided-services.ts";
import { startOwnRedis } from "../../test/services/redis.ts";
import { exportJournal, importIntoJournal, readLastUsed } from "./journal-transfer.ts";
import { MemoryLimiter } from "./memory-limiter.ts";
import { connectCommandToRedis, exportAdmissions, importAdmissions } from "./redis-admissions.ts";
import { openRedisLimiter } from "./redis-limiter.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-transfer-"));
  file = join(folder, "limits.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A server that ran and stopped. */
function runServer(path: string, requests: Readonly<Record<string, number>>): void {
  const limiter = new MemoryLimiter({ file: path });
  for (const [keyId, count] of Object.entries(requests)) {
    for (let sent = 0; sent < count; sent++) limiter.take(keyId, "Basic");
  }
  limiter.close();
}

function remainingAt(path: string, keyId: string): number {
  const limiter = new MemoryLimiter({ file: path });
  const { remaining } = limiter.peek(keyId, "Basic").governing;
  limiter.close();
  return remaining;
}

describe("Counted requests", () => {
  test("come out of one journal and into another to the millisecond", async () => {
    runServer(file, { key_a: 5, key_b: 300 });
    const other = join(folder, "other.db");
    const exported = [...exportJournal(file, ["key_a", "key_b", "key_unused"])];
    expect(exported.map(({ keyId, admissions }) => [keyId, admissions.length])).toEqual([
      ["key_a", 5],
      ["key_b", 60],
    ]);
    expect(await importIntoJournal(other, exported)).toBe(65);
    expect([...exportJournal(other, ["key_a", "key_b"])]).toEqual(exported);
    expect(remainingAt(other, "key_a")).toBe(55);
  });

  test("are not counted again by an import that is repeated, nor taken from what was there", async () => {
    runServer(file, { key_a: 5 });
    const exported = [...exportJournal(file, ["key_a"])];
    const other = join(folder, "other.db");
    runServer(other, { key_a: 3 });
    const before = [...exportJournal(other, ["key_a"])][0]?.admissions.length ?? 0;
    await importIntoJournal(other, exported);
    const after = [...exportJournal(other, ["key_a"])];
    expect(await importIntoJournal(other, exported)).toBe(0);
    expect([...exportJournal(other, ["key_a"])]).toEqual(after);
    expect(after[0]?.admissions.length).toBeGreaterThanOrEqual(Math.max(before, 5));
  });

  test("are added to a key of which the log has more than its snapshot, as one whose last use is the latest of both", async () => {
    const nowMs = Date.now();
    await importIntoJournal(file, [
      { keyId: "key_a", admissions: [nowMs - 9_000, nowMs - 8_000], lastUsedAt: nowMs - 8_000 },
    ]);
    runServer(file, { key_a: 2, key_b: 1 });
    const [before] = [...exportJournal(file, ["key_a"])];
    // As the journal has it now: a correction of the wall clock while the server ran would have moved it.
    const [first = 0, second = 0, ...later] = before?.admissions ?? [];
    const early = [nowMs - 20_000, second, second];
    expect(await importIntoJournal(file, [{ keyId: "key_a", admissions: early, lastUsedAt: second }])).toBe(2);
    const [after] = [...exportJournal(file, ["key_a"])];
    expect(later).toHaveLength(2);
    expect(after?.admissions).toEqual([nowMs - 20_000, first, second, second, ...later]);
    expect([after?.lastUsedAt, readLastUsed(file).get("key_a")]).toEqual([before?.lastUsedAt, before?.lastUsedAt]);
    expect(remainingAt(file, "key_a")).toBe(54);
  });

  test("older than a day are left behind, and the last use is not", async () => {
    const lastUsedAt = Date.now() - 3 * DAY_MS;
    expect(await importIntoJournal(file, [{ keyId: "key_old", admissions: [lastUsedAt], lastUsedAt }])).toBe(0);
    expect(readLastUsed(file)).toEqual(new Map([["key_old", lastUsedAt]]));
    expect([...exportJournal(file, ["key_old"])]).toEqual([{ keyId: "key_old", admissions: [], lastUsedAt }]);
  });

  test("are none where there is no journal, and none is made by looking", () => {
    expect([...exportJournal(file, ["key_a"])]).toEqual([]);
    expect(() => rmSync(file)).toThrow("ENOENT");
  });

  test.skipIf(!canStart("redis"))("move into Redis and back, and hold there", async () => {
    const redis = await startOwnRedis();
    try {
      runServer(file, { key_a: 5, key_b: 60 });
      const exported = [...exportJournal(file, ["key_a", "key_b"])];
      const link = await connectCommandToRedis(redis.url);
      expect(await importAdmissions(link, exported)).toBe(65);
      expect(await importAdmissions(link, exported)).toBe(0);
      expect(await Array.fromAsync(exportAdmissions(link, ["key_a", "key_b"]))).toEqual(exported);
      const limiter = await openRedisLimiter({ url: redis.url });
      expect(await limiter.take("key_a", "Basic")).toMatchObject({ admitted: true, governing: { remaining: 54 } });
      expect(await limiter.take("key_b", "Basic")).toMatchObject({ admitted: false });
      await limiter.close();
      const back = join(folder, "back.db");
      expect(await importIntoJournal(back, exportAdmissions(link, ["key_a", "key_b"]))).toBe(66);
      link.destroy();
      expect(remainingAt(back, "key_a")).toBe(54);
    } finally {
      await redis.stop();
    }
  });
});
