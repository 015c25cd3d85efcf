import { expect, test, vi } from "vitest";
import { RepeatedWork } from "./repeated-work.ts";

/** Work that ends when it is told to. */
function makeWork() {
  const begun: { end(error?: Error): void }[] = [];
  const told: string[] = [];
  const work = new RepeatedWork({
    work: () =>
      new Promise<void>((resolve, reject) => {
        begun.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    pauseMs: () => 60_000,
    onFault: (error) => told.push(`fault ${String(error)}`),
    onRecovery: () => told.push("recovery"),
  });
  return { work, begun, told };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("runs one after another, each whole", async () => {
  const { work, begun } = makeWork();
  const asked = [work.run(), work.run(), work.run()];
  for (const runs of [1, 2, 3]) {
    await settled();
    expect(begun).toHaveLength(runs);
    begun.at(-1)?.end();
  }
  await Promise.all(asked);
});

test("tells of a fault once, and again when it is over; and can be asked again after either", async () => {
  const { work, begun, told } = makeWork();
  for (const error of [new Error("full"), new Error("full"), undefined, undefined]) {
    const asked = work.run();
    await settled();
    begun.at(-1)?.end(error);
    await asked;
    expect(work.isFaulty).toBe(error !== undefined);
  }
  expect(told).toEqual(["fault Error: full", "recovery"]);
  expect(work.faults).toBe(2);
});

test("runs by itself again and again, until it is stopped", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { work, begun } = makeWork();
    for (const runs of [1, 2, 3]) {
      vi.advanceTimersByTime(60_000);
      await settled();
      expect(begun).toHaveLength(runs);
      begun.at(-1)?.end();
      await settled();
    }
    await work.stop();
    vi.advanceTimersByTime(600_000);
    await settled();
    expect(begun).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});
