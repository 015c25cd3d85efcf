/** Every filter of every list against a model in memory, and everything that a parameter refuses. */
import { ALL_ROLES, GAMES } from "@lineup/api/roles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { expectError, type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { RECORD_LISTS } from "./endpoint-requests.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

/** What each list shows when nothing is left out. */
const EVERYTHING: Readonly<Record<string, string>> = {
  "/schedule": "/schedule?status=scheduled,live,completed,postponed,cancelled",
  "/contracts/expiring": "/contracts/expiring?days=365",
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  "/players game": GAMES,
  "/players role": ALL_ROLES,
  "/players status": ["active", "benched", "inactive"],
  "/players contractStatus": ["unsigned", "in_negotiation", "active", "expired", "terminated"],
  "/teams game": GAMES,
  "/teams status": ["active", "inactive"],
  "/roster game": GAMES,
  "/roster role": ALL_ROLES,
  "/roster kind": ["player", "staff"],
  "/roster status": ["active", "benched", "inactive"],
  "/schedule game": GAMES,
  "/schedule kind": ["match", "scrim", "practice", "event"],
  "/schedule status": ["scheduled", "live", "completed", "postponed", "cancelled"],
  "/prospects stage": ["identified", "contacted", "trial", "offered", "signed", "rejected"],
  "/prospects game": GAMES,
  "/prospects role": ALL_ROLES,
  "/prospects priority": ["low", "medium", "high"],
  "/contracts status": ["draft", "pending", "active", "expired", "terminated"],
};

function withParameter(path: string, name: string, value: string): string {
  const from = name === "status" ? path : (EVERYTHING[path] ?? path);
  return `${from}${from.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

describe("a filter by fixed values", () => {
  it("is known to these tests wherever a list has one", () => {
    const others = /^(limit|cursor|sort|updatedSince|externalId|search|asOf|from|to|days|ends\w+|\w+Id|assignedTo)$/;
    const fixed = RECORD_LISTS.flatMap(({ path, query }) => Object.keys(query).map((name) => `${path} ${name}`));
    expect(fixed.filter((place) => !others.test(place.split(" ")[1] ?? ""))).toEqual(Object.keys(VALUES));
  });

  it.each(Object.entries(VALUES))("%s shows what has the value, or any of several", async (place, values) => {
    const [path = "", name = ""] = place.split(" ");
    const all = await stage.list(EVERYTHING[path] ?? path);
    const games = new Map(Object.values(stage.seed.teams).map((team) => [team.id, team.game as string]));
    const valueIn = (item: LooseItem) =>
      path === "/players" && name === "game" ? games.get(item.teamId) : (item[name] as string);
    const combinations = [...values.map((value) => [value]), values.slice(0, 2), values.slice(1), values];
    for (const wanted of combinations) {
      const shown = await stage.list(withParameter(path, name, wanted.join(",")));
      expect(shown, wanted.join()).toEqual(all.filter((item) => wanted.includes(valueIn(item) ?? "")));
    }
    for (const wrong of [
      "",
      "nosuch",
      values[0]?.toUpperCase() ?? "",
      `${values[0]},`,
      `,${values[0]}`,
      `${values[0]},x`,
    ]) {
      if (values.includes(wrong)) continue;
      const reply = await stage.api("GET", withParameter(path, name, wrong));
      expectRefused(reply, name);
      for (const value of values) expect(reply.body.error.message).toContain(value);
    }
  });
});

describe("a filter by id", () => {
  const places = RECORD_LISTS.flatMap(({ path, query }) =>
    ["teamId", "playerId"].filter((name) => name in query).map((name) => [path, name] as const),
  );

  it.each(places)("%s %s shows what belongs to the id, or to any of several", async (path, name) => {
    const all = await stage.list(EVERYTHING[path] ?? path);
    const ids = name === "teamId" ? Object.values(stage.seed.teams) : stage.seed.players;
    const lists = [...ids.map(({ id }) => [id]), ids.map(({ id }) => id), [makeId("team"), ...ids.map(({ id }) => id)]];
    for (const wanted of name === "teamId" ? lists : lists.slice(0, -1)) {
      const shown = await stage.list(withParameter(path, name, wanted.join(",")));
      expect(shown).toEqual(all.filter((item) => wanted.includes(item[name])));
    }
    const kind = name.slice(0, -2) as "team" | "player";
    expect(await stage.list(withParameter(path, name, makeId(kind)))).toEqual([]);
    const other = kind === "team" ? makeId("player") : makeId("team");
    const own = makeId(kind);
    for (const wrong of [
      "",
      "x",
      `${kind}_`,
      other,
      own.toUpperCase(),
      `${own}x`,
      own.slice(0, -1),
      `${own},`,
      "null",
    ]) {
      expectRefused(await stage.api("GET", withParameter(path, name, wrong)), name);
    }
    const none = await stage.api("GET", withParameter(path, name, "none"));
    if (path !== "/players") expectRefused(none, name);
    else expect(none.body.data).toEqual(all.filter((item) => item.teamId === null));
  });

  it("shows players of a team and those without one together", async () => {
    const { id } = stage.seed.teams.LoL;
    const all = await stage.list("/players");
    const shown = await stage.list(`/players?teamId=none,${id}`);
    expect(shown).toEqual(all.filter(({ teamId }) => teamId === null || teamId === id));
    expect(shown.length).toBeGreaterThan(3);
  });
});

describe("a filter by external id", () => {
  const places = RECORD_LISTS.filter(({ query }) => "externalId" in query).map(({ path }) => path);

  it.each(places)("%s shows the record that has the id in that system", async (path) => {
    const all = await stage.list(EVERYTHING[path] ?? path);
    const marked = all.filter(({ externalIds }) => "board" in externalIds);
    expect(marked).toHaveLength(1);
    const id = marked[0].externalIds.board;
    expect(await stage.list(withParameter(path, "externalId", `board:${id}`))).toEqual(marked);
    expect(await stage.list(withParameter(path, "externalId", `other:1,board:${id}`))).toEqual(marked);
    expect(await stage.list(withParameter(path, "externalId", `steam:${id}`))).toEqual([]);
    expect(await stage.list(withParameter(path, "externalId", `board:${id.toUpperCase()}`))).toEqual([]);
    for (const wrong of [
      "",
      "board",
      ":1",
      "board:",
      "BOARD:1",
      "bo ard:1",
      `board:${"x".repeat(201)}`,
      "board:1\n2",
    ]) {
      expectRefused(await stage.api("GET", withParameter(path, "externalId", wrong)), "externalId");
    }
  });

  it("takes an id with colons and commas as it is", async () => {
    const body = { ign: "Odd", role: "Player", externalIds: { odd: "a:b, c,d" } };
    const { data } = (await stage.api("POST", "/players", body)).body;
    expect(await stage.list(`/players?externalId=${encodeURIComponent("odd:a:b, c,d")}`)).toEqual([data]);
  });

  it("is not there for the roster, whose entries have none", async () => {
    expectRefused(await stage.api("GET", "/roster?externalId=board:1"), "externalId");
  });
});

describe("prospects by the person they are assigned to", () => {
  it("shows exact matches of any of the names", async () => {
    const all = await stage.list("/prospects");
    expect(await stage.list("/prospects?assignedTo=Mara")).toEqual(all.filter((item) => item.assignedTo === "Mara"));
    expect(await stage.list("/prospects?assignedTo=mara")).toEqual([]);
    expect(await stage.list("/prospects?assignedTo=Ben,Mara")).toHaveLength(2);
    for (const wrong of ["", ",", "Mara,", "x".repeat(201)]) {
      expectRefused(await stage.api("GET", `/prospects?assignedTo=${wrong}`), "assignedTo");
    }
  });
});

describe("any parameter", () => {
  const every = RECORD_LISTS.flatMap(({ path, query }) => Object.keys(query).map((name) => [path, name] as const));

  it.each(every)("%s %s is refused when it is there twice", async (path, name) => {
    const parameter = RECORD_LISTS.find((endpoint) => endpoint.path === path)?.query[name as "limit"];
    const text = name === "cursor" ? "x" : String(parameter?.example);
    const reply = await stage.api("GET", `${path}?${name}=${text}&${name}=${text}`);
    expectRefused(reply, name);
    expect(reply.body.error.message).toContain("more than once");
  });

  it("is refused with the nearest name when it is not known, and everything wrong is named at once", async () => {
    const reply = await stage.api("GET", "/players?Team_Id=x&serach=a&limit=0&zzzzzzzz=1&status=nosuch");
    expectError(reply, "INVALID_PARAMETER");
    const { details } = reply.body.error;
    expect(details.map(({ field }: LooseItem) => field)).toEqual(["Team_Id", "serach", "limit", "zzzzzzzz", "status"]);
    expect(details[0].message).toContain("teamId");
    expect(details[1].message).toContain("search");
    expect(details[2].message).toContain("1 to 500");
    expect(details[3].message).toContain("contractStatus");
  });

  it.each(["__proto__", "constructor", "toString", "%00", "%F0%9F%98%80", "", "a[]", "status[]"])(
    "named %j is unknown",
    async (name) => expectError(await stage.api("GET", `/players?${name}=1`), "INVALID_PARAMETER"),
  );

  it.each(["%", "%zz", "%ED%A0%80", "%FF", "%C3"])("that is not UTF-8 (%s) is refused", async (text) => {
    expectRefused(await stage.api("GET", `/players?search=${text}`), "search");
    expectError(await stage.api("GET", `/players?${text}=1`), "INVALID_PARAMETER");
  });

  it.each(["0", "501", "-1", "1.5", "1e2", "", "abc", "%201", "0x10", "9".repeat(30)])(
    "limit=%s is refused",
    async (text) => expectRefused(await stage.api("GET", `/teams?limit=${text}`), "limit"),
  );

  it.each(["nosuch", "", "-", "--id", "Id", "stats", "externalIds", "id,ign", "ign desc", "players.id", "%27"])(
    "sort=%s is refused",
    async (text) => {
      const reply = await stage.api("GET", `/players?sort=${text}`);
      expectRefused(reply, "sort");
      expect(reply.body.error.message).toContain("joinDate");
    },
  );
});

function expectRefused(reply: Awaited<ReturnType<Stage["api"]>>, name: string): void {
  expectError(reply, "INVALID_PARAMETER");
  expect(reply.body.error.details.map(({ field }: LooseItem) => field)).toEqual([name]);
  expect(reply.body.error.message).toContain(name);
}
