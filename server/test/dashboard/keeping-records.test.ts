/** What holds for all that staff keep: versions, references, deleting, and that nobody else's is reached. */
import type { ActionName } from "@lineup/api/dashboard/actions";
import { DATA_ACTIONS } from "@lineup/api/dashboard/data";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeId } from "../../src/store/ids.ts";
import { HOUR_MS } from "../contract/seed-records.ts";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Staff } from "./staff.ts";

let world: World;
let staff: Staff;
let key: string;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  const orgId = await makeOrg(world.server);
  await join(world.server, orgId, world.userIds.manager, "manager");
  staff = new Staff(world, world.visitors.manager, orgId);
  key = (await makeKey(world.server, orgId)).key;
});

const newTeam = (more: object = {}) => staff.do("createTeam", undefined, { name: "Alpha", game: "LoL", ...more });
const newPlayer = (more: object = {}) => staff.do("createPlayer", undefined, { ign: "Vex", role: "Player", ...more });
const detailsOf = (reply: { body: { error: { details?: { field: string; message: string }[] } } }) =>
  (reply.body.error.details ?? []).map(({ field }) => field);

describe("a version that was seen", () => {
  it("and is no longer the record's is a conflict, with the record as it is, and nothing is written", async () => {
    const player = await newPlayer();
    const renamed = await staff.do("updatePlayer", player.id, { updatedAt: player.updatedAt, ign: "Renamed" });
    for (const [name, body] of [
      ["updatePlayer", { ign: "Mine" }],
      ["deletePlayer", {}],
      ["movePlayer", { role: "Coach" }],
    ] as const) {
      const reply = await staff.refused(name, player.id, { ...body, updatedAt: player.updatedAt });
      expect(reply.body.error).toMatchObject({ code: "CONFLICT", current: renamed });
      expect(reply.status).toBe(409);
    }
  });

  it("is also outdated by a write through the API, and by time itself", async () => {
    const player = await newPlayer();
    await call(world.server, "PATCH", `/players/${player.id}`, { key, body: { ign: "By API" } });
    const reply = await staff.refused("updatePlayer", player.id, { updatedAt: player.updatedAt, ign: "Mine" });
    expect(reply.body.error.current).toMatchObject({ ign: "By API" });
    const terms = { playerId: player.id, startDate: 1, endDate: 2, status: "active" };
    const contract = await staff.do("createContract", undefined, terms);
    expect(contract).toMatchObject({ status: "expired", updatedAt: expect.any(Number) });
    const { updatedAt } = await staff.do("getContract", contract.id);
    await staff.do("updateContract", contract.id, { updatedAt, autoRenew: true });
  });

  it("must be said, and a change of nothing writes nothing", async () => {
    const player = await newPlayer();
    expect(detailsOf(await staff.refused("updatePlayer", player.id, { ign: "Mine" }))).toEqual(["updatedAt"]);
    const { seq } = await staff.look();
    await staff.do("updatePlayer", player.id, { updatedAt: player.updatedAt, ign: player.ign });
    expect(await staff.toldSince(seq)).toEqual([]);
  });
});

describe("what is written", () => {
  it("is seen by the API's next request, and told with who wrote it", async () => {
    const team = await newTeam({ externalIds: { board: "a" } });
    const listed = await call(world.server, "GET", "/teams", { key });
    expect(listed.body.data).toEqual([team]);
    const [entry] = await runSql(world.server.dataDir, "SELECT * FROM audit WHERE target_id = ?", team.id);
    expect(entry).toMatchObject({ action: "team.created", actor_kind: "user", actor_id: world.userIds.manager });
  });

  it("obeys the rules of the API: roles, external ids, lengths, references; all faults of form at once", async () => {
    const team = await newTeam({ externalIds: { board: "a" } });
    const wrong: readonly (readonly [ActionName, object, readonly string[]])[] = [
      ["createPlayer", { ign: "V", role: "AWPer", teamId: team.id }, ["role"]],
      ["createPlayer", { ign: "", role: "Mid", nationality: "Sweden", id: "player_1" }, ["ign", "nationality", "id"]],
      ["createTeam", { name: "B", game: "LoL", externalIds: { board: "a" } }, ["externalIds.board"]],
      ["createTeam", { name: "B", game: "Chess", playerCount: 3 }, ["game", "playerCount"]],
      ["createEvent", { title: "E", startsAt: 5, endsAt: 4 }, ["endsAt"]],
      ["createEvent", { title: "E", startsAt: 5, teamId: makeId("team") }, ["teamId"]],
      ["createContract", { playerId: makeId("player"), startDate: 5, endDate: 4 }, ["endDate", "playerId"]],
      ["createProspect", { ign: "N", game: "LoL", role: "AWPer", playerId: makeId("player") }, ["role", "playerId"]],
      ["createProspect", { ign: "A\nB", notes: "A\nB" }, ["ign"]],
    ];
    for (const [name, body, fields] of wrong) {
      const reply = await staff.refused(name, undefined, body);
      expect([name, reply.code, [...new Set(detailsOf(reply))].toSorted()]).toEqual([
        name,
        "VALIDATION_ERROR",
        [...fields].toSorted(),
      ]);
    }
  });

  it("of a team changes what its roster shows, and no game that its players' roles do not fit", async () => {
    const team = await newTeam();
    await newPlayer({ role: "Mid", teamId: team.id });
    const { updatedAt } = await staff.do("getTeam", team.id);
    expect(detailsOf(await staff.refused("updateTeam", team.id, { updatedAt, game: "CS2" }))).toEqual(["game"]);
    await staff.do("updateTeam", team.id, { updatedAt, name: "Alpha 2" });
    expect((await staff.do("listRoster")).items).toMatchObject([{ teamName: "Alpha 2" }]);
  });

  it("merges ids in other systems, and may take the name of one that is deleted", async () => {
    const team = await newTeam({ externalIds: { board: "a", wiki: "w" } });
    const { updatedAt } = await staff.do("updateTeam", team.id, {
      updatedAt: team.updatedAt,
      externalIds: { wiki: null, erp: "7" },
    });
    expect((await staff.do("getTeam", team.id)).externalIds).toEqual({ board: "a", erp: "7" });
    await staff.do("deleteTeam", team.id, { updatedAt });
    await newTeam({ externalIds: { board: "a" } });
  });

  it("of the schedule goes by steps, and remembers where it stood", async () => {
    const team = await newTeam({ game: "Valorant" });
    const made = await staff.do("createEvent", undefined, {
      title: "E",
      teamId: team.id,
      startsAt: 1_000,
      endsAt: 1_500,
    });
    expect(made).toMatchObject({ game: "Valorant", previousStartsAt: null });
    const moved = await staff.do("moveEvent", made.id, { updatedAt: made.updatedAt, startsAt: 2_000 });
    expect(moved).toMatchObject({ startsAt: 2_000, endsAt: 2_500, previousStartsAt: 1_000, status: "scheduled" });
    const cancelled = await staff.do("cancelEvent", made.id, { updatedAt: moved.updatedAt });
    const { updatedAt } = cancelled;
    const bodies = { moveEvent: { startsAt: 3 }, postponeEvent: {}, cancelEvent: {}, completeEvent: { result: null } };
    for (const [name, body] of Object.entries(bodies)) {
      expect(detailsOf(await staff.refused(name as ActionName, made.id, { ...body, updatedAt }))).toEqual(["status"]);
    }
    await staff.do("updateEvent", made.id, { updatedAt, status: "scheduled" });
  });
});

describe("deleting", () => {
  it("a player takes its assignments and contracts along, and frees the prospect, as was said before", async () => {
    const [alpha, beta] = [await newTeam(), await newTeam({ name: "Beta" })];
    const prospect = await staff.do("createProspect", undefined, { ign: "Nyx", game: "LoL", role: "Mid" });
    const signed = await staff.do("signProspect", prospect.id, {
      updatedAt: prospect.updatedAt,
      teamId: alpha.id,
      contract: { startDate: 1, status: "active", endDate: Date.now() + 1e9, externalIds: { erp: "1" } },
    });
    const id = signed.playerId ?? "";
    const [entry] = (await staff.do("listRoster")).items;
    await staff.do("movePlayer", id, { updatedAt: entry?.updatedAt, teamId: beta.id });
    const { updatedAt } = await staff.do("getPlayer", id);
    expect(await staff.do("previewPlayerDeletion", id)).toEqual({
      deletes: [
        { kind: "assignment", count: 2 },
        { kind: "contract", count: 1 },
      ],
      changes: [
        { kind: "team", count: 1 },
        { kind: "prospect", count: 1 },
      ],
      refusal: null,
    });
    const { seq } = await staff.look();
    await staff.do("deletePlayer", id, { updatedAt });
    expect(await staff.toldSince(seq)).toEqual([
      "player.deleted",
      ...["assignment.deleted", "assignment.deleted", "team.updated"],
      ...["contract.deleted", "prospect.updated"],
    ]);
    expect((await staff.do("getProspect", prospect.id)).playerId).toBeNull();
    const reasons = await runSql(
      world.server.dataDir,
      "SELECT facts FROM audit WHERE org_id = ? AND action LIKE '%.deleted'",
      staff.orgId,
    );
    for (const { facts } of reasons) expect(JSON.parse(String(facts))).toMatchObject({ reason: "deleted" });
    for (const table of ["players", "assignments", "contracts", "contract_clock", "external_ids"]) {
      const rows = await runSql(world.server.dataDir, `SELECT * FROM ${table} WHERE org_id = ?`, staff.orgId);
      expect([table, rows]).toEqual([table, []]);
    }
    expect((await call(world.server, "GET", `/players/${id}`, { key })).status).toBe(404);
  });

  it("a team is refused once anything referred to it, gone or not, and says to make it inactive", async () => {
    type Refer = (teamId: string) => Promise<{ readonly id: string; readonly updatedAt: number }>;
    const referring: readonly Refer[] = [
      (teamId) => newPlayer({ role: "Mid", teamId }),
      (teamId) => staff.do("createEvent", undefined, { title: "E", startsAt: 1, teamId }),
      (targetTeamId) => staff.do("createProspect", undefined, { ign: "N", targetTeamId }),
      async (teamId) =>
        staff.do("createContract", undefined, { playerId: (await newPlayer()).id, startDate: 1, teamId }),
    ];
    const other = await newTeam({ name: "Other" });
    for (const refer of referring) {
      const team = await newTeam();
      const before = await staff.look();
      await refer(team.id);
      await expectRefusal(team.id);
      await undoAllSince(before);
      await expectRefusal(team.id);
    }
    const left = await newTeam();
    const event = await referring[1]?.(left.id);
    await staff.do("updateEvent", event?.id, { updatedAt: event?.updatedAt, teamId: other.id });
    await expectRefusal(left.id);
    const team = await newTeam();
    await staff.do("updateTeam", team.id, { updatedAt: team.updatedAt, name: `No ${left.id}` });
    const { updatedAt } = await staff.do("getTeam", team.id);
    await staff.do("deleteTeam", team.id, { updatedAt });
  });

  async function expectRefusal(teamId: string): Promise<void> {
    const { updatedAt } = await staff.do("getTeam", teamId);
    const { body } = await staff.refused("deleteTeam", teamId, { updatedAt });
    expect(body.error).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("inactive") });
    expect((await staff.do("previewTeamDeletion", teamId)).refusal).toBe(body.error.message);
  }

  async function undoAllSince(before: Awaited<ReturnType<Staff["look"]>>): Promise<void> {
    const { records } = await staff.look();
    const deletions = {
      player: "deletePlayer",
      event: "deleteEvent",
      prospect: "deleteProspect",
      contract: "deleteContract",
    };
    for (const { id, updatedAt } of [...records.values()].reverse()) {
      const deletion = deletions[id.split("_")[0] as keyof typeof deletions];
      if (before.records.has(id) || deletion === undefined) continue;
      const current = (await staff.look()).records.get(id);
      if (current !== undefined)
        await staff.do(deletion as ActionName, id, { updatedAt: current.updatedAt ?? updatedAt });
    }
  }
});

describe("a record of another organization", () => {
  it("is answered as one that nobody has, whatever is asked of it", async () => {
    const other = new Staff(world, world.visitors.stranger, world.second);
    const team = await other.do("createTeam", undefined, { name: "Theirs", game: "LoL" });
    const player = await other.do("createPlayer", undefined, { ign: "Theirs", role: "Mid", teamId: team.id });
    const contract = await other.do("createContract", undefined, { playerId: player.id, startDate: 1 });
    const event = await other.do("createEvent", undefined, { title: "Theirs", startsAt: 1 });
    const prospect = await other.do("createProspect", undefined, { ign: "Theirs" });
    const [entry] = (await other.do("listRoster")).items;
    const ids = { players: player.id, teams: team.id, roster: entry?.id, schedule: event.id, prospects: prospect.id };
    const theirs: Readonly<Record<string, string | undefined>> = { ...ids, contracts: contract.id };
    const bodies: Readonly<Record<string, object>> = {
      moveEvent: { startsAt: 1 },
      completeEvent: { result: null },
      renewContract: { endDate: null },
    };
    const before = await other.look();
    for (const { name, path, method } of DATA_ACTIONS) {
      const id = theirs[path.split("/")[3] ?? ""];
      if (!path.includes("{recordId}") || id === undefined) continue;
      const answers = [];
      for (const recordId of [id, makeId(id.split("_")[0] as "player"), "nonsense"]) {
        const body = method === "GET" ? undefined : { updatedAt: 1, ...bodies[name] };
        const reply = await staff.refused(name, recordId, body);
        answers.push([reply.code, reply.body.error]);
      }
      expect([name, answers[0]?.[0], new Set(answers.map((one) => JSON.stringify(one))).size]).toEqual([
        name,
        "NOT_FOUND",
        1,
      ]);
    }
    expect(
      detailsOf(await staff.refused("createPlayer", undefined, { ign: "V", role: "Mid", teamId: team.id })),
    ).toEqual(["teamId"]);
    expect(await other.look()).toEqual(before);
  });
});

describe("a list", () => {
  it("takes the public list's filters, and goes on behind its cursor in any order", async () => {
    for (let index = 0; index < 7; index++)
      await newPlayer({ ign: `P${index % 3}`, status: index < 5 ? "active" : "benched" });
    const all = (await staff.do("listPlayers")).items;
    for (const query of [{}, { sort: "ign" }, { sort: "-status" }, { sort: "teamId" }, { status: "active" }]) {
      const path = { orgId: staff.orgId };
      const whole = (await staff.visitor.do("listPlayers", { path, query })).items.map(({ id }) => id);
      const walked: string[] = [];
      let cursor: string | null = null;
      do {
        const more: Record<string, string> = cursor === null ? {} : { cursor };
        const page = await staff.visitor.do("listPlayers", { path, query: { ...query, ...more, limit: "2" } });
        walked.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(walked).toEqual(whole);
      expect(whole.length).toBe("status" in query ? 5 : all.length);
    }
    const wrong = { path: { orgId: staff.orgId }, query: { cursor: makeId("player"), limit: "501", colour: "red" } };
    const reply = await staff.visitor.try("listPlayers", wrong);
    expect(detailsOf(reply as never).toSorted()).toEqual(["colour", "limit"]);
  });

  it("in the order of ids is walked on behind a record that is gone, and passes over none that moves", async () => {
    const ids: string[] = [];
    for (let startsAt = 10; startsAt < 16; startsAt++)
      ids.push((await staff.do("createEvent", undefined, { title: "E", startsAt: startsAt * HOUR_MS })).id);
    ids.sort();
    const path = { orgId: staff.orgId };
    const read = (more: object) =>
      staff.visitor.do("listSchedule", { path, query: { from: "0", sort: "id", limit: "3", ...more } });
    const first = await read({});
    const [boundary, moved] = [ids[2] as string, ids[4] as string];
    await staff.do("deleteEvent", boundary, { updatedAt: first.items[2]?.updatedAt });
    const { updatedAt } = await staff.do("getEvent", moved);
    await staff.do("moveEvent", moved, { updatedAt, startsAt: HOUR_MS });
    const rest = await read({ cursor: first.nextCursor });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids);
    expect(rest.nextCursor).toBeNull();
    const other = await staff.visitor.try("listSchedule", { path, query: { from: "0", cursor: boundary } });
    expect(detailsOf(other as never)).toEqual(["cursor"]);
  });
});
