/** Roles against the game of the team that the player will have, and when INVALID_ROLE is the answer. */
import { ALL_ROLES, GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { expectError, openStage, type Stage } from "./checked-call.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());

const post = (body: object) => stage.api("POST", "/players", { ign: "Vex", ...body });
const patch = (id: string, body: object) => stage.api("PATCH", `/players/${id}`, body);

describe("a player's role", () => {
  it("is taken where it is of the team's game, without a team where it is of Other, and refused everywhere else", async () => {
    const teams = [...GAMES.map((game) => [game, stage.seed.teams[game].id] as const), ["Other", null] as const];
    for (const [game, teamId] of teams) {
      for (const role of [...ALL_ROLES, "", "mid", " Mid", "Nobody", "toString"]) {
        const reply = await post({ role, teamId });
        if (ROLES_BY_GAME[game].includes(role)) expect(reply.status, `${role} in ${game}`).toBe(201);
        else {
          expectError(reply, "INVALID_ROLE");
          for (const valid of ROLES_BY_GAME[game]) expect(reply.body.error.message).toContain(valid);
        }
      }
    }
  });

  it("is checked against the team the player will have, not the one it has", async () => {
    const { LoL, CS2 } = stage.seed.teams;
    const { id } = (await post({ role: "Mid", teamId: LoL.id })).body.data;
    expectError(await patch(id, { teamId: CS2.id }), "INVALID_ROLE");
    expectError(await patch(id, { teamId: null }), "INVALID_ROLE");
    expectError(await patch(id, { role: "AWPer" }), "INVALID_ROLE");
    expectError(await patch(id, { teamId: CS2.id, role: "Mid" }), "INVALID_ROLE");
    expect((await patch(id, { teamId: CS2.id, role: "AWPer" })).body.data).toMatchObject({
      teamId: CS2.id,
      role: "AWPer",
    });
    expect((await patch(id, { role: "Support" })).status).toBe(200);
    expect((await patch(id, { teamId: LoL.id })).body.data).toMatchObject({ teamId: LoL.id, role: "Support" });
    expect((await patch(id, { teamId: null, role: "Player" })).body.data).toMatchObject({
      teamId: null,
      role: "Player",
    });
  });

  it("leaves a refused player as it was", async () => {
    const { data } = (await post({ role: "Mid", teamId: stage.seed.teams.LoL.id })).body;
    expectError(await patch(data.id, { ign: "Changed", role: "Nobody" }), "INVALID_ROLE");
    expect((await stage.api("GET", `/players/${data.id}`)).body.data).toEqual(data);
  });

  it("is INVALID_ROLE only as the sole fault, and else one of the details", async () => {
    const role = "Nobody";
    expectError(await post({ role }), "INVALID_ROLE");
    for (const other of [{ ign: "" }, { nosuch: 1 }, { status: "x" }, { externalIds: { board: "seed-vex" } }]) {
      const reply = await post({ role, ...other });
      expectError(reply, "VALIDATION_ERROR");
      expect(reply.body.error.details).toContainEqual({ field: "role", message: expect.any(String) });
      expect(reply.body.error.details).toHaveLength(2);
    }
    const unknownTeam = await post({ role, teamId: makeId("team") });
    expectError(unknownTeam, "VALIDATION_ERROR");
    expect(unknownTeam.body.error.details.map(({ field }: { field: string }) => field)).toEqual(["teamId"]);
    for (const wrong of [null, 1, [], {}]) expectError(await post({ role: wrong }), "VALIDATION_ERROR");
  });
});

describe("a prospect's role", () => {
  const add = (body: object) => stage.api("POST", "/prospects", { ign: "Nyx", ...body });

  it("is VALIDATION_ERROR on role where it is not of the prospect's game", async () => {
    for (const game of [undefined, ...GAMES]) {
      for (const role of [...ALL_ROLES, "", "Nobody"]) {
        const reply = await add(game === undefined ? { role } : { game, role });
        if (ROLES_BY_GAME[game ?? "Other"].includes(role)) expect(reply.status).toBe(201);
        else {
          expectError(reply, "VALIDATION_ERROR");
          expect(reply.body.error.details).toEqual([
            { field: "role", message: expect.stringContaining(game ?? "Other") },
          ]);
        }
      }
    }
    expectError(await add({ role: 1 }), "VALIDATION_ERROR");
  });

  it("must fit the game that the prospect will have", async () => {
    const { id } = (await add({ game: "LoL", role: "Mid" })).body.data;
    const update = (body: object) => stage.api("PATCH", `/prospects/${id}`, body);
    expectError(await update({ game: "CS2" }), "VALIDATION_ERROR");
    expectError(await update({ role: "AWPer" }), "VALIDATION_ERROR");
    expect((await update({ game: "CS2", role: "AWPer" })).status).toBe(200);
    expect((await update({ game: "Other", role: null })).body.data).toMatchObject({ game: "Other", role: null });
  });
});
