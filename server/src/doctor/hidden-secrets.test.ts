import { describe, expect, test } from "vitest";
import { hideSecrets } from "./check.ts";

function hide(found: string, ...secrets: readonly string[]): string {
  return hideSecrets({ id: "a", subject: "A", title: "A", state: "fail", found }, secrets).found;
}

describe("a secret is hidden", () => {
  test.each([
    ["in an address", "redis://:lineup@here does not answer.", "redis://:…@here does not answer.", ["lineup"]],
    ["of one letter in an address", "smtp://a:b@here does not answer.", "smtp://a:…@here does not answer.", ["b"]],
    ["within a word", "It has xpass-wordx in it.", "It has x…x in it.", ["pass-word"]],
    ["of many letters", "It has acorrecthorsebatteryb in it.", "It has a…b in it.", ["correcthorsebattery"]],
    ["in a reason", "Mail cannot be used (no (bad lineup)).", "Mail cannot be used (no (bad …)).", ["lineup"]],
    ["behind a colon", "Redis cannot be used: bad lineup", "Redis cannot be used: bad …", ["lineup"]],
    ["that another begins", "It has abc-12345 in it.", "It has … in it.", ["abc-1", "abc-12345"]],
  ])("%s", (_where, found, shown, secrets) => {
    expect(hide(found, ...secrets)).toBe(shown);
  });

  test("in what to do, as in what was found", () => {
    const finding = {
      id: "a",
      subject: "A",
      title: "A",
      state: "fail",
      found: "It is wrong.",
      todo: "Drop pass-word.",
    };
    expect(hideSecrets({ ...finding, state: "fail" }, ["pass-word"]).todo).toBe("Drop ….");
  });
});

test("words of ours stay though a password is one of them", () => {
  const todo = 'Stop what listens on port 5432 (redis-cli, "ps"), then run: npx lineup serve';
  const finding = {
    id: "a",
    subject: "A",
    title: "A",
    state: "fail" as const,
    found: "The store lineup.db is gone.",
    todo,
  };
  expect(hideSecrets(finding, ["lineup", "redis", "5432", "npx", "ps", "store"])).toEqual(finding);
});
