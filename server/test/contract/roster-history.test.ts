/** Assignments as they follow their players: one closes and another opens, and what an entry shows is today's. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type LooseItem, openStage, type Stage } from "./checked-call.ts";
import { DAY_MS } from "./seed-records.ts";

let stage: Stage;
let now: number;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.stop());
beforeEach(() => {
  stage.clock.advance(DAY_MS);
  now = stage.clock.wallMs();
});

const make = async (body: object): Promise<LooseItem> =>
  (await stage.api("POST", "/players", { ign: "Vex", role: "Player", ...body })).body.data;
const patch = async (id: string, body: object): Promise<LooseItem> =>
  (await stage.api("PATCH", `/players/${id}`, body)).body.data;
const openOf = async (id: string): Promise<LooseItem[]> =>
  (await stage.list("/roster")).filter(({ playerId }) => playerId === id);
const openAt = async (id: string, asOf: number): Promise<LooseItem[]> =>
  (await stage.list(`/roster?asOf=${asOf}`)).filter(({ playerId }) => playerId === id);
const teamNow = async (id: string): Promise<LooseItem> => (await stage.list("/teams")).find((team) => team.id === id);

describe("the first assignment", () => {
  it("begins at joinDate, and shows the player and the team", async () => {
    const { LoL: team } = stage.seed.teams;
    const joinDate = now - 10 * DAY_MS;
    const player = await make({ role: "Jungle", teamId: team.id, joinDate, realName: "Elin", status: "benched" });
    const [entry, ...others] = await openOf(player.id);
    expect(others).toEqual([]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^assignment_/),
      playerId: player.id,
      ign: "Vex",
      realName: "Elin",
      role: "Jungle",
      kind: "player",
      teamId: team.id,
      teamName: team.name,
      game: "LoL",
      isStarter: true,
      isCaptain: false,
      status: "benched",
      joinedAt: joinDate,
      leftAt: null,
      createdAt: now,
      updatedAt: now,
    });
  });

  it("begins at joinDate also for a player who joins a team only later", async () => {
    const { id } = await make({ joinDate: now - DAY_MS });
    expect(await openOf(id)).toEqual([]);
    await patch(id, { teamId: stage.seed.teams.Other.id });
    expect(await openOf(id)).toMatchObject([{ joinedAt: now - DAY_MS, leftAt: null }]);
  });

  it("goes along when joinDate is corrected", async () => {
    const { id } = await make({ teamId: stage.seed.teams.Other.id });
    const [before] = await openOf(id);
    const joinDate = now - 3 * DAY_MS;
    await patch(id, { joinDate });
    expect(await openOf(id)).toEqual([{ ...before, joinedAt: joinDate, updatedAt: now + 1 }]);
  });
});

describe("a change of team", () => {
  it("closes the assignment, opens another now, and counts both teams' players anew", async () => {
    const { LoL, CS2 } = stage.seed.teams;
    const player = await make({ role: "Support", teamId: LoL.id, joinDate: now - DAY_MS });
    const [first] = await openOf(player.id);
    const [oldTeam, newTeam] = [await teamNow(LoL.id), await teamNow(CS2.id)];
    stage.clock.advance(1_000);
    await patch(player.id, { teamId: CS2.id });
    const [second, ...others] = await openOf(player.id);
    expect(others).toEqual([]);
    expect(second).toMatchObject({ teamId: CS2.id, game: "CS2", joinedAt: now + 1_000, leftAt: null });
    expect(second.id > first.id).toBe(true);
    const [closed] = await openAt(player.id, now);
    expect(closed).toEqual({ ...first, leftAt: now + 1_000, updatedAt: now + 1_000 });
    expect(await openAt(player.id, now + 1_000)).toEqual([second]);
    expect(await teamNow(LoL.id)).toEqual({
      ...oldTeam,
      playerCount: oldTeam.playerCount - 1,
      updatedAt: now + 1_000,
    });
    expect(await teamNow(CS2.id)).toEqual({
      ...newTeam,
      playerCount: newTeam.playerCount + 1,
      updatedAt: now + 1_000,
    });
  });

  it("to none closes the assignment and opens nothing; the next one begins when it is made", async () => {
    const { Other } = stage.seed.teams;
    const { id } = await make({ teamId: Other.id });
    const { playerCount } = await teamNow(Other.id);
    stage.clock.advance(5);
    await patch(id, { teamId: null });
    expect(await openOf(id)).toEqual([]);
    expect((await teamNow(Other.id)).playerCount).toBe(playerCount - 1);
    stage.clock.advance(5);
    await patch(id, { teamId: Other.id });
    expect(await openOf(id)).toMatchObject([{ joinedAt: now + 10 }]);
    expect(await openAt(id, now + 7)).toEqual([]);
    expect((await teamNow(Other.id)).playerCount).toBe(playerCount);
  });

  it("moves the team's updatedAt with every player, also within one millisecond", async () => {
    const { Other } = stage.seed.teams;
    const seen: number[] = [];
    for (let index = 0; index < 3; index++) {
      await make({ teamId: Other.id });
      seen.push((await teamNow(Other.id)).updatedAt);
    }
    expect(seen).toEqual([now, now + 1, now + 2]);
  });
});

describe("a change of role", () => {
  it("closes the assignment and opens another in the same team, whose count stays", async () => {
    const { LoL } = stage.seed.teams;
    const { id } = await make({ role: "Mid", teamId: LoL.id });
    const team = await teamNow(LoL.id);
    stage.clock.advance(50);
    await patch(id, { role: "Coach" });
    expect(await openOf(id)).toMatchObject([{ role: "Coach", kind: "staff", isStarter: false, joinedAt: now + 50 }]);
    expect(await openAt(id, now + 49)).toMatchObject([
      { role: "Mid", kind: "player", isStarter: true, leftAt: now + 50 },
    ]);
    expect(await teamNow(LoL.id)).toEqual(team);
  });

  it("without a team changes the player alone", async () => {
    const { id } = await make({});
    await patch(id, { role: "Captain" });
    expect(await openOf(id)).toEqual([]);
  });

  it.each([
    ["Player", "player", true],
    ["Captain", "player", true],
    ["Substitute", "player", false],
    ["Coach", "staff", false],
    ["Analyst", "staff", false],
    ["Manager", "staff", false],
  ])("to %s makes it %s, starting: %s", async (role, kind, isStarter) => {
    const { id } = await make({ role, teamId: stage.seed.teams.Other.id });
    expect(await openOf(id)).toMatchObject([{ role, kind, isStarter }]);
  });
});

describe("an entry", () => {
  it("shows today's names and status, closed ones too, and has changed when they have", async () => {
    const { Other } = stage.seed.teams;
    const { id } = await make({ teamId: Other.id });
    stage.clock.advance(10);
    await patch(id, { role: "Coach" });
    const before = [...(await openAt(id, now)), ...(await openOf(id))];
    expect(before).toHaveLength(2);
    for (const body of [{ ign: "New" }, { realName: "Named" }, { status: "inactive" }]) {
      const earlier = [...(await openAt(id, now)), ...(await openOf(id))];
      await patch(id, body);
      const later = [...(await openAt(id, now)), ...(await openOf(id))];
      expect(later).toMatchObject([body, body]);
      for (const [index, entry] of later.entries()) expect(entry.updatedAt).toBeGreaterThan(earlier[index].updatedAt);
    }
    expect((await stage.list("/roster?status=inactive")).map(({ playerId }) => playerId)).toContain(id);
  });

  it("stays as it is when the player changes in what it does not show", async () => {
    const { id } = await make({ teamId: stage.seed.teams.Other.id });
    const before = await openOf(id);
    stage.clock.advance(10);
    await patch(id, { nationality: "SE", contractStatus: "active", teamId: stage.seed.teams.Other.id, role: "Player" });
    expect(await openOf(id)).toEqual(before);
  });
});
