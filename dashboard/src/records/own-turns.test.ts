import { expect, test } from "vitest";
import { takeTurn } from "./own-turns.ts";
import type { AnyRecord } from "./record-kinds.ts";

/** A record of which each write names the version it builds on, as the server has it. */
function makeRecord(version: number, id = `player_${Math.random()}`) {
  const record = { version, writes: [] as number[] };
  const write = (seenAt: number) =>
    takeTurn(id, seenAt, async (last) => {
      const updatedAt = last?.updatedAt ?? seenAt;
      record.writes.push(updatedAt);
      await Promise.resolve();
      if (updatedAt !== record.version) throw new Error("conflict");
      record.version += 10;
      return { id, updatedAt: record.version } as AnyRecord;
    });
  return { record, write };
}

test("a second write before the answer builds on what the first has made", async () => {
  const { record, write } = makeRecord(100);
  await Promise.all([100, 100, 100].map(write));
  expect(record.writes).toEqual([100, 110, 120]);
});

test("a second write after the answer does too, while the page still shows what was before the first", async () => {
  const { record, write } = makeRecord(100);
  for (const seen of [100, 100, 120, 110]) await write(seen);
  expect(record.writes).toEqual([100, 110, 120, 130]);
});

test("what somebody else has written since is not built on", async () => {
  const { record, write } = makeRecord(100);
  await write(100);
  record.version = 115;
  await expect(write(100)).rejects.toThrow("conflict");
});

test("a version that was not one's own is sent as it was seen, and refused", async () => {
  const { record, write } = makeRecord(100);
  const first = write(100);
  await expect(write(90)).rejects.toThrow("conflict");
  await first;
  expect(record.writes).toEqual([100, 90]);
});

test("a write after a refused one builds on what was made before both", async () => {
  const { record, write } = makeRecord(100);
  const first = write(100);
  const refused = write(90);
  const third = write(100);
  await expect(refused).rejects.toThrow("conflict");
  await Promise.all([first, third]);
  expect(record.writes).toEqual([100, 90, 110]);
});

test("a refused write hands on nothing of its own", async () => {
  const { record, write } = makeRecord(100);
  const first = write(90);
  const second = write(90);
  await expect(first).rejects.toThrow("conflict");
  await expect(second).rejects.toThrow("conflict");
  expect(record.writes).toEqual([90, 90]);
});
