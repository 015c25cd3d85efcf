import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lines, TransferFixture } from "../../test/transfer-fixture.ts";

let fixture: TransferFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await TransferFixture.open();
  orgId = await fixture.makeOrg();
  await fixture.importFiles(orgId, {
    "teams.csv": TEAMS,
    "players.csv": lines("externalId,ign,role,team,externalIds", 'p1,Vex,Mid,a,"{""erp"":""1""}"'),
    "contracts.csv": lines("externalId,player,startDate", "c1,p1,2026-01-01"),
  });
});
afterAll(() => fixture.close());

const TEAMS = lines("externalId,name,game", "a,Alpha,LoL", "b,Beta,CS2");

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly fault: object;
}

const CASES: readonly Case[] = [
  {
    what: "a value that its field does not allow",
    files: { "teams.csv": lines("externalId,name,game", "c,Gamma,Chess") },
    fault: { file: "teams.csv", line: 2, column: "game", value: "Chess" },
  },
  {
    what: "a required cell of a new record that is empty",
    files: { "teams.csv": lines("externalId,name,game", "c,,LoL") },
    fault: { line: 2, column: "name", value: null },
  },
  {
    what: "a required column of a new record that is not there",
    files: { "contracts.csv": lines("externalId,player", "c2,p1") },
    fault: { file: "contracts.csv", line: 2, column: "startDate", value: null },
  },
  {
    what: "a row without a name",
    files: { "teams.csv": lines("externalId,name,game", ",Gamma,LoL") },
    fault: { line: 2, column: "externalId", value: null },
  },
  {
    what: "a name that is there twice",
    files: { "teams.csv": lines("externalId,name,game", "c,Gamma,LoL", "d,Delta,LoL", "c,Gamma,LoL") },
    fault: { line: 4, column: "externalId", value: "c", message: expect.stringContaining("line 2") },
  },
  {
    what: "a team that nobody knows",
    files: { "players.csv": lines("externalId,ign,role,team", "p2,Nyx,Mid,zz") },
    fault: { file: "players.csv", line: 2, column: "team", value: "zz", message: expect.stringContaining("teams.csv") },
  },
  {
    what: "a player that nobody knows",
    files: { "prospects.csv": lines("externalId,ign,player", "x,Nyx,zz") },
    fault: { file: "prospects.csv", line: 2, column: "player", value: "zz" },
  },
  {
    what: "a role of another game",
    files: { "players.csv": lines("externalId,ign,role,team", "p2,Nyx,AWPer,a") },
    fault: { line: 2, column: "role", value: "AWPer", message: expect.stringContaining("Top, Jungle") },
  },
  {
    what: "a game's role without a team",
    files: { "players.csv": lines("externalId,ign,role", "p2,Nyx,Mid") },
    fault: { line: 2, column: "role", value: "Mid", message: expect.stringContaining("without a team") },
  },
  {
    what: "a move to a team for which the stored role is not valid",
    files: { "players.csv": lines("externalId,team", "p1,b") },
    fault: { line: 2, column: "role", value: "Mid" },
  },
  {
    what: "a game of a team that leaves a player with a role it does not know",
    files: { "teams.csv": lines("externalId,game", "a,Valorant") },
    fault: { file: "teams.csv", line: 2, column: "game", value: "Valorant", message: expect.stringContaining("Vex") },
  },
  {
    what: "a role of a prospect that its game does not know",
    files: { "prospects.csv": lines("externalId,ign,game,role", "x,Nyx,LoL,AWPer") },
    fault: { line: 2, column: "role", value: "AWPer" },
  },
  {
    what: "an end before the start",
    files: { "contracts.csv": lines("externalId,player,startDate,endDate", "c2,p1,2026-02-01,2026-01-31") },
    fault: { line: 2, column: "endDate", value: "2026-01-31" },
  },
  {
    what: "a start after the stored end",
    files: { "schedule.csv": lines("externalId,title,startsAt,endsAt", "s,Scrim,2000,1000") },
    fault: { file: "schedule.csv", line: 2, column: "endsAt", value: "1000" },
  },
  {
    what: "an id elsewhere that another record has",
    files: { "players.csv": lines("externalId,ign,role,externalIds", 'p2,Nyx,Player,"{""erp"":""1""}"') },
    fault: { line: 2, column: "externalIds", message: expect.stringContaining("belongs to the player player_") },
  },
  {
    what: "an id elsewhere that another row has",
    files: {
      "players.csv": lines(
        "externalId,ign,role,externalIds",
        'p2,Nyx,Player,"{""erp"":""2""}"',
        'p3,Zed,Player,"{""erp"":""2""}"',
      ),
    },
    fault: { line: 3, column: "externalIds", message: expect.stringContaining("line 2") },
  },
  {
    what: "externalIds that contradict externalId",
    files: { "players.csv": lines("externalId,externalIds", 'p1,"{""import"":""other""}"') },
    fault: { line: 2, column: "externalIds" },
  },
];

describe("names file, line, column and value of", () => {
  test.each(CASES)("$what", async ({ files, fault }) => {
    const before = await fixture.snapshot(orgId);
    const error = await fixture.refuse(orgId, files);
    expect(error.faults).toEqual([expect.objectContaining(fault)]);
    expect(error.total).toBe(1);
    expect(await fixture.snapshot(orgId)).toEqual(before);
  });
});

test("says in one text, for each fault, where it is, what stands there and what to do", async () => {
  const { message } = await fixture.refuse(orgId, {
    "players.csv": lines("externalId,ign,role,team", "p2,Nyx,AWPer,a"),
  });
  expect(message).toBe(
    'Nothing was imported: the source has one fault.\n  players.csv, line 2, column role, value "AWPer": is not a role of a player of a team that plays LoL; use one of Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute',
  );
});

test("reports the faults of all files at once, and blames nobody for another row's fault", async () => {
  const { faults } = await fixture.refuse(orgId, {
    "teams.csv": lines("externalId,name,game", "c,Gamma,Chess"),
    "players.csv": lines("externalId,ign,role,team", "p2,Nyx,AWPer,c", "p3,,Mid,a", "p4,Zed,Mid,b"),
    "contracts.csv": lines("externalId,player,startDate", "c2,p3,2026-01-01", "c3,nobody,2026-01-01"),
    "roster.csv": lines("externalId,player,team,role,joinedAt", "r1,p3,a,Mid,soon"),
  });
  expect(faults.map(({ file, line, column }) => [file, line, column])).toEqual([
    ["teams.csv", 2, "game"],
    ["players.csv", 3, "ign"],
    ["players.csv", 4, "role"],
    ["roster.csv", 2, "joinedAt"],
    ["contracts.csv", 3, "player"],
  ]);
});

test("reports all faults of a row at once, and none of a cell twice", async () => {
  const { faults } = await fixture.refuse(orgId, {
    "players.csv": lines(
      "externalId,ign,role,team,contractStatus",
      "p2,,Mid,zz,nonsense",
      `p3,${"x".repeat(65)},Mid,a,`,
    ),
    "contracts.csv": lines("externalId,player,startDate,kind", "c1,p1,,nonsense", "c2,p1,,nonsense"),
  });
  expect(faults.map(({ line, column }) => `${line} ${column}`).toSorted()).toEqual([
    ...["2 contractStatus", "2 ign", "2 kind", "2 team"],
    ...["3 ign", "3 kind", "3 startDate"],
  ]);
});

test("keeps the first hundred faults and counts the others", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => `p${index + 10},Nyx,Nothing`);
  const error = await fixture.refuse(orgId, { "players.csv": lines("externalId,ign,role", ...rows) });
  expect([error.faults.length, error.total]).toEqual([100, 250]);
  expect(error.message).toContain("and 150 more");
});

test("two rows for one record are refused, by whatever names", async () => {
  const { id } = await fixture.row(orgId, "players", "ign", "Vex");
  const { faults } = await fixture.refuse(orgId, {
    "players.csv": lines("externalId,realName", "p1,A", `${id},B`),
  });
  expect(faults).toEqual([expect.objectContaining({ line: 3, column: "externalId", value: id })]);
});
