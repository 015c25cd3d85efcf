import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  ALLOWED,
  BLOCKED,
  CONTROL_WORDS,
  ENTRY_WORDS,
  type Entry,
  type HammerOptions,
  keyName,
  readLog,
  SharedManualClock,
  TIME_MS,
} from "../../test/limits/shared-hammer.ts";
import { readSharedMemory } from "../../test/limits/shared-memory-check.ts";
import { openMemoryLimiter } from "./memory-limiter.ts";
import type { SharedLimits } from "./shared-coordinator.ts";
import { createSharedLimits } from "./shared-limiter.ts";
import { TimestampList } from "./timestamp-list.ts";

const HAMMER = new URL("../../test/limits/shared-hammer.ts", import.meta.url);

let folder: string;
let file: string;
let control: Int32Array;
let clock: SharedManualClock;
const limitsOpen: SharedLimits[] = [];
const running = new Set<Worker>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-threads-"));
  file = join(folder, "limits.sqlite");
  control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  clock = new SharedManualClock(control);
});

afterEach(async () => {
  for (const worker of running) await worker.terminate();
  for (const limits of limitsOpen.splice(0)) limits.close();
  rmSync(folder, { recursive: true });
});

function createLog(questions: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer((questions + 1) * ENTRY_WORDS * 4));
}

function open(workers: number, flushEveryMs = 3): SharedLimits {
  const limits = createSharedLimits({ file, clock, workers, flushEveryMs });
  limitsOpen.push(limits);
  return limits;
}

/** Ready, and waiting to be allowed to ask. */
async function startHammer(options: HammerOptions): Promise<{ worker: Worker; ended: Promise<unknown> }> {
  const worker = new Worker(HAMMER, { workerData: { isHammer: true, options } });
  running.add(worker);
  const ended = once(worker, "exit").then(() => running.delete(worker));
  await once(worker, "message");
  return { worker, ended };
}

function allow(questions: number): void {
  Atomics.store(control, ALLOWED, questions);
  Atomics.notify(control, ALLOWED);
}

function inOrder(entries: readonly Entry[]): Map<string, Entry[]> {
  const sorted = entries.toSorted((one, other) => one.number - other.number);
  return Map.groupBy(sorted, (entry) => entry.what);
}

/** Asks the oracle what the workers were asked, in the order in which it was decided. */
function replay(entries: readonly Entry[]): TimestampList {
  const oracle = new TimestampList();
  for (const entry of entries) {
    const expected = oracle.take(entry.nowMs, TIER_NAMES[entry.tier] ?? "Free");
    const { minute, day } = expected;
    const windows = [minute.remaining, minute.resetInMs, day.remaining, day.resetInMs];
    const isSame = entry.admitted === expected.admitted && windows.every((value, at) => value === entry.windows[at]);
    if (!isSame) expect(entry).toEqual({ ...entry, admitted: expected.admitted, windows });
  }
  return oracle;
}

function replayAddress(entries: readonly Entry[]): void {
  const times: number[] = [];
  for (const { nowMs, admitted, windows } of entries) {
    const counted = times.filter((time) => nowMs < time + MINUTE_MS);
    const isRoom = counted.length < ADDRESS_LIMIT_PER_MINUTE;
    if (isRoom) times.push(nowMs);
    const left = ADDRESS_LIMIT_PER_MINUTE - counted.length - Number(isRoom);
    const resetInMs = (counted[0] ?? nowMs) + MINUTE_MS - nowMs;
    expect([admitted, ...windows.slice(0, 2)]).toEqual([isRoom, left, resetInMs]);
  }
}

describe("workers that ask at the same time", () => {
  test.each([
    { times: "within minutes", stepsMs: [3, 200, 9_000], keys: 6 },
    { times: "over days, with keys that come and go", stepsMs: [...Array(19).fill(5), 3_000_000], keys: 400 },
  ])(
    "get what the oracle says, in the order in which they are decided, $times",
    async ({ stepsMs, keys }) => {
      const questions = 12_000;
      const limits = open(4);
      const logs = [0, 1, 2, 3].map(() => createLog(questions));
      const workers = await Promise.all(
        logs.map((log, worker) =>
          startHammer({ handle: limits.handle, worker, control, log, questions, keys, addressEvery: 6, stepsMs }),
        ),
      );
      allow(questions);
      await Promise.all(workers.map(({ ended }) => ended));
      const entries = logs.flatMap(readLog);
      expect(entries).toHaveLength(4 * questions);
      const asked = inOrder(entries);
      const { keys: inMemory } = readSharedMemory(limits.handle);
      limits.close();
      const next = openMemoryLimiter({ file, clock });
      let refused = 0;
      for (const [what, decided] of asked) {
        refused += decided.filter((entry) => !entry.admitted).length;
        if (!what.startsWith("key_")) {
          replayAddress(decided);
          continue;
        }
        const oracle = replay(decided);
        const nowMs = Atomics.load(control, TIME_MS);
        const inRing = inMemory.get(what)?.times ?? [];
        // The ring holds the union of what all have admitted, in order; it may not yet have passed what is a day old.
        expect(oracle.times.slice(oracle.times.length - inRing.length)).toEqual(inRing);
        expect(inRing.length).toBeGreaterThanOrEqual(oracle.count("day", nowMs));
        // All of it was written while the workers were counting, and comes back.
        expect(next.peek(what, "Enterprise").windows[1]?.remaining).toBe(100_000 - oracle.count("day", nowMs));
      }
      next.close();
      expect(refused).toBeGreaterThan(100);
    },
    60_000,
  );

  test("admit exactly the limit of a burst together, on the system's clock", async () => {
    const limits = createSharedLimits({ file, workers: 4, flushEveryMs: 3 });
    limitsOpen.push(limits);
    const script = `
      const { parentPort, workerData } = require("node:worker_threads");
      import(${JSON.stringify(new URL("./shared-limiter.ts", import.meta.url).href)}).then(({ joinSharedLimits }) => {
        const { handle, worker, gate } = workerData;
        const limiter = joinSharedLimits(handle, worker);
        Atomics.add(gate, 0, 1);
        Atomics.notify(gate, 0);
        while (Atomics.load(gate, 0) < 4) Atomics.wait(gate, 0, Atomics.load(gate, 0), 10);
        const admitted = [0, 0, 0];
        for (let asked = 0; asked < 1500; asked++) {
          admitted[0] += Number(limiter.take("key_a", "Enterprise").admitted);
          admitted[1] += Number(limiter.take("key_b", "Free").admitted);
          admitted[2] += Number(limiter.takeAddress("2001:db8::" + asked.toString(16)).admitted);
        }
        parentPort.postMessage(admitted);
      });`;
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const counts = await Promise.all(
      [0, 1, 2, 3].map(async (worker) => {
        const thread = new Worker(script, { eval: true, workerData: { handle: limits.handle, worker, gate } });
        running.add(thread);
        thread.once("exit", () => running.delete(thread));
        const [[admitted], ended] = await Promise.all([once(thread, "message"), once(thread, "exit")]);
        expect(ended).toEqual([0]);
        return admitted as number[];
      }),
    );
    const together = [0, 1, 2].map((what) => counts.reduce((sum, count) => sum + (count[what] ?? 0), 0));
    expect(together).toEqual([TIERS.Enterprise.perMinute, TIERS.Free.perMinute, ADDRESS_LIMIT_PER_MINUTE]);
    const { times } = readSharedMemory(limits.handle).keys.get("key_a") ?? { times: [] };
    expect(times).toHaveLength(TIERS.Enterprise.perMinute);
    expect(times.toSorted((one, other) => one - other)).toEqual(times);
  });
});

test("a kill of the whole process forgets at most what its workers admitted in the last second", async () => {
  const url = JSON.stringify(new URL("./shared-limiter.ts", import.meta.url).href);
  const taking = `
    const { workerData } = require("node:worker_threads");
    const { writeSync } = require("node:fs");
    import(${url}).then(({ joinSharedLimits }) => {
      const limiter = joinSharedLimits(workerData.handle, workerData.worker);
      setInterval(() => {
        if (limiter.take("key_a", "Enterprise").admitted) writeSync(1, Date.now() + "\\n");
      }, 8);
    });`;
  const script = `
    import { Worker } from "node:worker_threads";
    import { createSharedLimits } from ${url};
    const { handle } = createSharedLimits({ file: ${JSON.stringify(file)}, workers: 2 });
    for (const worker of [0, 1]) new Worker(${JSON.stringify(taking)}, { eval: true, execArgv: [], workerData: { handle, worker } });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const times: number[] = [];
  for await (const line of createInterface(child.stdout)) {
    times.push(Number(line));
    if (Number(line) - (times[0] ?? 0) >= 1_800) child.kill("SIGKILL");
  }
  await closed;
  const lastMs = Math.max(...times);
  const mustCount = times.filter((time) => time <= lastMs - 1_000).length;
  const next = openMemoryLimiter({ file });
  const remaining = next.peek("key_a", "Enterprise").windows[1]?.remaining ?? Number.NaN;
  next.close();
  expect(mustCount).toBeGreaterThan(20);
  expect(100_000 - remaining).toBeGreaterThanOrEqual(mustCount);
});

describe("a worker that dies", () => {
  test("in the midst of a request holds others up until that is repaired, and its request is not counted", async () => {
    const limits = open(2);
    const questions = 1_000;
    const blocked = { handle: limits.handle, control, questions, keys: 1, addressEvery: 1_000_000, stepsMs: [1] };
    allow(questions);
    const victim = await startHammer({ ...blocked, worker: 0, log: createLog(questions), isToBlock: true });
    await vi.waitFor(() => expect(Atomics.load(control, BLOCKED)).toBe(1));
    const log = createLog(questions);
    const waiting = await startHammer({ ...blocked, worker: 1, log });
    await victim.worker.terminate();
    // The coordinating thread never waits for long, or it could not hear of the death.
    expect(() => limits.flush()).toThrow(/held a lock/);
    expect(Atomics.load(log, 0)).toBe(0);
    limits.repairAfter(0);
    await waiting.ended;
    replay(readLog(log));
    expect(readLog(log).filter((entry) => entry.admitted).length).toBeGreaterThanOrEqual(10);
    expect(readSharedMemory(limits.handle).keys.get(keyName(0))?.times).toHaveLength(
      readLog(log).filter((entry) => entry.admitted).length,
    );
  });

  test("in the midst of an address holds nobody up after that is repaired", async () => {
    const limits = open(2);
    const options = { handle: limits.handle, control, questions: 300, keys: 1, addressEvery: 1, stepsMs: [1] };
    allow(300);
    const victim = await startHammer({ ...options, worker: 0, log: createLog(300), isToBlock: true });
    await vi.waitFor(() => expect(Atomics.load(control, BLOCKED)).toBe(1));
    const log = createLog(300);
    const waiting = await startHammer({ ...options, worker: 1, log });
    await victim.worker.terminate();
    limits.repairAfter(0);
    await waiting.ended;
    for (const entries of inOrder(readLog(log)).values()) replayAddress(entries);
  });

  test("at any moment, again and again, lets no key admit more than its limit and holds nobody up", async () => {
    const limits = open(3);
    const deaths = 30;
    const perDeath = 3_000;
    const others = [createLog(deaths * perDeath), createLog(deaths * perDeath)];
    const options = { handle: limits.handle, control, keys: 300, addressEvery: 4, stepsMs: [2, 200] };
    const workers = await Promise.all(
      others.map((log, index) => startHammer({ ...options, worker: index + 1, log, questions: deaths * perDeath })),
    );
    const victims: Int32Array[] = [];
    for (let death = 1; death <= deaths; death++) {
      const log = createLog(deaths * perDeath);
      victims.push(log);
      const victim = await startHammer({ ...options, worker: 0, log, questions: deaths * perDeath });
      allow(death * perDeath);
      await vi.waitUntil(() => Atomics.load(log, 0) >= death * 3, { interval: 0, timeout: 20_000 });
      await victim.worker.terminate();
      limits.repairAfter(0);
      const isGoingOn = () => others.every((other) => Atomics.load(other, 0) === death * perDeath);
      await vi.waitUntil(isGoingOn, { timeout: 20_000 });
      readSharedMemory(limits.handle);
    }
    await Promise.all(workers.map(({ ended }) => ended));
    const asked = inOrder([...others, ...victims].flatMap(readLog));
    const { keys } = readSharedMemory(limits.handle);
    let unanswered = 0;
    for (const [what, decided] of asked) {
      if (!what.startsWith("key_")) continue;
      const admitted = decided.filter((entry) => entry.admitted);
      expectNoMoreThanLimits(admitted);
      const { firstNumber, times } = keys.get(what) ?? { firstNumber: 0, times: [] };
      expect(firstNumber + times.length).toBeGreaterThanOrEqual(admitted.length);
      unanswered += firstNumber + times.length - admitted.length;
    }
    // Each may have been counted for one request that it did not live to answer, and nothing else was.
    expect(unanswered).toBeLessThanOrEqual(deaths);
  });
});

/** Within the minute before any of them, no more were admitted than the tier allowed that it was asked for with. */
function expectNoMoreThanLimits(admitted: readonly Entry[]): void {
  const tooMany = admitted.filter((entry, index) => {
    const limit = TIERS[TIER_NAMES[entry.tier] ?? "Free"].perMinute;
    const before = admitted[index - limit];
    return before !== undefined && entry.nowMs - before.nowMs < MINUTE_MS;
  });
  expect(tooMany).toEqual([]);
}
