/** `search`: part of a name, in any case and any script, every character taken as itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

async function found(path: string, wanted: string): Promise<string[]> {
  const items = await stage.list(`${path}?search=${encodeURIComponent(wanted)}`);
  return items.map((item) => item.ign ?? item.name);
}

describe("search", () => {
  it.each([
    ["VEX", ["Vex", "vex"]],
    ["vEx", ["Vex", "vex"]],
    ["sandberg", ["Vex"]],
    ["elin sand", ["Vex"]],
    ["  elin ", ["Vex"]],
    ["vexelin", []],
    ["vex elin", []],
    ["åSA", ["Åsa"]],
    ["A\u030asa", ["Åsa"]],
    ["öberg", ["Åsa"]],
    ["asa", []],
    ["weiß", ["a_b"]],
    ["WEISS", ["a_b"]],
    ["weiẞ", ["a_b"]],
    ["%", ["100%"]],
    ["0%", ["100%"]],
    ["_", ["a_b"]],
    ["a_b", ["a_b"]],
    ["a%b", []],
    ["\\", ["back\\slash"]],
    ["K\\S", ["back\\slash"]],
    ["'", []],
    ["İlk", ["İlk"]],
    ["İLK", ["İlk"]],
    ["i\u0307lk", ["İlk"]],
    ["IŞIK", ["İlk"]],
    ["😀", ["😀"]],
    ["Ｚ", ["ｚ"]],
    ["nobody", []],
  ])("finds players by %j", async (wanted, names) => {
    expect(await found("/players", wanted)).toEqual(names);
  });

  it.each([
    ["AUR", ["Aurora", "aurora"]],
    ["au_", ["aurora"]],
    ["straße", ["Straße 100%"]],
    ["STRASSE", ["Straße 100%"]],
    ["0%", ["Straße 100%"]],
    ["\\O/", ["İzmir"]],
    ["izmir", []],
  ])("finds teams by name or tag: %j", async (wanted, names) => {
    expect(await found("/teams", wanted)).toEqual(names);
  });

  it.each([
    ["NYX", ["Nyx", "nyx"]],
    ["weiss", ["Nyx"]],
    ["100%", ["100%er"]],
    ["100_", []],
    ["éCLAIR", ["Éclair"]],
  ])("finds prospects by %j", async (wanted, names) => {
    expect(await found("/prospects", wanted)).toEqual(names);
  });

  it("goes with other filters, and with pages", async () => {
    const items = await stage.list("/players?search=vex&status=benched");
    expect(items.map(({ ign }) => ign)).toEqual(["vex"]);
    const page = await stage.api("GET", "/players?search=vex&limit=1&sort=-ign");
    expect(page.body.data[0].ign).toBe("vex");
    const rest = await stage.list(`/players?cursor=${page.body.meta.nextCursor}`);
    expect(rest.map(({ ign }) => ign)).toEqual(["Vex"]);
  });

  it.each(["", " ", "%00", "a%0Ab", "x".repeat(201)])("refuses %j", async (text) => {
    expectError(await stage.api("GET", `/players?search=${text}`), "INVALID_PARAMETER");
  });

  it("takes 200 characters, of which an emoji is one", async () => {
    expect(await found("/players", "😀".repeat(200))).toEqual([]);
  });

  it("follows a name that is changed", async () => {
    const [, second] = stage.seed.players;
    await stage.api("PATCH", `/players/${second?.id}`, { ign: "Ñandú", realName: "Groß" });
    expect(await found("/players", "vex")).toEqual(["Vex"]);
    expect(await found("/players", "ÑANDÚ")).toEqual(["Ñandú"]);
    expect(await found("/players", "GROSS")).toEqual(["Ñandú"]);
  });
});
