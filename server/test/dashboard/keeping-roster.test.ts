/** Moves of players, as staff make them and take them back. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { CONTRADICTIONS } from "../store-contradictions.ts";
import { makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Staff } from "./staff.ts";

const START = Date.now();
const HOUR_MS = 3_600_000;
const clock = new ManualClock(START);
let world: World;
let staff: Staff;
let alpha: string;
let beta: string;
let playerId: string;

beforeAll(async () => {
  world = await makeWorld({ clock });
});
afterAll(() => world?.stop());
beforeEach(async () => {
  const orgId = await makeOrg(world.server);
  await join(world.server, orgId, world.userIds.manager, "manager");
  staff = new Staff(world, world.visitors.manager, orgId, () => clock.wallMs());
  alpha = (await staff.do("createTeam", undefined, { name: "Alpha", game: "LoL" })).id;
  beta = (await staff.do("createTeam", undefined, { name: "Beta", game: "CS2" })).id;
  const joined = { role: "Mid", teamId: alpha, joinDate: clock.wallMs() - 10 * HOUR_MS };
  playerId = (await staff.do("createPlayer", undefined, { ign: "Vex", ...joined })).id;
  clock.advance(HOUR_MS);
});

async function standing() {
  const player = await staff.do("getPlayer", playerId);
  const open = (await staff.do("listRoster")).items.find((one) => one.playerId === playerId);
  return { player, open, updatedAt: open?.updatedAt ?? player.updatedAt };
}

async function move(body: object) {
  const { updatedAt } = await standing();
  return (await staff.do("movePlayer", playerId, { updatedAt, ...body })).entry;
}

async function history() {
  const rows = await runSql(
    world.server.dataDir,
    "SELECT team_id, role, joined_at, left_at FROM assignments WHERE org_id = ? ORDER BY joined_at, id",
    staff.orgId,
  );
  return rows.map((row) => [
    row.team_id,
    row.role,
    Number(row.joined_at),
    row.left_at === null ? null : Number(row.left_at),
  ]);
}

async function refusedMove(body: object) {
  const { updatedAt } = await standing();
  const { body: answer } = await staff.refused("movePlayer", playerId, { updatedAt, ...body });
  return answer.error.details.map(({ field }: { field: string }) => field);
}

it("a move closes one assignment and opens the next, and sets the player's team and role", async () => {
  const joined = clock.wallMs() - 11 * HOUR_MS;
  const entry = await move({ teamId: beta, role: "AWPer", isStarter: false, isCaptain: true });
  expect(entry).toMatchObject({ teamId: beta, role: "AWPer", isStarter: false, isCaptain: true, leftAt: null });
  expect(await history()).toEqual([
    [alpha, "Mid", joined, clock.wallMs()],
    [beta, "AWPer", clock.wallMs(), null],
  ]);
  expect((await standing()).player).toMatchObject({ teamId: beta, role: "AWPer" });
  for (const [name, statement] of Object.entries(CONTRADICTIONS)) {
    expect([name, await runSql(world.server.dataDir, statement)]).toEqual([name, []]);
  }
});

it("a move of starter or captain alone is one too, keeps the other, and leaves the player as it is", async () => {
  const { player } = await standing();
  expect(await move({ isCaptain: true })).toMatchObject({ role: "Mid", isStarter: true, isCaptain: true });
  expect(await move({ isStarter: false })).toMatchObject({ role: "Mid", isStarter: false, isCaptain: true });
  expect((await history()).length).toBe(3);
  expect((await standing()).player).toEqual(player);
  const { seq } = await staff.look();
  await move({ isStarter: false, role: "Mid" });
  expect(await staff.toldSince(seq)).toEqual([]);
});

it("a move in the past lies behind the last one, and none lies ahead", async () => {
  const at = clock.wallMs() - HOUR_MS;
  expect(await move({ role: "Top", at })).toMatchObject({ joinedAt: at });
  expect(await refusedMove({ role: "Mid", at: at - 1 })).toEqual(["at"]);
  expect(await refusedMove({ role: "Mid", at: clock.wallMs() + 1 })).toEqual(["at"]);
  expect(await move({ role: "Mid", at })).toMatchObject({ joinedAt: at });
  expect(await refusedMove({ teamId: beta })).toEqual(["role"]);
  expect(await refusedMove({ teamId: null })).toEqual(["role"]);
  expect(await move({ teamId: null, role: "Player", at: at + 5 })).toBeNull();
  expect(await refusedMove({ teamId: beta, role: "AWPer", at: at + 4 })).toEqual(["at"]);
  expect(await move({ teamId: beta, role: "AWPer", at: at + 5 })).toMatchObject({ joinedAt: at + 5 });
});

it("a first move begins when the player joined, unless that is said", async () => {
  const joinDate = clock.wallMs() - 5 * HOUR_MS;
  for (const [at, joinedAt] of [
    [undefined, joinDate],
    [joinDate + 7, joinDate + 7],
  ]) {
    const { id, updatedAt } = await staff.do("createPlayer", undefined, { ign: "New", role: "Player", joinDate });
    const tooEarly = { updatedAt, teamId: alpha, role: "Top", at: joinDate - 1 };
    await staff.refused("movePlayer", id, tooEarly);
    const body = { updatedAt, teamId: alpha, role: "Top", ...(at === undefined ? {} : { at }) };
    expect((await staff.do("movePlayer", id, body)).entry).toMatchObject({ joinedAt, role: "Top" });
  }
});

it("one step back opens what the last move closed, and deletes what it opened", async () => {
  const before = [await standing(), await history()] as const;
  await move({ teamId: beta, role: "AWPer" });
  clock.advance(HOUR_MS);
  const { updatedAt } = await standing();
  const { seq } = await staff.look();
  const { entry } = await staff.do("undoMove", playerId, { updatedAt });
  expect(entry).toMatchObject({ id: before[0].open?.id, teamId: alpha, role: "Mid", leftAt: null });
  expect(await history()).toEqual(before[1]);
  expect(await staff.toldSince(seq)).toEqual([
    "player.updated",
    ...["assignment.deleted", "assignment.updated", "team.updated", "team.updated"],
  ]);
  // The same step asked for twice is taken once.
  expect((await staff.refused("undoMove", playerId, { updatedAt })).code).toBe("CONFLICT");
});

it("one step back brings somebody back who has left, and out of a team that was the first only with a role for that", async () => {
  await move({ teamId: null, role: "Player" });
  const gone = await standing();
  expect((await staff.do("undoMove", playerId, { updatedAt: gone.updatedAt })).entry).toMatchObject({ teamId: alpha });
  const coach = await staff.do("createPlayer", undefined, { ign: "Coach", role: "Coach" });
  clock.advance(HOUR_MS);
  const { entry } = await staff.do("movePlayer", coach.id, { updatedAt: coach.updatedAt, teamId: alpha, role: "Top" });
  const refused = await staff.refused("undoMove", coach.id, { updatedAt: entry?.updatedAt });
  expect(refused.body.error.details).toMatchObject([{ field: "role" }]);
});

it("a first move into a team is taken back, and a team that came with the player is no move", async () => {
  const coach = await staff.do("createPlayer", undefined, { ign: "Coach", role: "Coach" });
  clock.advance(HOUR_MS);
  const { entry } = await staff.do("movePlayer", coach.id, { updatedAt: coach.updatedAt, teamId: alpha });
  expect((await staff.do("undoMove", coach.id, { updatedAt: entry?.updatedAt })).entry).toBeNull();
  const alone = await staff.do("getPlayer", coach.id);
  expect(alone.teamId).toBeNull();
  const before = await history();
  for (const [id, updatedAt] of [
    [coach.id, alone.updatedAt],
    [playerId, (await standing()).updatedAt],
  ] as const) {
    const { body } = await staff.refused("undoMove", id, { updatedAt });
    const message = expect.stringContaining("no move to take back");
    expect(body.error.details).toEqual([{ field: "playerId", message }]);
  }
  // Nor is it once a later move was taken back.
  await move({ teamId: beta, role: "AWPer" });
  await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt });
  await staff.refused("undoMove", playerId, { updatedAt: (await standing()).updatedAt });
  expect(await history()).toEqual(before);
});

it("a team that somebody once played for cannot be deleted", async () => {
  await move({ teamId: beta, role: "AWPer" });
  const { updatedAt } = await staff.do("getTeam", alpha);
  expect((await staff.refused("deleteTeam", alpha, { updatedAt })).code).toBe("CONFLICT");
});

it("one player's teams and roles are listed from the first to the open one, and nobody else's", async () => {
  const other = await staff.do("createPlayer", undefined, { ign: "Ash", role: "Top", teamId: alpha });
  await move({ teamId: beta, role: "AWPer" });
  clock.advance(HOUR_MS);
  await move({ role: "Lurker" });
  const { items } = await staff.do("listAssignments", playerId);
  expect(items.map(({ teamName, role, leftAt }) => [teamName, role, leftAt === null])).toEqual([
    ["Alpha", "Mid", false],
    ["Beta", "AWPer", false],
    ["Beta", "Lurker", true],
  ]);
  expect((await staff.do("listAssignments", other.id)).items).toMatchObject([{ ign: "Ash", leftAt: null }]);
  await staff.refused("listAssignments", "player_00000000000000000000000000");
});

it("one step back leads to the team before, also where the first was to begin only later", async () => {
  const later = { role: "Substitute", teamId: alpha, joinDate: clock.wallMs() + 720 * HOUR_MS };
  playerId = (await staff.do("createPlayer", undefined, { ign: "Nox", ...later })).id;
  await move({ teamId: beta });
  expect((await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt })).entry).toMatchObject({
    teamId: alpha,
  });
  const gamma = (await staff.do("createTeam", undefined, { name: "Gamma", game: "Valorant" })).id;
  for (const teamId of [beta, gamma, null]) {
    clock.advance(HOUR_MS);
    await move({ teamId });
  }
  expect((await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt })).entry).toMatchObject({
    teamId: gamma,
  });
  // One who left is taken back to nobody's team, whatever was to begin.
  await move({ teamId: null });
  clock.advance(HOUR_MS);
  await move({ teamId: beta });
  expect((await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt })).entry).toBeNull();
  await move({ teamId: gamma });
  // The day on which the first was to begin has come.
  clock.advance(1_000 * HOUR_MS);
  await move({ teamId: null });
  expect((await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt })).entry).toMatchObject({
    teamId: gamma,
  });
});

it("who left before the day of joining, and came back elsewhere, is taken back to no team", async () => {
  const later = { role: "Substitute", teamId: alpha, joinDate: clock.wallMs() + 720 * HOUR_MS };
  playerId = (await staff.do("createPlayer", undefined, { ign: "Nox", ...later })).id;
  await move({ teamId: null });
  clock.advance(HOUR_MS);
  await move({ teamId: beta });
  expect((await staff.do("undoMove", playerId, { updatedAt: (await standing()).updatedAt })).entry).toBeNull();
});

it("a player who left before the day of joining can be moved to a moment that has passed", async () => {
  const later = { role: "Substitute", teamId: alpha, joinDate: clock.wallMs() + 720 * HOUR_MS };
  playerId = (await staff.do("createPlayer", undefined, { ign: "Nox", ...later })).id;
  await move({ teamId: null });
  clock.advance(HOUR_MS);
  expect(await move({ teamId: beta, at: clock.wallMs() - 5 })).toMatchObject({ teamId: beta });
});

it("nobody is in two teams at once, also where joinDate is corrected or the clock goes back", async () => {
  const joinDate = clock.wallMs() + 720 * HOUR_MS;
  const body = { ign: "Nox", role: "Substitute", teamId: alpha, joinDate };
  const { id } = await staff.do("createPlayer", undefined, body);
  playerId = id;
  await move({ teamId: null });
  const began = clock.wallMs() - HOUR_MS;
  await staff.do("updatePlayer", id, { updatedAt: (await standing()).updatedAt, joinDate: began });
  await move({ teamId: beta });
  clock.advance(HOUR_MS);
  await move({ teamId: alpha });
  clock.jumpWall(-5);
  await move({ teamId: beta });
  clock.jumpWall(5);
  const spans = (await history()).filter(([, , from, to]) => from !== to).slice(-3);
  for (const [index, [, , from]] of spans.entries()) {
    expect(Number(from)).toBeGreaterThanOrEqual(Number(spans[index - 1]?.[3] ?? 0));
  }
  expect((await history()).filter(([, , from, to]) => from === began && to === began)).toHaveLength(1);
});

it("Home is told of no stay that begins later, but of one that never was and was left for another team", async () => {
  const later = { role: "Mid", teamId: alpha, joinDate: clock.wallMs() + 20 * 24 * HOUR_MS };
  const shown = async () => {
    const { moves } = await staff.do("getHome");
    return moves.filter((one) => one.playerId !== playerId).map(({ ign, teamId }) => [ign, teamId]);
  };
  const nyx = await staff.do("createPlayer", undefined, { ign: "Nyx", ...later });
  expect(await shown()).toEqual([]);
  clock.advance(HOUR_MS);
  const open = (await staff.do("listRoster")).items.find((one) => one.playerId === nyx.id);
  const body = { updatedAt: open?.updatedAt ?? 0, teamId: beta, role: "AWPer" };
  await staff.do("movePlayer", nyx.id, body);
  expect(await shown()).toEqual([
    ["Nyx", alpha],
    ["Nyx", beta],
  ]);
});
