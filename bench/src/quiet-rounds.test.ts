import { expect, it } from "vitest";
import { inTurn, renderCalm, sumCalm, takeQuietRounds } from "./quiet-rounds.ts";
import type { StolenClock } from "./stolen-time.ts";

/** Rounds of which each is robbed of so much of its time; what is measured is the round's number. */
async function takeRobbed(wanted: number, shares: readonly number[]) {
  let [stolenMs, now] = [0, 0];
  const clock: StolenClock = { cores: 2, readMs: () => stolenMs, now: () => now };
  const attempts: number[] = [];
  const taken = await takeQuietRounds(clock, wanted, async (attempt) => {
    attempts.push(attempt);
    now += 1_000;
    stolenMs += (shares[attempt] ?? 0) * 2_000;
    return attempt;
  });
  return { ...taken, attempts };
}

it("takes as many rounds as are wanted, and no more where the host left the machine alone", async () => {
  const { rounds, attempts, calm } = await takeRobbed(4, []);
  expect(rounds).toEqual([0, 1, 2, 3]);
  expect(attempts).toEqual([0, 1, 2, 3]);
  expect(calm).toMatchObject({ stolenMs: 0, putAside: 0 });
});

it("takes rounds again in which the host kept the cores to itself, and counts them", async () => {
  const { rounds, calm } = await takeRobbed(4, [0.01, 0.011, 0, 0.5, 0, 0]);
  expect(rounds).toEqual([0, 2, 4, 5]);
  expect(calm).toEqual({ stolenMs: 20, coreMs: 8_000, putAside: 2 });
});

it("ends with the least disturbed where the host never leaves the machine alone", async () => {
  const { rounds, attempts, calm } = await takeRobbed(3, [0.4, 0.1, 0.8, 0.2, 0.6, 0]);
  expect(attempts).toHaveLength(6);
  expect(rounds).toEqual([1, 3, 5]);
  expect(calm.putAside).toBe(3);
});

it("tries a single round three times at most", async () => {
  expect((await takeRobbed(1, [0.3, 0.2, 0.9, 0])).attempts).toEqual([0, 1, 2]);
  expect((await takeRobbed(1, [0.3, 0.2, 0.9, 0])).rounds).toEqual([1]);
});

it("measures all in turn, every other round the other way round, and keeps whose is whose", async () => {
  const order: string[] = [];
  const measure = async (one: string) => {
    order.push(one);
    return one.toUpperCase();
  };
  expect(await inTurn(["a", "b", "c"], 0, measure)).toEqual(["A", "B", "C"]);
  expect(await inTurn(["a", "b", "c"], 1, measure)).toEqual(["A", "B", "C"]);
  expect(order.join("")).toBe("abccba");
});

it("says nothing of a quiet run, what was taken again of another, and that a third tells little", () => {
  const quiet = { stolenMs: 1, coreMs: 1_000, putAside: 0 };
  expect(renderCalm(quiet)).toEqual([]);
  expect(renderCalm({ ...quiet, putAside: 1 })).toEqual([
    "The host of this machine kept more than 1 % of the cores' time to itself in 1 round, which was taken again; in those that count it was 0.1 %.",
  ]);
  expect(
    renderCalm(
      sumCalm([
        { ...quiet, putAside: 1 },
        { ...quiet, stolenMs: 3, putAside: 2 },
      ]),
    ),
  ).toEqual([
    "The host of this machine kept more than 1 % of the cores' time to itself in 3 rounds, which were taken again; in those that count it was 0.2 %.",
  ]);
  expect(renderCalm({ ...quiet, stolenMs: 52 })).toEqual([
    "The host of this machine kept 5.2 % of the cores' time to itself in the rounds that count: these figures say more about it than about Lineup.",
  ]);
  expect(renderCalm({ ...quiet, stolenMs: 52, putAside: 3 })).toEqual([
    "The host of this machine kept 5.2 % of the cores' time to itself in the rounds that count, and more of it in 3 that were put aside: these figures say more about it than about Lineup.",
  ]);
});
