/** What a player may be made of, and what is said when it may not. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { expectError, type LooseItem, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const post = (body: unknown) => stage.api("POST", "/players", body);
const patch = (id: string, body: unknown) => stage.api("PATCH", `/players/${id}`, body);
const make = async (body: object = {}): Promise<LooseItem> =>
  (await post({ ign: "Vex", role: "Player", ...body })).body.data;
const faultsOf = (reply: Awaited<ReturnType<typeof post>>): string[] =>
  reply.body.error.details.map(({ field }: LooseItem) => field).sort();

describe("a new player", () => {
  it("takes its defaults from the two fields that are required", async () => {
    const reply = await post({ ign: "Vex", role: "Player" });
    expect(reply.status).toBe(201);
    const { id, ...rest } = reply.body.data;
    const now = stage.clock.wallMs();
    expect(rest).toEqual({
      ign: "Vex",
      realName: "",
      role: "Player",
      teamId: null,
      contractStatus: "unsigned",
      joinDate: now,
      status: "active",
      nationality: null,
      imageUrl: null,
      stats: null,
      externalIds: {},
      createdAt: now,
      updatedAt: now,
    });
    expect(reply.headers.get("location")).toBe(`/api/public/v1/players/${id}`);
    expect((await stage.api("GET", `/players/${id}`)).body.data).toEqual(reply.body.data);
  });

  it("keeps every field that was given, and reads back the same", async () => {
    const body = {
      ign: "Vex",
      realName: "Elin",
      role: "IGL",
      teamId: stage.seed.teams.Valorant.id,
      contractStatus: "terminated",
      joinDate: -1,
      status: "benched",
      nationality: "SE",
      imageUrl: "https://example.com/a.png?b=c#d",
      stats: { kda: 1.5, "win rate": "61 %", n: -0.25, empty: "" },
      externalIds: { "a-b_1": "X/Y:Z" },
    };
    const reply = await post(body);
    expect(reply.body.data).toMatchObject(body);
    expect((await stage.api("GET", `/players/${reply.body.data.id}`)).body.data).toEqual(reply.body.data);
  });

  it("is refused without its required fields, which null and blanks are not", async () => {
    expect(faultsOf(await post({}))).toEqual(["ign", "role"]);
    expect(faultsOf(await post({ ign: null, role: null }))).toEqual(["ign", "role"]);
    expect(faultsOf(await post({ ign: " \t ", role: "Player" }))).toEqual(["ign"]);
  });
});

const WRONG: readonly (readonly [string, unknown])[] = [
  ["ign", ""],
  ["ign", 1],
  ["ign", null],
  ["ign", "a\u0000b"],
  ["ign", "a\nb"],
  ["ign", "a\u0085b"],
  ["ign", "a\ud800"],
  ["ign", "x".repeat(65)],
  ["ign", "😀".repeat(65)],
  ["realName", null],
  ["realName", "x".repeat(201)],
  ["realName", "a\tb"],
  ["role", null],
  ["role", 1],
  ["role", ["Player"]],
  ["teamId", ""],
  ["teamId", "none"],
  ["teamId", 1],
  ["teamId", "team_1"],
  ["contractStatus", null],
  ["contractStatus", "Active"],
  ["joinDate", null],
  ["joinDate", "2026-01-01"],
  ["joinDate", 1.5],
  ["joinDate", 8.64e15 + 1],
  ["status", "retired"],
  ["status", null],
  ["nationality", "se"],
  ["nationality", "XX"],
  ["nationality", "SWE"],
  ["nationality", ""],
  ["imageUrl", "http://example.com/a.png"],
  ["imageUrl", "https://"],
  ["imageUrl", "https:example.com"],
  ["imageUrl", "javascript:alert(1)"],
  ["imageUrl", "https://example.com/a b"],
  ["imageUrl", ""],
  ["stats", []],
  ["stats", "x"],
  ["stats.a", { a: null }],
  ["stats.a", { a: true }],
  ["stats.a", { a: {} }],
  ["stats.a", { a: "x".repeat(201) }],
  ["stats.a", { a: "b\u0007" }],
  ["stats", Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`s${index}`, index]))],
  ["externalIds", null],
  ["externalIds", []],
  ["externalIds.Steam", { Steam: "1" }],
  ["externalIds.a b", { "a b": "1" }],
  ["externalIds.é", { é: "1" }],
  ["externalIds.steam", { steam: 1 }],
  ["externalIds.steam", { steam: "" }],
  ["externalIds.steam", { steam: "x".repeat(201) }],
  ["externalIds", Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, "1"]))],
];

describe("a field of a player", () => {
  it.each(WRONG)("%s refuses %j, created or updated", async (field, value) => {
    const name = field.split(".")[0] ?? "";
    const created = await post({ ign: "Vex", role: "Player", [name]: value });
    expectError(created, "VALIDATION_ERROR");
    expect(faultsOf(created)).toEqual([field]);
    const [first] = stage.seed.players;
    const updated = await patch(first.id, { [name]: value });
    expectError(updated, "VALIDATION_ERROR");
    expect(faultsOf(updated)).toEqual([field]);
    expect((await stage.api("GET", `/players/${first.id}`)).body.data).toEqual(first);
  });

  it("is trimmed, and counted in characters, of which an emoji is one", async () => {
    const player = await make({ ign: `  ${"😀".repeat(64)}\n`, realName: "\u00a0Elin Sandberg\t" });
    expect(player).toMatchObject({ ign: "😀".repeat(64), realName: "Elin Sandberg" });
    expect((await make({ realName: "ß".repeat(200) })).realName).toHaveLength(200);
  });

  it("may hold as many stats and external ids as is said, and names of any script", async () => {
    const stats = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`stat ${index} é😀`, index]));
    const externalIds = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`full${index}`, "1"]));
    expect(await make({ stats, externalIds })).toMatchObject({ stats, externalIds });
  });

  it("refuses two names in stats that are one once trimmed", async () => {
    expect(faultsOf(await post({ ign: "Vex", role: "Player", stats: { kda: 1, " kda": 2 } }))).toEqual(["stats.kda"]);
  });

  it("reports everything that is wrong at once, what needs stored data included", async () => {
    const body = {
      ign: "",
      role: "Nobody",
      teamId: makeId("team"),
      status: "x",
      nosuch: 1,
      externalIds: { board: "seed-vex", Bad: "1" },
      stats: { a: null, b: true },
    };
    const expected = ["externalIds.Bad", "ign", "nosuch", "stats.a", "stats.b", "status", "teamId"];
    const reply = await post(body);
    expectError(reply, "VALIDATION_ERROR");
    expect(faultsOf(reply)).toEqual(expected);
    expect(faultsOf(await patch(stage.seed.players[1]?.id ?? "", body))).toEqual(expected);
    const { Bad: _bad, ...externalIds } = body.externalIds;
    const more = await post({ ...body, externalIds, teamId: stage.seed.teams.LoL.id });
    expect(faultsOf(more)).toEqual(["externalIds.board", "ign", "nosuch", "role", "stats.a", "stats.b", "status"]);
  });
});

describe("PATCH of a player", () => {
  it("changes only the fields given, clears nullable ones with null, and replaces stats whole", async () => {
    const player = await make({ nationality: "SE", imageUrl: "https://example.com/a", stats: { a: 1, b: 2 } });
    stage.clock.advance(5);
    const changed = (await patch(player.id, { nationality: null, imageUrl: null, stats: { c: 3 } })).body.data;
    const updatedAt = player.updatedAt + 5;
    expect(changed).toEqual({ ...player, nationality: null, imageUrl: null, stats: { c: 3 }, updatedAt });
    expect((await patch(player.id, { stats: null })).body.data.stats).toBeNull();
    expect((await patch(player.id, { realName: "" })).body.data.realName).toBe("");
  });

  it("takes any step of contractStatus, the unusual ones too, and remembers those", async () => {
    const { id } = await make();
    for (const contractStatus of ["active", "unsigned", "terminated", "active", "in_negotiation", "expired"]) {
      expect((await patch(id, { contractStatus })).body.data.contractStatus).toBe(contractStatus);
    }
    const notes = await stage.server.store
      .org(stage.seed.orgId)
      .selectFrom("audit")
      .select("audit.note")
      .where("audit.target_id", "=", id)
      .where("audit.note", "is not", null)
      .execute();
    expect(notes).toHaveLength(6);
  });
});
