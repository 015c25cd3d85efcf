import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestStore } from "../../test/test-store.ts";
import { foldCase, searchMatches, searchTextOf } from "./record-rows.ts";
import type { Store } from "./store.ts";

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "lineup-search-"));
  store = await openTestStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function finds(names: readonly (string | null)[], wanted: string): Promise<boolean> {
  const stored = searchTextOf(...names);
  const match = searchMatches("stored.search_text", wanted);
  const { rows } = await sql<{ found: number | boolean }>`
    select ${match} as found from (select ${stored} as search_text) as stored`.execute(store.operator);
  return Boolean(rows[0]?.found);
}

describe("search", () => {
  test.each([
    ["a part in any case", ["FakerSenpai"], "kERs"],
    ["letters beyond ASCII in any case", ["ÅSA ÖBERG"], "åsa öb"],
    ["ß as ss, in both directions", ["Weiß"], "WEISS"],
    ["SS as ß", ["STRASSE"], "straße"],
    ["both forms of sigma", ["ΟΔΥΣΣΕΥΣ"], "οδυσσευς"],
    ["Cyrillic", ["Кирилл"], "КИРИЛЛ"],
    ["a composed letter where it was written in two", ["Zoe\u0308"], "zo\u00eb"],
    ["two marks where it was composed", ["Zo\u00eb"], "ZOE\u0308"],
    ["a sign that means something to LIKE", ["50%_off\\now"], "%_OFF\\N"],
    ["either of several names", ["ign", "Real Name"], "real n"],
    ["a text of several lines' worth of letters", ["x".repeat(200)], "X".repeat(200)],
    ["letters outside the basic plane", ["𐐨𐐩"], "𐐀𐐁"],
  ])("finds %s", async (_, names, wanted) => {
    expect(await finds(names, wanted)).toBe(true);
  });

  test.each([
    ["what is not there", ["Faker"], "fakes"],
    ["anything for a percent sign", ["Faker"], "%"],
    ["anything for an underscore", ["Faker"], "F_ker"],
    ["anything for a backslash", ["Faker"], "\\"],
    ["across two names", ["ab", "cd"], "bc"],
    ["null as a word", [null, "x"], "null"],
  ])("does not find %s", async (_, names, wanted) => {
    expect(await finds(names, wanted)).toBe(false);
  });

  test("folds what is folded to itself", () => {
    for (const text of ["Weiß", "İstanbul", "ΣΑΣ", "ŉ", "ﬁn", "Zoe\u0308", "ǆ"])
      expect(foldCase(foldCase(text))).toBe(foldCase(text));
  });
});
