import { expect, it } from "vitest";
import { inTurn, renderCalm, takeQuietRounds } from "./quiet-rounds.ts";
import type { StolenClock } from "./stolen-time.ts";

/** Rounds of which each is robbed of so much of its time; what is measured is how many there were before. */
async function takeRobbed(wanted: number, shares: readonly number[]) {
  let [stolenMs, now] = [0, 0];
  const clock: StolenClock = { cores: 2, readMs: () => stolenMs, now: () => now };
  const turns: string[] = [];
  const taken = await takeQuietRounds(clock, wanted, async (turn, isAgain) => {
    const attempt = turns.length;
    turns.push(isAgain ? `${turn}, again` : `${turn}`);
    now += 1_000;
    stolenMs += (shares[attempt] ?? 0) * 2_000;
    return attempt;
  });
  return { ...taken, turns };
}

it("takes as many rounds as are wanted, and no more where the host left the machine alone", async () => {
  const { rounds, turns, calm } = await takeRobbed(4, []);
  expect(rounds).toEqual([0, 1, 2, 3]);
  expect(turns).toEqual(["0", "1", "2", "3"]);
  expect(calm).toMatchObject({ stolenMs: 0, putAside: 0 });
});

it("takes rounds again in which the host kept the cores to itself, in their turn, and counts them", async () => {
  const { rounds, turns, calm } = await takeRobbed(4, [0.01, 0.011, 0, 0.5, 0, 0]);
  expect(rounds).toEqual([0, 2, 4, 5]);
  expect(turns).toEqual(["0", "1", "1, again", "2, again", "2, again", "3, again"]);
  expect(calm).toEqual({ stolenMs: 20, coreMs: 8_000, putAside: 2 });
});

it("ends with the least disturbed where the host never leaves the machine alone", async () => {
  const { rounds, turns, calm } = await takeRobbed(3, [0.4, 0.1, 0.8, 0.2, 0.6, 0]);
  expect(turns).toHaveLength(6);
  expect(rounds).toEqual([1, 3, 5]);
  expect(calm.putAside).toBe(3);
});

it("tries a single round three times at most", async () => {
  const { rounds, turns } = await takeRobbed(1, [0.3, 0.2, 0.9, 0]);
  expect(turns).toHaveLength(3);
  expect(rounds).toEqual([1]);
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

it("says nothing of a quiet run, what was put aside of another, and which part of a third tells little", () => {
  const quiet = { title: "one player", calm: { stolenMs: 1, coreMs: 1_000, putAside: 0 } };
  const again = { title: "a list of 200", calm: { stolenMs: 1, coreMs: 1_000, putAside: 1 } };
  const troubled = { title: "a POST", calm: { stolenMs: 52, coreMs: 1_000, putAside: 2 } };
  const more = "The host of this machine kept more than 1 % of the cores' time to itself in";
  expect(renderCalm([quiet, quiet])).toEqual([]);
  expect(renderCalm([quiet, again])).toEqual([`${more} 1 round, which was put aside.`]);
  // However many others were quiet.
  expect(renderCalm([again, troubled, ...Array.from({ length: 20 }, () => quiet)])).toEqual([
    `${more} 3 rounds, which were put aside.`,
    "In rounds that count it kept too much as well (a POST 5.2 %): those figures say more about the host than about Lineup.",
  ]);
});
