import { describe, expect, it } from "vitest";
import { findNearestName } from "./nearest-name.ts";

const KNOWN = ["ign", "realName", "role", "teamId", "contractStatus", "joinDate", "status", "stats"];

describe("the nearest name", () => {
  it.each([
    ["real_name", "realName"],
    ["RealName", "realName"],
    ["reallName", "realName"],
    ["team_id", "teamId"],
    ["TEAM-ID", "teamId"],
    ["contract status", "contractStatus"],
    ["rol", "role"],
    ["stat", "stats"],
    ["joindate", "joinDate"],
  ])("of %s is %s", (name, nearest) => expect(findNearestName(name, KNOWN)).toBe(nearest));

  it.each(["", "x", "email", "salary", "😀", "a".repeat(65), "__proto__"])("of %j is none", (name) => {
    expect(findNearestName(name, KNOWN)).toBeUndefined();
  });

  it("is none where nothing is known", () => expect(findNearestName("ign", [])).toBeUndefined());
});
