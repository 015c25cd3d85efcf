import { PERMISSIONS } from "@lineup/api/permissions";
import { describe, expect, it } from "vitest";
import { describeEntry, tellSentence } from "./audit-sentences.ts";
import { listFieldChanges } from "./field-changes.ts";
import { findPreset, PERMISSION_PRESETS, summarizePermissions } from "./permission-presets.ts";
import { isFiltering, makeRequestsQuery, readRequestsSearch } from "./requests-search.ts";

const actor = { kind: "user", id: "user_1", name: "Ada" } as const;
const target = { kind: "key", id: "key_1", name: "Analytics" };

describe("the audit log in words", () => {
  it("says what was done and to what", () => {
    expect(tellSentence(describeEntry({ actor, action: "key.revoked", target, changes: null }))).toBe(
      "revoked the key Analytics",
    );
  });

  it("says both tiers where the tier changed", () => {
    const changes: Record<string, [unknown, unknown]> = { tier: ["Free", "Pro"] };
    const sentence = describeEntry({ actor, action: "tier.changed", target: { ...target, name: "Acme" }, changes });
    expect(tellSentence(sentence)).toBe("changed the tier of Acme from Free to Pro");
  });

  it("tells what people do to themselves from what is done to them", () => {
    const joined = { action: "member.joined", target: { kind: "user", id: "user_1", name: "Ada" }, changes: null };
    expect(tellSentence(describeEntry({ ...joined, actor }))).toBe("joined the organization");
    const command = { kind: "command", id: null, name: "lineup user create" } as const;
    expect(tellSentence(describeEntry({ ...joined, actor: command }))).toBe("made Ada a member");
  });

  it("says something of an action it has not heard of", () => {
    const sentence = describeEntry({
      actor,
      action: "webhook.turned-off",
      target: { kind: "webhook", id: "w_1", name: null },
      changes: null,
    });
    expect(tellSentence(sentence)).toBe("webhook turned off: w_1");
  });

  it("tells what was set, cleared and changed apart", () => {
    const changes: Record<string, [unknown, unknown]> = {
      realName: ["", "Ada"],
      endDate: [1_700_000_000_000, null],
      permissions: [["players:read"], ["players:read", "teams:read"]],
    };
    expect(listFieldChanges(changes).map(({ label, kind }) => [label, kind])).toEqual([
      ["Real name", "set"],
      ["End date", "cleared"],
      ["Permissions", "changed"],
    ]);
    expect(listFieldChanges(changes)[2]).toMatchObject({ before: "players:read", after: "players:read, teams:read" });
    expect(listFieldChanges(changes)[1]?.before).toMatch(/^Tuesday,? 14 November 2023 at 22:13:20 UTC$/);
  });

  it("names teams and countries, and says what else is known where they have no name", () => {
    const changes: Record<string, [unknown, unknown]> = {
      teamId: ["team_1", "team_2"],
      nationality: ["GE", "German"],
    };
    const nameOf = (id: string) => (id === "team_1" ? "Rift" : undefined);
    expect(listFieldChanges(changes, nameOf)).toMatchObject([
      { label: "Team", before: "Rift", after: "team_2" },
      { label: "Country", before: "Georgia", after: "German" },
    ]);
  });
});

describe("presets", () => {
  it("hold what they say: analytics changes nothing, everything is everything", () => {
    const analytics = PERMISSION_PRESETS.find((preset) => preset.id === "analytics");
    expect(analytics?.permissions.every((permission) => permission.endsWith(":read"))).toBe(true);
    expect(findPreset([...PERMISSIONS].reverse())).toBe("everything");
    expect(findPreset(["players:read"])).toBeUndefined();
  });

  it("are told apart in a cell", () => {
    expect(summarizePermissions(PERMISSIONS)).toBe("Everything");
    expect(summarizePermissions(["players:read", "teams:read"])).toBe("Read only (2)");
    expect(summarizePermissions(["players:write", "teams:read"])).toBe("2 of 8");
  });
});

describe("the address of Requests", () => {
  it("keeps what makes sense and drops the rest", () => {
    const search = readRequestsSearch({
      status: "404",
      code: "NONSENSE",
      method: "GET",
      from: "1700000000000",
      other: {},
    });
    expect(search).toEqual({ status: "404", method: "GET", from: 1_700_000_000_000 });
    expect(makeRequestsQuery(search, 0)).toEqual({ status: "404", method: "GET", from: "1700000000000" });
  });

  it("does not take an opened row for a filter", () => {
    expect(isFiltering(readRequestsSearch({ open: "req_1" }))).toBe(false);
    expect(isFiltering(readRequestsSearch({ range: "1h" }))).toBe(true);
  });
});
