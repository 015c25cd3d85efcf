import { expect, it } from "vitest";
import { KeyFilter } from "./key-filter.ts";
import { digestKey, hashKey, makeKey } from "./key-format.ts";

it("lets every key pass that is held, and hardly any other", () => {
  const held = Array.from({ length: 5_000 }, makeKey);
  const filter = new KeyFilter(held.map(hashKey));
  expect(held.every((key) => filter.mayBeHeld(digestKey(key)))).toBe(true);
  const others = Array.from({ length: 20_000 }, makeKey);
  // One in 839 passes by chance.
  expect(others.filter((key) => filter.mayBeHeld(digestKey(key))).length).toBeLessThan(100);
});
