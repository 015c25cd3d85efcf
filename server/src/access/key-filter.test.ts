import { expect, it } from "vitest";
import { KeyFilter } from "./key-filter.ts";
import { digestKey, hashKey, makeKey, shownPrefixOf } from "./key-format.ts";

const kept = (key: string) => ({ hash: hashKey(key), shown_prefix: shownPrefixOf(key) });

it("lets every key pass that is held, and hardly any other", () => {
  const held = Array.from({ length: 5_000 }, makeKey);
  const filter = new KeyFilter(held.map(kept));
  expect(held.every((key) => filter.mayBeHeld(digestKey(key)))).toBe(true);
  expect(held.every((key) => filter.mayBegin(key, 0) && filter.mayBegin(`Bearer ${key}`, 7))).toBe(true);
  const others = Array.from({ length: 20_000 }, makeKey);
  // One in 839 passes by chance, by its beginning one in 739.
  expect(others.filter((key) => filter.mayBeHeld(digestKey(key))).length).toBeLessThan(100);
  expect(others.filter((key) => filter.mayBegin(key, 0)).length).toBeLessThan(110);
});

it.each(["", "lineup_live_", "lineup_live_abc", "lineup_live_ab_d", "other_live_abcd"])(
  "tells nothing by beginnings once one of them is no key's: %j",
  (shown_prefix) => {
    const held = makeKey();
    const filter = new KeyFilter([kept(held), { hash: hashKey(makeKey()), shown_prefix }]);
    expect(Array.from({ length: 200 }, makeKey).every((key) => filter.mayBegin(key, 0))).toBe(true);
    expect(filter.mayBeHeld(digestKey(held))).toBe(true);
  },
);
