import { expect, it } from "vitest";
import { openStolenClock, shareOf, watchStolen } from "./stolen-time.ts";

/** As Linux writes it, of three cores that were robbed of so many ticks. */
function statOf(...stolen: readonly number[]): string {
  const cores = stolen.map((ticks, core) => `cpu${core} 900 11 300 7000 40 0 5 ${ticks} 0 0`);
  return [
    `cpu  2700 33 900 21000 120 0 15 ${stolen.reduce((sum, ticks) => sum + ticks, 0)} 0 0`,
    ...cores,
    "ctxt 7",
  ].join("\n");
}

it("reads what was stolen from the cores that are used", () => {
  let stat = statOf(1, 20, 300);
  const pinned = openStolenClock({ server: 2, load: 0 }, () => stat);
  expect(pinned?.cores).toBe(2);
  expect(pinned?.readMs()).toBe(3_010);
  stat = statOf(2, 20, 301);
  expect(pinned?.readMs()).toBe(3_030);
});

it("reads it of all cores where nothing is pinned", () => {
  const clock = openStolenClock(undefined, () => statOf(1, 20, 300));
  expect(clock?.cores).toBe(3);
  expect(clock?.readMs()).toBe(3_210);
});

it.each([
  ["a system without such a file", ""],
  ["one that does not tell", "cpu 1 2 3 4\ncpu0 1 2 3 4\ncpu1 1 2 3 4\n"],
])("knows nothing on %s", (_, stat) => {
  expect(openStolenClock(undefined, () => stat)).toBeUndefined();
  expect(openStolenClock({ server: 0, load: 1 }, () => stat)).toBeUndefined();
});

it("says which share of the cores' time was stolen while something was done", async () => {
  let [stolenMs, now] = [50, 1_000];
  const clock = { cores: 2, readMs: () => stolenMs, now: () => now };
  const watched = await watchStolen(clock, async () => {
    stolenMs += 10;
    now += 200;
    return "done";
  });
  expect(watched).toEqual({ value: "done", stolenMs: 10, coreMs: 400 });
  expect(shareOf(watched)).toBe(0.025);
});

it("takes nothing for stolen where nobody tells", async () => {
  expect(shareOf(await watchStolen(undefined, async () => "done"))).toBe(0);
});

it("takes nothing for stolen where the host's count goes back", async () => {
  let stolenMs = 50;
  const clock = { cores: 1, readMs: () => stolenMs--, now: () => stolenMs * -1_000 };
  expect(shareOf(await watchStolen(clock, async () => "done"))).toBe(0);
});
