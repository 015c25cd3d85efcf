import { expect, test } from "vitest";
import { type BulkTask, runBulk, undoTasks } from "./bulk-run.ts";

const NEVER = new AbortController().signal;
const quiet = () => undefined;
const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

test("runs every task once, four at a time, and says how far it is", async () => {
  let running = 0;
  let most = 0;
  const ran: number[] = [];
  const told: number[] = [];
  const tasks = Array.from({ length: 25 }, (_, of) => ({
    of,
    run: async () => {
      most = Math.max(most, ++running);
      await tick();
      running--;
      ran.push(of);
      return tick;
    },
  }));
  const { changed, refused, untried } = await runBulk(tasks, (done) => told.push(done), NEVER);
  expect([changed.length, refused.length, untried, most]).toEqual([25, 0, 0, 4]);
  expect(ran.toSorted((a, b) => a - b)).toEqual(tasks.map(({ of }) => of));
  expect(told).toEqual(tasks.map(({ of }) => of + 1));
});

test("one that is refused stops no other, and only what was changed is taken back", async () => {
  const values = new Map([
    ["a", 0],
    ["b", 0],
    ["c", 0],
  ]);
  const tasks: BulkTask<string>[] = [...values.keys()].map((of) => ({
    of,
    run: async () => {
      if (of === "b") throw new Error("no");
      values.set(of, 1);
      return async () => values.set(of, 0);
    },
  }));
  const outcome = await runBulk(tasks, quiet, NEVER);
  expect(outcome.refused.map(({ of, reason }) => [of, String(reason)])).toEqual([["b", "Error: no"]]);
  expect([...values.values()]).toEqual([1, 0, 1]);
  const back = await runBulk(undoTasks(outcome), quiet, NEVER);
  expect(back.changed.map(({ of }) => of)).toEqual(["c", "a"]);
  expect([...values.values()]).toEqual([0, 0, 0]);
});

test("once stopped it begins no more", async () => {
  const stop = new AbortController();
  const tasks = Array.from({ length: 50 }, (_, of) => ({
    of,
    run: async () => {
      if (of === 5) stop.abort();
      await tick();
      return tick;
    },
  }));
  const { changed, untried } = await runBulk(tasks, quiet, stop.signal);
  expect(changed.length).toBeLessThan(12);
  expect(changed.length + untried).toBe(50);
});
