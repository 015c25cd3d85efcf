/** What a prospect may be made of, and how it moves through the pipeline. */
import { PROSPECT_STAGES } from "@lineup/api/prospects";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { expectError, type LooseItem, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const post = (body: unknown) => stage.api("POST", "/prospects", body);
const patch = (id: string, body: unknown) => stage.api("PATCH", `/prospects/${id}`, body);
const make = async (body: object = {}): Promise<LooseItem> => (await post({ ign: "Nyx", ...body })).body.data;
const faultsOf = (reply: Awaited<ReturnType<typeof post>>): string[] =>
  reply.body.error.details.map(({ field }: LooseItem) => field).sort();

const NULLABLE = {
  role: "Player",
  rating: 7.25,
  currentTeam: "Borealis",
  nationality: "Norwegian",
  region: "EU",
  source: "ladder",
  assignedTo: "Mara",
  notes: "Line one.\nLine two.\r\nLine three.",
  contractEndDate: 1,
  lastContactAt: -1,
} as const;

describe("a new prospect", () => {
  it("takes its defaults from the one field that is required", async () => {
    const reply = await post({ ign: "Nyx" });
    expect(reply.status).toBe(201);
    const { id, ...rest } = reply.body.data;
    const now = stage.clock.wallMs();
    const nothing = Object.fromEntries(Object.keys(NULLABLE).map((name) => [name, null]));
    expect(rest).toEqual({
      ...nothing,
      ign: "Nyx",
      realName: "",
      game: "Other",
      stage: "identified",
      stageChangedAt: now,
      priority: "medium",
      targetTeamId: null,
      playerId: null,
      tags: [],
      externalIds: {},
      createdAt: now,
      updatedAt: now,
    });
    expect(reply.headers.get("location")).toBe(`/api/public/v1/prospects/${id}`);
    expect((await stage.api("GET", `/prospects/${id}`)).body.data).toEqual(reply.body.data);
  });

  it("keeps every field that was given, and reads back the same", async () => {
    const body = {
      ...NULLABLE,
      ign: "Nyx",
      realName: "Nora",
      game: "LoL",
      role: "ADC",
      stage: "offered",
      priority: "low",
      targetTeamId: stage.seed.teams.CS2.id,
      tags: ["aim", "é 😀", "aim"],
      externalIds: { ladder: "9" },
    };
    const reply = await post(body);
    expect(reply.body.data).toMatchObject(body);
    expect((await stage.api("GET", `/prospects/${reply.body.data.id}`)).body.data).toEqual(reply.body.data);
  });
});

const WRONG: readonly (readonly [string, unknown])[] = [
  ["ign", ""],
  ["ign", null],
  ["realName", null],
  ["game", null],
  ["game", "lol"],
  ["role", 1],
  ["stage", null],
  ["stage", "Trial"],
  ["priority", "urgent"],
  ["priority", null],
  ["rating", -0.1],
  ["rating", 10.1],
  ["rating", "7"],
  ["currentTeam", 1],
  ["nationality", "x".repeat(201)],
  ["region", "a\nb"],
  ["source", "a\u001bb"],
  ["assignedTo", "\udc00"],
  ["notes", "x".repeat(10_001)],
  ["notes", "a\tb"],
  ["notes", "a\u0000b"],
  ["notes", "a\ud83d"],
  ["notes", ["x"]],
  ["targetTeamId", "x"],
  ["targetTeamId", makeId("player")],
  ["targetTeamId", makeId("team")],
  ["contractEndDate", "2026-01-01"],
  ["contractEndDate", 0.5],
  ["lastContactAt", 9e15],
  ["tags", null],
  ["tags", "aim"],
  ["tags.0", [1]],
  ["tags.1", ["a", " "]],
  ["tags.0", ["x".repeat(201)]],
  ["tags", Array.from({ length: 21 }, (_, index) => `t${index}`)],
  ["externalIds.A", { A: "1" }],
  ["playerId", null],
  ["stageChangedAt", 1],
  ["createdAt", 1],
];

describe("a field of a prospect", () => {
  it.each(WRONG)("%s refuses %j, created or updated", async (field, value) => {
    const name = field.split(".")[0] ?? "";
    const created = await post({ ign: "Nyx", [name]: value });
    expectError(created, "VALIDATION_ERROR");
    expect(faultsOf(created)).toEqual([field]);
    const [first] = stage.seed.prospects;
    const updated = await patch(first.id, { [name]: value });
    expectError(updated, "VALIDATION_ERROR");
    expect(faultsOf(updated)).toEqual([field]);
    expect((await stage.api("GET", `/prospects/${first.id}`)).body.data).toEqual(first);
  });

  it("may be as long as is said, in characters", async () => {
    const notes = "😀\n".repeat(4_999).concat("ab");
    expect((await make({ notes })).notes).toBe(notes);
    expect((await make({ notes: "😀".repeat(10_000) })).notes).toHaveLength(20_000);
    expect((await make({ source: "😀".repeat(200), tags: Array(20).fill("t") })).tags).toHaveLength(20);
    expect((await make({ rating: 0 })).rating).toBe(0);
    expect((await make({ rating: 10 })).rating).toBe(10);
  });

  it("is trimmed", async () => {
    const made = await make({ ign: " Nyx ", notes: "\n a\n b \n", tags: [" aim "], source: " " });
    expect(made).toMatchObject({ ign: "Nyx", notes: "a\n b", tags: ["aim"], source: "" });
  });

  it("reports everything that is wrong at once, what needs stored data included", async () => {
    const body = {
      ign: 1,
      game: "LoL",
      role: "Duelist",
      targetTeamId: makeId("team"),
      tags: [1, "", "ok"],
      playerId: "x",
      priorty: "high",
      externalIds: { board: "seed-p1" },
    };
    const expected = ["externalIds.board", "ign", "playerId", "priorty", "role", "tags.0", "tags.1", "targetTeamId"];
    const created = await post(body);
    expectError(created, "VALIDATION_ERROR");
    expect(faultsOf(created)).toEqual(expected);
    expect(faultsOf(await patch(stage.seed.prospects[1]?.id ?? "", body))).toEqual(expected);
    const { priorty } = Object.fromEntries(
      created.body.error.details.map(({ field, message }: LooseItem) => [field, message]),
    );
    expect(priorty).toContain("priority");
  });
});

describe("PATCH of a prospect", () => {
  it("changes only the fields given, and clears nullable ones with null", async () => {
    const prospect = await make({ ...NULLABLE, targetTeamId: stage.seed.teams.LoL.id, tags: ["a", "b"] });
    for (const name of [...Object.keys(NULLABLE), "targetTeamId"]) {
      const { data } = (await patch(prospect.id, { [name]: null })).body;
      expect(data).toEqual({ ...prospect, [name]: null, updatedAt: data.updatedAt });
      expect((await patch(prospect.id, { [name]: prospect[name] })).body.data).toMatchObject({
        [name]: prospect[name],
      });
    }
    expect((await patch(prospect.id, { tags: ["c"] })).body.data.tags).toEqual(["c"]);
    expect((await patch(prospect.id, { tags: [] })).body.data.tags).toEqual([]);
  });

  it("lets any stage follow any, and says when it last changed", async () => {
    const { id } = await make();
    for (const from of PROSPECT_STAGES) {
      for (const to of PROSPECT_STAGES) {
        await patch(id, { stage: from });
        stage.clock.advance(1_000);
        const before = (await stage.api("GET", `/prospects/${id}`)).body.data;
        const after = (await patch(id, { stage: to, notes: `${from} ${to}` })).body.data;
        expect(after.stage).toBe(to);
        expect(after.updatedAt).toBe(stage.clock.wallMs());
        expect(after.stageChangedAt).toBe(from === to ? before.stageChangedAt : after.updatedAt);
      }
    }
  });
});
