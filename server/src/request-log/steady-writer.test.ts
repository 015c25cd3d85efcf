import { expect, test } from "vitest";
import { SteadyWriter } from "./steady-writer.ts";

/** A writer whose writes end when they are told to, with what each was asked for. */
function makeWriter() {
  const begun: { readonly isEarly: boolean; end(error?: Error): void }[] = [];
  const told: string[] = [];
  const writer = new SteadyWriter({
    write: (isEarly) =>
      new Promise((resolve, reject) => {
        begun.push({ isEarly, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    pauseMs: () => 60_000,
    hasMore: () => false,
    onFault: (error) => told.push(`fault ${String(error)}`),
    onRecovery: () => told.push("recovery"),
  });
  return { writer, begun, told };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("whoever asks for all waits for what is under way and then has all written, together with others who ask meanwhile", async () => {
  const { writer, begun } = makeWriter();
  writer.runEarly();
  writer.runEarly();
  expect(begun.map(({ isEarly }) => isEarly)).toEqual([true]);
  const asked = [writer.run(), writer.run()];
  await settled();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await settled();
  expect(begun.map(({ isEarly }) => isEarly)).toEqual([true, false]);
  // What comes now may be too late for the one under way.
  const later = writer.run();
  begun[1]?.end();
  expect(await Promise.all(asked)).toEqual([true, true]);
  await settled();
  expect(begun.map(({ isEarly }) => isEarly)).toEqual([true, false, false]);
  begun[2]?.end();
  expect(await later).toBe(true);
});

test("no early write comes between what is under way and all that is to follow it", async () => {
  const { writer, begun } = makeWriter();
  writer.runEarly();
  const asked = writer.run();
  begun[0]?.end();
  // At every step from there to the next.
  while (begun.length < 2) {
    await undefined;
    writer.runEarly();
  }
  expect(begun[1]?.isEarly).toBe(false);
  begun[1]?.end();
  expect(await asked).toBe(true);
  writer.runEarly();
  expect(begun[2]?.isEarly).toBe(true);
});

test("tells of a fault once, and again when it is over; and can be asked again after either", async () => {
  const { writer, begun, told } = makeWriter();
  for (const error of [new Error("full"), new Error("full"), undefined, undefined]) {
    const asked = writer.run();
    begun.at(-1)?.end(error);
    expect(await asked).toBe(error === undefined);
  }
  expect(told).toEqual(["fault Error: full", "recovery"]);
  expect([writer.faults, writer.isFaulty]).toEqual([2, false]);
});
