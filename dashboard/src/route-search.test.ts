import { expect, test } from "vitest";
import { parseSearch, readTexts, stringifySearch } from "./route-search.ts";

test("keeps texts as they stand in the address, numbers and words of JSON included", () => {
  const search = { status: "404", path: "/players?a=b&c", code: "true", id: "null" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test("leaves out what is not set", () => {
  expect(stringifySearch({ a: undefined, b: "" })).toBe("");
});

test("reads only the names that a page knows", () => {
  expect(readTexts(["id"])({ id: "req_1", other: "x", __proto__: { id: "y" } })).toEqual({ id: "req_1" });
});
