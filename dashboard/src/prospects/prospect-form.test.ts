import { expect, test } from "vitest";
import { bodyOfProspect, checkProspect, NEW_PROSPECT } from "./prospect-form.ts";

const faultsOf = (fields: object) =>
  Object.entries(checkProspect({ ...NEW_PROSPECT, ign: "Nyx", ...fields })).filter(([, fault]) => fault !== null);

test.each([
  ["", null],
  ["8.5", 8.5],
  ["8,5", 8.5],
  ["10", 10],
  ["0", 0],
])("reads the rating %j as %j", (rating, read) => {
  expect(faultsOf({ rating })).toEqual([]);
  expect(bodyOfProspect({ ...NEW_PROSPECT, rating }).rating).toBe(read);
});

test.each(["11", "-1", "good", "1e1"])("refuses the rating %j", (rating) => {
  expect(faultsOf({ rating })).toHaveLength(1);
});

test("reads tags once each, and nothing that was left empty", () => {
  const body = bodyOfProspect({ ...NEW_PROSPECT, tags: " aim, ladder ,, aim", region: "  " });
  expect(body).toMatchObject({ tags: ["aim", "ladder"], region: null });
});

test("drops a role that the game does not know", () => {
  expect(bodyOfProspect({ ...NEW_PROSPECT, game: "CS2", role: "Mid" }).role).toBeNull();
  expect(bodyOfProspect({ ...NEW_PROSPECT, game: "LoL", role: "Mid" }).role).toBe("Mid");
});

test("asks for a name", () => {
  expect(faultsOf({ ign: " " })).toHaveLength(1);
});
