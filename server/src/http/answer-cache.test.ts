import { expect, test } from "vitest";
import { type SerializedData, serializeResource } from "./answer.ts";
import { AnswerCache } from "./answer-cache.ts";

const MIB = 1024 * 1024;
const NOW = 1_767_225_600_000;

function named(id: string): SerializedData {
  return serializeResource({ id });
}

function large(mib: number): SerializedData {
  return { start: [Buffer.alloc(mib * MIB)], nextCursor: undefined, resourceId: undefined };
}

const LARGE = large(4.5);

/** Whether it is in the cache then. */
function add(cache: AnswerCache, orgId: string, target: string, data: SerializedData): boolean {
  cache.add(orgId, target, 1, data);
  return cache.find(orgId, target, 1, NOW) !== undefined;
}

test("finds an answer under its organization, its target and its revision, and under nothing else", () => {
  const cache = new AnswerCache();
  cache.add("org_a", "/players", 3, named("a"));
  cache.add("org_b", "/players", 3, named("b"));
  expect(cache.find("org_a", "/players", 3, NOW)?.resourceId).toBe("a");
  expect(cache.find("org_b", "/players", 3, NOW)?.resourceId).toBe("b");
  expect(cache.find("org_a", "/teams", 3, NOW)).toBeUndefined();
  expect(cache.find("org_c", "/players", 3, NOW)).toBeUndefined();
});

test("lets go of an answer as soon as its revision is past, and of every byte with it", () => {
  const cache = new AnswerCache();
  cache.add("org_a", "/players", 3, named("a"));
  expect(cache.find("org_a", "/players", 4, NOW)).toBeUndefined();
  expect(cache.find("org_a", "/players", 3, NOW)).toBeUndefined();
  expect(cache.bytes).toBe(0);
});

test("caches the newer of two answers to one question, and counts it once", () => {
  const cache = new AnswerCache();
  cache.add("org_a", "/players", 3, named("old"));
  const { bytes } = cache;
  cache.add("org_a", "/players", 3, named("new"));
  expect(cache.find("org_a", "/players", 3, NOW)?.resourceId).toBe("new");
  expect(cache.bytes).toBe(bytes);
});

test("stays within 24 MiB, and drops first what was longest unused, whose ever it is", () => {
  const cache = new AnswerCache();
  for (let entry = 0; entry < 5; entry++) cache.add(`org_${entry}`, "/players", 1, large(4.5));
  cache.find("org_0", "/players", 1, NOW);
  cache.add("org_10", "/players", 1, large(4.5));
  expect(add(cache, "org_10", "/players", large(4.5))).toBe(true);
  expect(cache.bytes).toBeLessThanOrEqual(24 * MIB);
  expect(cache.find("org_0", "/players", 1, NOW)).toBeDefined();
  expect(cache.find("org_1", "/players", 1, NOW)).toBeUndefined();
  expect(cache.find("org_2", "/players", 1, NOW)).toBeDefined();
});

test.each([1, 2, 4, 8, 100])(
  "caches in a %ith of its usual size what has room beside others, and drops nothing for more",
  (part) => {
    const cache = new AnswerCache((24 * 1024 * 1024) / part);
    const fits = 7 / part;
    expect(add(cache, "org_a", "/players/1", large(fits / 20))).toBe(true);
    expect(add(cache, "org_a", "/teams", large(fits))).toBe(true);
    for (let time = 0; time < 2; time++) expect(add(cache, "org_a", "/players", large(9 / part))).toBe(false);
    for (const target of ["/players/1", "/teams"]) expect(cache.find("org_a", target, 1, NOW)).toBeDefined();
  },
);

test("drops nothing for what is asked for once, however much that is, and does not cache it", () => {
  const cache = new AnswerCache();
  for (let entry = 0; entry < 5; entry++) expect(add(cache, `org_${entry}`, "/players", LARGE)).toBe(true);
  for (let page = 0; page < 100; page++) expect(add(cache, "org_a", `/players?${page}`, LARGE)).toBe(false);
  for (let entry = 0; entry < 5; entry++) expect(cache.find(`org_${entry}`, "/players", 1, NOW)).toBeDefined();
});

test("caches what is asked for again, unless a thousand others were asked for in between", () => {
  const cache = new AnswerCache();
  for (let entry = 0; entry < 5; entry++) cache.add(`org_${entry}`, "/players", 1, LARGE);
  const askOthers = (count: number) => {
    for (let page = 0; page < count; page++) cache.add("org_a", `/teams?${page}`, 1, LARGE);
  };
  cache.add("org_a", "/players", 1, LARGE);
  askOthers(1_024);
  expect(add(cache, "org_a", "/players", LARGE)).toBe(false);
  expect(add(cache, "org_a", "/players", LARGE)).toBe(true);
  expect(add(cache, "org_b", "/players", LARGE)).toBe(false);
});

test("never caches an answer larger than 8 MiB, nor what is to be done when one was closed", () => {
  const cache = new AnswerCache();
  expect(add(cache, "org_a", "/players", large(8))).toBe(false);
  expect(cache.find("org_a", "/players", 1, NOW)).toBeUndefined();
  cache.add("org_a", "/teams", 1, { ...named("a"), release: () => undefined });
  expect(cache.find("org_a", "/teams", 1, NOW)).not.toHaveProperty("release");
});

test("finds what time changes from the moment it was read at, and up to the last before it changes", () => {
  const cache = new AnswerCache();
  const span = { from: NOW, until: NOW + 1_000 };
  cache.add("org_a", "/schedule", 3, named("a"), span);
  for (const now of [NOW, NOW + 500, NOW + 999]) expect(cache.find("org_a", "/schedule", 3, now)).toBeDefined();
  expect(cache.find("org_a", "/schedule", 3, NOW + 1_000)).toBeUndefined();
  expect(cache.bytes).toBe(0);
  cache.add("org_a", "/schedule", 3, named("a"), span);
  expect(cache.find("org_a", "/schedule", 3, NOW - 1)).toBeUndefined();
});

test("caches an answer that was read again, and is the same, for its new span", () => {
  const cache = new AnswerCache();
  cache.add("org_a", "/schedule", 3, named("a"), { from: NOW, until: NOW + 1 });
  cache.add("org_a", "/schedule", 3, named("a"), { from: NOW + 1, until: NOW + 9 });
  expect(cache.find("org_a", "/schedule", 3, NOW + 8)?.resourceId).toBe("a");
});
