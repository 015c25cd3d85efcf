import { IconKey } from "@tabler/icons-react";
import { expect, test } from "vitest";
import { filterEntries, type PaletteEntry } from "./palette-entries.ts";

function makeEntry(group: string, name: string, words = ""): PaletteEntry {
  return { id: name, group, name, words, icon: IconKey, run: () => {} };
}

const ENTRIES = [
  makeEntry("Pages", "Home"),
  makeEntry("Pages", "API Keys"),
  makeEntry("Actions", "Create an API key"),
  makeEntry("Keys", "Overlay", "lineup_live_9f"),
  makeEntry("Actions", "Sign out"),
];

const namesOf = (query: string) => filterEntries(ENTRIES, query).map(({ name }) => name);

test("shows all when nothing is typed, groups together", () => {
  expect(namesOf("")).toEqual(["Home", "API Keys", "Create an API key", "Sign out", "Overlay"]);
});

test("finds by every word, in any order and case, also by words that are not shown", () => {
  expect(namesOf("KEY api")).toEqual(["API Keys", "Create an API key"]);
  expect(namesOf("_9f")).toEqual(["Overlay"]);
  expect(namesOf("nothing like it")).toEqual([]);
});

test("puts what begins with the typed letters first", () => {
  expect(namesOf("o")[0]).toBe("Overlay");
});

test("shows no more than can be looked through", () => {
  const many = Array.from({ length: 500 }, (_, place) => makeEntry("Keys", `Key ${place}`));
  expect(filterEntries(many, "key")).toHaveLength(40);
});
