import { afterAll, beforeAll, expect, test } from "vitest";
import { makeRecord, openTestLog, type TestLog, walkLog } from "../../test/request-log/logged-requests.ts";
import { BlockQueue } from "./block-queue.ts";
import type { BlockStore } from "./block-store.ts";
import type { KeyInUse } from "./use-counts.ts";

const ORG = "org_01h2xcejqtf2nbrexx3vqjhp41";
let log: TestLog;
let blocks: BlockStore;

beforeAll(async () => {
  log = await openTestLog();
  blocks = log.blocks;
});
afterAll(() => log?.close());

test("gives up a block once all of it is in the store and nothing is added any more, and not before", async () => {
  const queue = new BlockQueue(blocks);
  const key: KeyInUse = { orgId: ORG, keyId: "key_0a", counts: [], block: undefined, place: 0 };
  const ids: string[] = [];
  const add = (count: number) => {
    for (let left = count; left > 0; left--) {
      const record = makeRecord(ORG, { keyId: key.keyId });
      ids.push(record.id);
      queue.add(record, key, Date.now());
    }
    return key.block;
  };

  const full = add(500);
  expect(full?.isClosed).toBe(true);
  expect(full?.toRow().requests).toBe(500);
  const open = add(10);
  await queue.write();
  expect(() => full?.toRow()).toThrow(/given up/);
  expect(open?.toRow().requests).toBe(10);

  // It is added to while it is written, so that there is more of it to write.
  add(60);
  const writing = queue.write();
  expect(add(1)).toBe(open);
  await writing;
  expect(open?.isClosed).toBe(true);
  expect(open?.toRow().requests).toBe(71);
  await queue.write();
  expect(() => open?.toRow()).toThrow(/given up/);

  // One that is written and grows old.
  const old = add(5);
  await queue.write();
  expect(old?.toRow().requests).toBe(5);
  queue.closeOld(Date.now() + 3_600_000);
  expect(() => old?.toRow()).toThrow(/given up/);

  const { requests } = await walkLog(blocks, ORG, {}, 100);
  expect(requests.map(({ id }) => id)).toEqual(ids.toReversed());
});

test("writes only what is full where it is told so, and the rest when all is written", async () => {
  const queue = new BlockQueue(blocks);
  const key: KeyInUse = { orgId: ORG, keyId: "key_0c", counts: [], block: undefined, place: 0 };
  for (let left = 510; left > 0; left--) queue.add(makeRecord(ORG, { keyId: key.keyId }), key, Date.now());
  await queue.write("closed");
  expect([queue.written, queue.closedBlocks, queue.isEmpty, queue.countUnwritten()]).toEqual([500, 0, false, 10]);
  await queue.write();
  expect([queue.written, queue.blocksWritten, queue.isEmpty]).toEqual([510, 1, true]);
});
