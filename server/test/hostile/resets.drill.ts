import { expect, it } from "vitest";
import { drillCount, isDrill, SEED } from "../drill-count.ts";
import { Random } from "../stale/random.ts";
import { MESSAGES, WAYS } from "./reset-clients.ts";
import { type Reset, runResets } from "./reset-run.ts";

const COUNT = drillCount("resets", 1, 5_000);
/** What memory may grow by over the second half of a long run; a leak of a connection a message would be far more. */
const GROWTH_MAX = 1.1;

/** Each message in one of the ways, and a CONNECT, which Node hands over with its listeners taken off, in all of them. */
function listAll(): Reset[] {
  return [
    ...WAYS.flatMap((way) => MESSAGES.slice(0, 6).map((message) => ({ message, way }))),
    ...MESSAGES.flatMap((message, at) => [{ message, way: WAYS[at % WAYS.length] as Reset["way"] }]),
  ];
}

function drawMany(): Reset[] {
  const random = new Random(SEED);
  return Array.from({ length: COUNT }, () => ({ message: random.pick(MESSAGES), way: random.pick(WAYS) }));
}

it("goes on for everybody else, whatever a client sent before it reset its connection", async () => {
  const { faults, answered, rssBytes } = await runResets(isDrill ? drawMany() : listAll());
  expect(faults).toEqual([]);
  expect(answered).toBeGreaterThan(1);
  if (!isDrill) return;
  const middle = Math.max(...rssBytes.slice(rssBytes.length / 4, rssBytes.length / 2));
  expect(Math.max(...rssBytes.slice(-3)) / middle, rssBytes.join(" ")).toBeLessThan(GROWTH_MAX);
});
