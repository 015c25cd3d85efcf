/** Ids of threads that count up together; here one thread, whose clock does what clocks do. */
import { TypeID } from "typeid-js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const START_MS = Date.UTC(2040, 0, 1);
const MINUTE_MS = 60_000;

let makeId: typeof import("./ids.ts").makeId;
let shareIds: typeof import("./ids.ts").shareIds;
// Ids never go back, so what is made here at a later time would hold for all files after this one in the same process.
beforeEach(async () => {
  vi.resetModules();
  ({ makeId, shareIds } = await import("./ids.ts"));
});
afterEach(() => {
  vi.resetModules();
  vi.useRealTimers();
});

function msOf(id: string): number {
  return Number.parseInt(TypeID.fromString(id).toUUID().replaceAll("-", "").slice(0, 12), 16);
}

test("ids that are counted together bear the moment they were made, however long nobody made one, and never go back", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(START_MS);
  shareIds(new BigInt64Array(new SharedArrayBuffer(8)), true);
  let [nowMs, last] = [START_MS, makeId("req")];
  expect(msOf(last)).toBe(START_MS);
  // A machine that slept, for less and for more than any part of the millisecond's digits goes round in.
  for (const sleptMs of [
    1,
    8 * MINUTE_MS,
    10 * MINUTE_MS,
    18 * MINUTE_MS,
    25 * 60 * MINUTE_MS,
    50 * 24 * 60 * MINUTE_MS,
  ]) {
    nowMs += sleptMs;
    vi.setSystemTime(nowMs);
    const id = makeId("req");
    expect(msOf(id)).toBe(nowMs);
    expect(id > last).toBe(true);
    last = id;
  }
  for (const backMs of [1, 10 * MINUTE_MS, 365 * 24 * 60 * MINUTE_MS]) {
    vi.setSystemTime(nowMs - backMs);
    const id = makeId("req");
    expect(msOf(id)).toBe(nowMs);
    expect(id > last).toBe(true);
    last = id;
  }
});

test("what another thread has counted is gone on from, into the next millisecond where one is full", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const nowMs = Date.UTC(2050, 0, 1);
  vi.setSystemTime(nowMs);
  const ticket = new BigInt64Array(new SharedArrayBuffer(8));
  shareIds(ticket, true);
  Atomics.store(ticket, 0, (BigInt(nowMs + 5) << 12n) + 4_094n);
  const ids = [makeId("req"), makeId("req"), makeId("req")];
  expect(ids.map(msOf)).toEqual([nowMs + 5, nowMs + 6, nowMs + 6]);
  expect(ids.toSorted()).toEqual(ids);
});
