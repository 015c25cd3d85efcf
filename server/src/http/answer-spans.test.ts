import { expect, test, vi } from "vitest";
import { AnswerSpans } from "./answer-cache.ts";

const NOW = 1_767_225_600_000;

/** Every change is a second away. */
function secondsFrom(now: number) {
  return vi.fn(async () => now + 1_000);
}

test("asks once for each revision, however many need to know, at once or later", async () => {
  const spans = new AnswerSpans();
  const find = secondsFrom(NOW);
  const wanted = { from: NOW, until: NOW + 1_000 };
  const ask = (now: number) => spans.find("org_a listContracts", 3, now, find);
  expect(await Promise.all([ask(NOW), ask(NOW), ask(NOW + 1)])).toEqual([wanted, wanted, wanted]);
  expect(await ask(NOW + 999)).toEqual(wanted);
  expect(find).toHaveBeenCalledTimes(1);
});

test("asks again under another revision, of another organization or endpoint", async () => {
  const spans = new AnswerSpans();
  const find = secondsFrom(NOW);
  await spans.find("org_a listContracts", 3, NOW, find);
  await spans.find("org_a listContracts", 4, NOW, find);
  await spans.find("org_a listSchedule", 4, NOW, find);
  await spans.find("org_b listContracts", 4, NOW, find);
  expect(find).toHaveBeenCalledTimes(4);
});

test("asks again at the end of a span and before its beginning, once for all who need to know", async () => {
  const spans = new AnswerSpans();
  await spans.find("org_a listContracts", 3, NOW, secondsFrom(NOW));
  for (const now of [NOW + 1_000, NOW - 1]) {
    const find = secondsFrom(now);
    const found = await Promise.all([1, 2, 3].map(() => spans.find("org_a listContracts", 3, now, find)));
    for (const span of found) expect(span).toEqual({ from: now, until: now + 1_000 });
    expect(find).toHaveBeenCalledTimes(1);
  }
});

test("remembers that there is too much to look at until something is written", async () => {
  const spans = new AnswerSpans();
  const find = vi.fn(async () => undefined);
  expect(await spans.find("org_a listContracts", 3, NOW, find)).toBeUndefined();
  expect(await spans.find("org_a listContracts", 3, NOW + 1, find)).toBeUndefined();
  expect(find).toHaveBeenCalledTimes(1);
  await spans.find("org_a listContracts", 4, NOW, find);
  expect(find).toHaveBeenCalledTimes(2);
});

test("does not remember a failure", async () => {
  const spans = new AnswerSpans();
  const failing = () => Promise.reject(new Error("The database is away."));
  await expect(spans.find("org_a listContracts", 3, NOW, failing)).rejects.toThrow("away");
  expect(await spans.find("org_a listContracts", 3, NOW, secondsFrom(NOW))).toBeDefined();
});

test("remembers 10,000 at most, and forgets first what was asked first", async () => {
  const spans = new AnswerSpans();
  const find = secondsFrom(NOW);
  for (let number = 0; number <= 10_000; number++) await spans.find(`org_${number} listContracts`, 1, NOW, find);
  expect(spans.size).toBe(10_000);
  find.mockClear();
  await spans.find("org_1 listContracts", 1, NOW, find);
  expect(find).not.toHaveBeenCalled();
  await spans.find("org_0 listContracts", 1, NOW, find);
  expect(find).toHaveBeenCalled();
});
