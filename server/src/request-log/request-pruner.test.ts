import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, HOUR_MS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillLog, makeRecord, openTestBlocks, requestIdAt, walkLog } from "../../test/request-log/logged-requests.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { dropTestStore, openTestStore, runSql } from "../../test/test-store.ts";
import { createOrganization, deleteOrganization } from "../access/organizations.ts";
import type { Store } from "../store/store.ts";
import type { BlockStore } from "./request-block.ts";
import { RequestPruner } from "./request-log.ts";

const NOW = Date.UTC(2026, 5, 15, 12);
let dataDir: string;
let store: Store;
let blocks: BlockStore;
let orgId: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "lineup-pruning-"));
  store = await openTestStore(dataDir);
  blocks = openTestBlocks(dataDir, store);
  orgId = (await createOrganization(store, { name: "Pruned" }, TEST_ORIGIN)).id;
});
afterEach(async () => {
  await blocks.close();
  await store.close();
  await dropTestStore(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

async function putRequests(count: number, at: number, owner = orgId): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => makeRecord(owner, { id: requestIdAt(at + index) }));
  await fillLog(blocks, records, 3);
}

async function countRequests(owner = orgId): Promise<number> {
  return (await walkLog(blocks, owner, {}, 10_000)).requests.length;
}

const pruner = (retentionDays: number) => new RequestPruner({ store, blocks, retentionDays });

describe("pruning", () => {
  it("removes requests that are older than they are kept, and no others", async () => {
    await putRequests(500, NOW - 7 * DAY_MS - 10_000);
    await putRequests(40, NOW - 7 * DAY_MS + 10_000);
    await pruner(7).prune(NOW);
    expect(await countRequests()).toBe(40);
  });

  it("empties the log where no requests are kept", async () => {
    await putRequests(300, NOW - 1_000);
    await pruner(0).prune(NOW);
    expect(await countRequests()).toBe(0);
  });

  it("removes the requests of an organization that was deleted, and leaves those of others", async () => {
    const gone = (await createOrganization(store, { name: "Gone" }, TEST_ORIGIN)).id;
    await putRequests(700, NOW - 1_000, gone);
    await putRequests(30, NOW - 1_000);
    const standing = pruner(7);
    await standing.prune(NOW);
    expect([await countRequests(gone), await countRequests()]).toEqual([700, 30]);
    await deleteOrganization(store, gone, TEST_ORIGIN);
    await standing.prune(NOW);
    expect([await countRequests(gone), await countRequests()]).toEqual([0, 30]);
    // What was on its way while the organization went comes later.
    await putRequests(4, NOW - 500, gone);
    await standing.prune(NOW);
    expect(await countRequests(gone)).toBe(0);
  });

  it("removes counts of use after 400 days, in steps, and keeps younger ones", async () => {
    const thisHour = Math.floor(NOW / HOUR_MS);
    const rows = Array.from({ length: 900 }, (_, hours) => ({
      org_id: orgId,
      key_id: "key_1",
      hour: thisHour - 400 * 24 - 450 + hours,
      endpoint: "listPlayers",
      status: 200,
      requests: 1,
      duration_us: 1,
    }));
    await store.writeUse((db) => db.insertInto("key_usage").values(rows).execute());
    await pruner(7).prune(NOW);
    const [left] = await runSql(dataDir, "SELECT min(hour) AS first, count(*) AS rows FROM key_usage");
    expect(left).toEqual({ first: thisHour - 400 * 24, rows: 450 });
  });

  it("removes the answers to writes once they count no more, in steps and by several at once, and keeps younger ones", async () => {
    const before = await store.revisionOf(orgId);
    const answer = { request_hash: "0".repeat(64), record_id: "player_1", body: "{}" };
    const rows = Array.from({ length: 900 }, (_, index) => ({
      org_id: orgId,
      key_id: `key_${index % 3}`,
      idempotency_key: `write ${index}`,
      ...answer,
      created_at: NOW - DAY_MS - 449 + index,
    }));
    await store.writeUse((db) => db.insertInto("idempotent_writes").values(rows).execute());
    await Promise.all([pruner(7).prune(NOW), pruner(7).prune(NOW), pruner(7).prune(NOW)]);
    const [left] = await runSql(dataDir, "SELECT min(created_at) AS first, count(*) AS rows FROM idempotent_writes");
    expect(left).toEqual({ first: NOW - DAY_MS + 1, rows: 450 });
    expect(await store.revisionOf(orgId)).toBe(before);
  });

  it("is done by several servers at once without one failing", async () => {
    await putRequests(900, NOW - 8 * DAY_MS);
    await Promise.all([pruner(7).prune(NOW), pruner(7).prune(NOW), pruner(7).prune(NOW)]);
    expect(await countRequests()).toBe(0);
  });
});
