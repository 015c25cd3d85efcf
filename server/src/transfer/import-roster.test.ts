import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { lines, NOW, TransferFixture } from "../../test/transfer-fixture.ts";

let fixture: TransferFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await TransferFixture.open();
});
beforeEach(async () => {
  orgId = await fixture.makeOrg();
});
afterAll(async () => {
  await fixture.close();
});

const TEAMS = lines("externalId,name,game", "a,Alpha,LoL", "b,Beta,CS2");
const PLAYERS = lines("externalId,ign,role,team,joinDate", "p1,Vex,Mid,a,1000", "p2,Nyx,AWPer,b,2000");
const ROSTER = "externalId,player,team,role,isStarter,isCaptain,joinedAt,leftAt";
const later = { now: NOW + 1_000 };

interface Assignment {
  readonly ign: unknown;
  readonly team: unknown;
  readonly role: unknown;
  readonly from: unknown;
  readonly to: unknown;
}

async function listAssignments(): Promise<Assignment[]> {
  expect(await fixture.findContradictions()).toEqual([]);
  const players = new Map((await fixture.rows(orgId, "players")).map((row) => [row.id, row.ign]));
  const teams = new Map((await fixture.rows(orgId, "teams")).map((row) => [row.id, row.name]));
  return (await fixture.rows(orgId, "assignments")).map((row) => ({
    ign: players.get(row.player_id),
    team: teams.get(row.team_id),
    role: row.role,
    from: row.joined_at,
    to: row.left_at,
  }));
}

const VEX = { ign: "Vex", team: "Alpha", role: "Mid", from: 1_000, to: null };
const NYX = { ign: "Nyx", team: "Beta", role: "AWPer", from: 2_000, to: null };

describe("without roster.csv assignments follow from the players", () => {
  beforeEach(async () => {
    await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
  });

  test("the first begins at joinDate", async () => {
    expect(await listAssignments()).toEqual([VEX, NYX]);
    expect(await fixture.rows(orgId, "assignments")).toMatchObject([
      { is_starter: 1, is_captain: 0, kind: "player", import_id: null },
      { is_starter: 1 },
    ]);
  });

  test("a change of team or role closes one and opens another", async () => {
    const players = lines("externalId,role,team", "p1,Substitute,a", "p2,Coach,a");
    await fixture.importFiles(orgId, { "players.csv": players }, later);
    expect(await listAssignments()).toEqual([
      { ...VEX, to: NOW + 1_000 },
      { ...NYX, to: NOW + 1_000 },
      { ...VEX, role: "Substitute", from: NOW + 1_000 },
      { ...NYX, team: "Alpha", role: "Coach", from: NOW + 1_000 },
    ]);
    expect((await fixture.rows(orgId, "teams")).map((row) => [row.player_count, row.updated_at])).toEqual([
      [2, NOW + 1_000],
      [0, NOW + 1_000],
    ]);
  });

  test("a player who leaves the team has none that is open", async () => {
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,role,team", "p1,Player,") }, later);
    expect(await listAssignments()).toEqual([{ ...VEX, to: NOW + 1_000 }, NYX]);
  });

  test("the first goes along when joinDate is corrected", async () => {
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,joinDate", "p1,500") }, later);
    expect(await listAssignments()).toEqual([{ ...VEX, from: 500 }, NYX]);
  });

  test("a later roster.csv takes over the open one that it means", async () => {
    const roster = lines(ROSTER, "r1,p1,a,Mid,,true,,");
    const summary = await fixture.importFiles(orgId, { "roster.csv": roster }, later);
    expect(summary).toEqual({ roster: { created: 0, updated: 1, unchanged: 0 } });
    expect(await listAssignments()).toEqual([VEX, NYX]);
    expect(await fixture.rows(orgId, "assignments")).toMatchObject([
      { import_id: "r1", is_captain: 1 },
      { import_id: null },
    ]);
    const again = await fixture.importFiles(orgId, { "roster.csv": roster }, later);
    expect(again).toEqual({ roster: { created: 0, updated: 0, unchanged: 1 } });
  });
});

describe("with roster.csv its rows are the assignments", () => {
  test("with history, starters and captains as the file says", async () => {
    await fixture.importFiles(orgId, {
      "teams.csv": TEAMS,
      "players.csv": PLAYERS,
      "roster.csv": lines(ROSTER, "r1,p1,b,Rifler,,,500,900", "r2,p1,a,Mid,no,yes,900,", "r3,p2,b,AWPer,,,,"),
    });
    expect(await listAssignments()).toEqual([
      { ign: "Vex", team: "Beta", role: "Rifler", from: 500, to: 900 },
      { ...VEX, from: 900 },
      NYX,
    ]);
    expect(await fixture.rows(orgId, "assignments")).toMatchObject([
      { import_id: "r1", is_starter: 1, is_captain: 0 },
      { import_id: "r2", is_starter: 0, is_captain: 1 },
      { import_id: "r3", is_starter: 1, joined_at: 2_000 },
    ]);
  });

  test("a player that it does not mention is followed", async () => {
    await fixture.importFiles(orgId, {
      "teams.csv": TEAMS,
      "players.csv": PLAYERS,
      "roster.csv": lines(ROSTER, "r1,p1,a,Mid,,,900,"),
    });
    expect(await listAssignments()).toEqual([{ ...VEX, from: 900 }, NYX]);
  });

  test("an open row gives a player a team and a role that players.csv says nothing of", async () => {
    const players = lines("externalId,ign,role,joinDate", "p1,Vex,Mid,1000", "p2,Nyx,Player,2000");
    await fixture.importFiles(orgId, {
      "teams.csv": TEAMS,
      "players.csv": players,
      "roster.csv": lines(ROSTER, "r1,p1,a,Mid,,,,"),
    });
    expect(await listAssignments()).toEqual([VEX]);
    await fixture.importFiles(orgId, { "roster.csv": lines(ROSTER, "r2,p2,b,AWPer,,,5000,") }, later);
    expect(await listAssignments()).toEqual([VEX, { ...NYX, from: 5_000 }]);
    const { id, role, updated_at } = await fixture.row(orgId, "players", "ign", "Nyx");
    expect([role, updated_at]).toEqual(["AWPer", NOW + 1_000]);
    const changes = (await fixture.rows(orgId, "audit")).filter(
      (row) => row.target_id === id && row.action === "player.updated",
    );
    expect(changes.length).toBe(1);
  });

  test("a new open row ends the open assignment that the file does not mention", async () => {
    await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
    await fixture.importFiles(orgId, { "roster.csv": lines(ROSTER, "r1,p1,b,Lurker,,,5000,") }, later);
    expect(await listAssignments()).toEqual([
      { ...VEX, to: 5_000 },
      NYX,
      { ...VEX, team: "Beta", role: "Lurker", from: 5_000 },
    ]);
    expect((await fixture.row(orgId, "players", "ign", "Vex")).role).toBe("Lurker");
  });

  test("history alone leaves the open one as it is", async () => {
    await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
    await fixture.importFiles(orgId, { "roster.csv": lines(ROSTER, "r1,p1,b,Rifler,,,1,2") }, later);
    expect(await listAssignments()).toEqual([VEX, NYX, { ign: "Vex", team: "Beta", role: "Rifler", from: 1, to: 2 }]);
  });

  test.each([
    ["two of the file", ["r1,p1,b,Rifler,,,500,950", "r2,p1,a,Mid,,,900,"], 3, "line 2"],
    ["one within another", ["r1,p1,b,Rifler,,,500,950", "r2,p1,a,Mid,,,600,700", "r3,p1,a,Mid,,,950,"], 3, "line 2"],
    ["one of the file and one that is stored", ["r1,p1,b,Rifler,,,500,1001"], 2, "stored"],
  ])("nobody is in two teams at once: %s", async (_, rows, line, other) => {
    await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
    const { faults } = await fixture.refuse(orgId, { "roster.csv": lines(ROSTER, ...rows) });
    expect(faults).toMatchObject([{ line, column: "joinedAt", message: expect.stringContaining(other) }]);
  });

  describe("that are known", () => {
    beforeEach(async () => {
      await fixture.importFiles(orgId, {
        "teams.csv": TEAMS,
        "players.csv": PLAYERS,
        "roster.csv": lines(ROSTER, "r1,p1,b,Rifler,,,500,900", "r2,p1,a,Mid,,,900,", "r3,p2,b,AWPer,,,2000,"),
      });
    });

    test("are corrected, closed ones too, by name or by id", async () => {
      const closed = await fixture.row(orgId, "assignments", "import_id", "r1");
      const summary = await fixture.importFiles(
        orgId,
        { "roster.csv": lines("externalId,role,leftAt", `${closed.id},Lurker,800`, "r2,Mid,") },
        later,
      );
      expect(summary).toEqual({ roster: { created: 0, updated: 1, unchanged: 1 } });
      expect((await listAssignments())[0]).toEqual({ ign: "Vex", team: "Beta", role: "Lurker", from: 500, to: 800 });
      expect(await fixture.rows(orgId, "assignments")).toMatchObject([
        { import_id: "r1", updated_at: NOW + 1_000 },
        { updated_at: NOW },
        { updated_at: NOW },
      ]);
    });

    test("close and open in one file, in any order", async () => {
      const roster = lines(ROSTER, "r4,p1,b,Lurker,,,5000,", "r2,p1,a,Mid,,,900,5000");
      await fixture.importFiles(orgId, { "roster.csv": roster }, later);
      expect((await listAssignments()).filter((row) => row.ign === "Vex" && row.to === null)).toEqual([
        { ...VEX, team: "Beta", role: "Lurker", from: 5_000 },
      ]);
    });

    test("may swap which one is open", async () => {
      const roster = lines("externalId,joinedAt,leftAt", "r1,5000,", "r2,,5000");
      await fixture.importFiles(orgId, { "roster.csv": roster }, later);
      expect((await fixture.row(orgId, "players", "ign", "Vex")).role).toBe("Rifler");
      expect((await listAssignments()).filter((row) => row.ign === "Vex").map((row) => row.to)).toEqual([null, 5_000]);
    });

    test("give way when players.csv alone moves a player", async () => {
      await fixture.importFiles(orgId, { "players.csv": lines("externalId,role,team", "p1,Coach,b") }, later);
      expect((await listAssignments()).filter((row) => row.ign === "Vex")).toEqual([
        { ign: "Vex", team: "Beta", role: "Rifler", from: 500, to: 900 },
        { ...VEX, from: 900, to: NOW + 1_000 },
        { ...VEX, team: "Beta", role: "Coach", from: NOW + 1_000 },
      ]);
    });

    test("end a player's time in a team when the last one is closed", async () => {
      const files = {
        "players.csv": lines("externalId,role", "p1,Player"),
        "roster.csv": lines("externalId,leftAt", "r2,5000"),
      };
      await fixture.importFiles(orgId, files, later);
      expect(await fixture.row(orgId, "players", "ign", "Vex")).toMatchObject({ team_id: null, role: "Player" });
      expect((await listAssignments()).filter((row) => row.ign === "Vex" && row.to === null)).toEqual([]);
    });

    test("are not followed by corrections of joinDate that the file knows better", async () => {
      const files = {
        "players.csv": lines("externalId,joinDate", "p2,1500"),
        "roster.csv": lines(ROSTER, "r3,p2,b,AWPer,,,2000,"),
      };
      await fixture.importFiles(orgId, files, later);
      expect((await listAssignments()).find((row) => row.ign === "Nyx")).toEqual(NYX);
    });

    interface Case {
      readonly what: string;
      readonly files: Readonly<Record<string, string>>;
      readonly fault: object;
    }

    const cases: readonly Case[] = [
      {
        what: "an open row that players.csv disagrees with",
        files: {
          "players.csv": lines("externalId,team", "p1,b"),
          "roster.csv": lines(ROSTER, "r2,p1,a,Mid,,,900,"),
        },
        fault: {
          file: "roster.csv",
          line: 2,
          column: "team",
          value: "a",
          message: expect.stringContaining("players.csv, line 2"),
        },
      },
      {
        what: "a player with a team in players.csv and no open row",
        files: { "players.csv": lines("externalId,team", "p1,a"), "roster.csv": lines("externalId,leftAt", "r2,5000") },
        fault: {
          file: "players.csv",
          line: 2,
          column: "team",
          value: "a",
          message: expect.stringContaining("roster.csv"),
        },
      },
      {
        what: "an end that leaves a player with a role that needs a team",
        files: { "roster.csv": lines("externalId,leftAt", "r2,5000") },
        fault: {
          file: "roster.csv",
          line: 2,
          column: "leftAt",
          value: "5000",
          message: expect.stringContaining("Mid"),
        },
      },
      {
        what: "two open rows of a player",
        files: { "roster.csv": lines(ROSTER, "r2,p1,a,Mid,,,900,", "r9,p1,b,Lurker,,,900,") },
        fault: { line: 3, column: "leftAt", message: expect.stringContaining("line 2") },
      },
      {
        what: "an end before the beginning",
        files: { "roster.csv": lines("externalId,leftAt", "r1,1970-01-01T00:00:00Z") },
        fault: { line: 2, column: "leftAt", value: "1970-01-01T00:00:00Z" },
      },
      {
        what: "a role of another game",
        files: { "roster.csv": lines(ROSTER, "r2,p1,a,AWPer,,,900,") },
        fault: { line: 2, column: "role", value: "AWPer" },
      },
      {
        what: "a role of another game where the row names no team",
        files: { "roster.csv": lines("externalId,role", "r2,AWPer") },
        fault: { file: "roster.csv", line: 2, column: "role", value: "AWPer" },
      },
      {
        what: "a role of no game where the row names no team, in the past too",
        files: { "roster.csv": lines("externalId,role", "r1,Wizard") },
        fault: { file: "roster.csv", line: 2, column: "role", value: "Wizard" },
      },
      {
        what: "a role of no game, in the past too",
        files: { "roster.csv": lines(ROSTER, "r1,p1,b,Wizard,,,500,900") },
        fault: { line: 2, column: "role", value: "Wizard" },
      },
      {
        what: "another player for an assignment",
        files: { "roster.csv": lines(ROSTER, "r1,p2,b,Rifler,,,500,900") },
        fault: { line: 2, column: "player", value: "p2" },
      },
      {
        what: "a new row without a role",
        files: { "roster.csv": lines(ROSTER, "r9,p1,b,,,,1,2") },
        fault: { line: 2, column: "role", value: null },
      },
    ];

    test.each(cases)("refuse $what", async ({ files, fault }) => {
      const before = await fixture.snapshot(orgId);
      const error = await fixture.refuse(orgId, files);
      expect(error.faults).toEqual([expect.objectContaining(fault)]);
      expect(await fixture.snapshot(orgId)).toEqual(before);
    });
  });
});
