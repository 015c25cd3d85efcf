import { expect, test } from "vitest";
import { shareKeys, sharePlayers } from "./growth-shares.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

test("a large store has every player that was asked for, half of its organizations 200, and one 10,000", () => {
  const shares = sharePlayers({ players: 1_000_000, organizations: 1_000 });
  expect(sum(shares)).toBe(1_000_000);
  expect(shares).toHaveLength(1_000);
  expect(shares[0]).toBe(200);
  expect(shares[1]).toBe(10_000);
  expect(shares.filter((count) => count === 200)).toHaveLength(500);
});

test("a small one is shared alike", () => {
  expect(sharePlayers({ players: 1_000, organizations: 5 })).toEqual([200, 200, 200, 200, 200]);
  expect(sum(sharePlayers({ players: 1_003, organizations: 5 }))).toBe(1_003);
});

test("every organization has a key, and the first enough for a load of its own", () => {
  const shares = shareKeys({ keys: 10_000, organizations: 1_000 });
  expect(sum(shares)).toBe(10_000);
  expect(shares[0]).toBe(2_500);
  expect(Math.min(...shares)).toBe(7);
  expect(sum(shareKeys({ keys: 2_500, organizations: 1_000 }))).toBe(2_500);
});
