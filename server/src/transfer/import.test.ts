import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { ENGINE } from "../../test/test-store.ts";
import { findUntold, lookAt } from "../../test/told-changes.ts";
import { lines, NOW, TransferFixture } from "../../test/transfer-fixture.ts";
import { exportFrom } from "./export.ts";
import { type ImportProgress, importInto } from "./import.ts";
import { ImportFaults } from "./import-faults.ts";

let fixture: TransferFixture;
let orgId: string;
beforeAll(async () => {
  fixture = await TransferFixture.open();
});
beforeEach(async () => {
  orgId = await fixture.makeOrg();
});
afterAll(() => fixture.close());

const TEAMS = lines("externalId,name,game", "a,Alpha,LoL", "b,Beta,CS2");
const PLAYERS = lines("externalId,ign,role,team", "p1,Vex,Mid,a", "p2,Nyx,AWPer,b", "p3,Zed,Player,");

/** Imports with a clock that shows one moment while rows are checked, and another when they are written. */
async function importLate(files: Record<string, string>, plannedAt: number, writtenAt: number): Promise<void> {
  let now = plannedAt;
  const onProgress = ({ phase }: ImportProgress) => {
    if (phase === "checking") now = writtenAt;
  };
  const path = fixture.writeFolder(files);
  await importInto(fixture.store, orgId, { path }, { origin: TEST_ORIGIN, onProgress, now: () => now });
}

describe("a new record", () => {
  test("has the defaults where columns are absent or cells empty", async () => {
    await fixture.importFiles(orgId, {
      "teams.csv": lines("externalId,name,game,division,status", "a,Alpha,LoL,,"),
      "players.csv": lines("externalId,ign,role,contractStatus,joinDate", "p1,Vex,Player,,"),
      "contracts.csv": lines("externalId,player,startDate,kind", "c,p1,2026-01-01,"),
      "schedule.csv": lines("externalId,title,startsAt,team,game", "s1,One,1000,a,", "s2,Two,1000,,"),
      "prospects.csv": lines("externalId,ign,tags", "x,Nyx,"),
    });
    expect(await fixture.rows(orgId, "teams")).toMatchObject([{ division: "main", status: "active", tag: null }]);
    expect(await fixture.rows(orgId, "players")).toMatchObject([
      { real_name: "", contract_status: "unsigned", join_date: NOW, status: "active", team_id: null, stats: null },
    ]);
    expect(await fixture.rows(orgId, "contracts")).toMatchObject([
      { kind: "player", status: "draft", auto_renew: 0, end_date: null },
    ]);
    expect(await fixture.rows(orgId, "schedule_entries")).toMatchObject([
      { kind: "event", status: "scheduled", game: "LoL" },
      { kind: "event", status: "scheduled", game: "Other" },
    ]);
    expect(await fixture.rows(orgId, "prospects")).toMatchObject([
      { game: "Other", stage: "identified", priority: "medium", tags: "[]", stage_changed_at: NOW },
    ]);
  });

  test("is dated by the moment of writing, not by that of planning, in all that happens now", async () => {
    const files = {
      "teams.csv": TEAMS,
      "players.csv": PLAYERS,
      "prospects.csv": lines("externalId,ign", "x,Nyx"),
    };
    await importLate(files, NOW, NOW + 5_000);
    const kept = { created_at: NOW + 5_000, updated_at: NOW + 5_000 };
    for (const row of await fixture.rows(orgId, "teams")) expect(row).toMatchObject(kept);
    for (const row of await fixture.rows(orgId, "players"))
      expect(row).toMatchObject({ ...kept, join_date: NOW + 5_000 });
    for (const row of await fixture.rows(orgId, "assignments"))
      expect(row).toMatchObject({ ...kept, joined_at: NOW + 5_000 });
    expect(await fixture.rows(orgId, "prospects")).toMatchObject([{ ...kept, stage_changed_at: NOW + 5_000 }]);
    const told = (await fixture.rows(orgId, "audit")).filter((row) => row.action !== "organization.created");
    expect(told.map((row) => row.target_kind)).toEqual([
      ...["team", "team", "player", "player", "player"],
      ...["assignment", "assignment", "prospect"],
    ]);
    for (const row of told) {
      expect(row.at).toBe(NOW + 5_000);
      expect(row.changes).not.toContain(String(NOW));
    }
  });

  test("keeps its name, is recorded as made, and can be searched", async () => {
    await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
    const player = await fixture.row(orgId, "players", "ign", "Vex");
    expect(player).toMatchObject({ external_ids: '{"import":"p1"}', search_text: "VEX\n", created_at: NOW });
    const told = await fixture.row(orgId, "audit", "target_id", player.id);
    expect(told).toMatchObject({
      action: "player.created",
      target_kind: "player",
      target_name: "Vex",
      actor_kind: "command",
      actor_name: "test",
      at: NOW,
    });
    expect(JSON.parse(String(told.changes))).toMatchObject({ ign: [null, "Vex"], joinDate: [null, NOW] });
    expect((await fixture.rows(orgId, "teams")).map((team) => team.player_count)).toEqual([1, 1]);
    expect(await fixture.findContradictions()).toEqual([]);
  });

  test("takes the time of the team's schedule from ISO 8601 and keeps other systems' ids", async () => {
    await fixture.importFiles(orgId, {
      "schedule.csv": lines(
        "externalId,title,startsAt,result,externalIds",
        's,Final,2026-05-01T18:00:00+02:00,"{""own"":2,""opponent"":1}","{""erp"":""e1""}"',
      ),
    });
    expect(await fixture.rows(orgId, "schedule_entries")).toMatchObject([
      { starts_at: Date.UTC(2026, 4, 1, 16), result_own: 2, external_ids: '{"import":"s","erp":"e1"}' },
    ]);
  });
});

describe("a row whose record is known", () => {
  beforeEach(async () => {
    await fixture.importFiles(orgId, {
      "teams.csv": TEAMS,
      "players.csv": lines(
        "externalId,ign,realName,role,team,nationality,stats",
        'p1,Vex,Elin,Mid,a,SE,"{""kda"":4}"',
        "p2,Nyx,Nils,AWPer,b,,",
      ),
      "contracts.csv": lines("externalId,player,startDate,status", "c1,p1,1000,active"),
    });
  });

  const later = { now: NOW + 1_000 };

  test("changes nothing when it says what is there, no matter who asks again", async () => {
    const files = await fixture.exportFolder(orgId);
    const before = await fixture.snapshot(orgId);
    const revision = await fixture.store.revisionOf(orgId);
    const summary = await fixture.importFiles(orgId, files, later);
    expect(summary).toMatchObject({ players: { unchanged: 2 }, roster: { unchanged: 2 }, contracts: { unchanged: 1 } });
    expect(Object.keys(summary)).toEqual(["teams", "players", "roster", "contracts", "schedule", "prospects"]);
    expect(await fixture.snapshot(orgId)).toEqual(before);
    expect(await fixture.store.revisionOf(orgId)).toBe(revision);
  });

  test("changes only the columns that the file has", async () => {
    const summary = await fixture.importFiles(
      orgId,
      { "players.csv": lines("externalId,status", "p1,benched") },
      later,
    );
    expect(summary).toEqual({ players: { created: 0, updated: 1, unchanged: 0 } });
    expect(await fixture.row(orgId, "players", "ign", "Vex")).toMatchObject({
      status: "benched",
      real_name: "Elin",
      nationality: "SE",
      updated_at: NOW + 1_000,
      created_at: NOW,
    });
  });

  test("empties what can be empty where a cell is, and leaves the rest", async () => {
    const files = { "players.csv": lines("externalId,ign,realName,role,nationality,stats", "p1,,,,,") };
    await fixture.importFiles(orgId, files, later);
    expect(await fixture.row(orgId, "players", "ign", "Vex")).toMatchObject({
      real_name: "Elin",
      role: "Mid",
      nationality: null,
      stats: null,
    });
    const after = await fixture.snapshot(orgId);
    await fixture.importFiles(orgId, files, { now: NOW + 2_000 });
    expect(await fixture.snapshot(orgId)).toEqual(after);
  });

  test("is found by the record's own id, which then is not kept as another name", async () => {
    const { id } = await fixture.row(orgId, "players", "ign", "Vex");
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,ign", `${id},Vexx`) }, later);
    expect((await fixture.rows(orgId, "players")).map((row) => row.ign)).toEqual(["Vexx", "Nyx"]);
    expect((await fixture.row(orgId, "players", "id", id)).external_ids).toBe('{"import":"p1"}');
  });

  test("is not found in another organization", async () => {
    const other = await fixture.makeOrg();
    const { id } = await fixture.row(orgId, "players", "ign", "Vex");
    await fixture.importFiles(other, {
      "players.csv": lines("externalId,ign,role", `${id},New,Player`, "p1,Newer,Player"),
    });
    expect((await fixture.rows(other, "players")).length).toBe(2);
    expect((await fixture.row(orgId, "players", "id", id)).ign).toBe("Vex");
  });

  test("merges ids of other systems, removes those that are null, and may hand one on", async () => {
    const file = (first: string, second: string) => ({
      "players.csv": lines(
        "externalId,externalIds",
        `p1,"${first.replaceAll('"', '""')}"`,
        `p2,"${second.replaceAll('"', '""')}"`,
      ),
    });
    await fixture.importFiles(orgId, file('{"erp":"1","wiki":"vex"}', '{"erp":"2"}'), later);
    await fixture.importFiles(orgId, file('{"erp":"2"}', '{"erp":"1","wiki":null}'), later);
    expect((await fixture.rows(orgId, "players")).map((row) => row.external_ids)).toEqual([
      '{"import":"p1","erp":"2","wiki":"vex"}',
      '{"import":"p2","erp":"1"}',
    ]);
    expect(await fixture.findContradictions()).toEqual([]);
  });

  test("tells of every record that is shown differently, in one entry each", async () => {
    const files = {
      "teams.csv": lines("externalId,name", "a,Alpha 2"),
      "players.csv": lines("externalId,ign,role,team", "p1,Vexx,Rifler,b", "p2,Nyx,Player,", "p3,New,Mid,a"),
      "contracts.csv": lines("externalId,autoRenew,status,endDate", `c1,yes,active,${NOW}`),
    };
    const before = await lookAt(fixture.store, orgId, NOW + 1_000);
    await fixture.importFiles(orgId, files, later);
    const after = await lookAt(fixture.store, orgId, NOW + 1_000);
    expect(await findUntold(fixture.store, orgId, before, after)).toEqual([]);
    const names = {
      "teams.csv": lines("externalId,name", "b,Beta 2"),
      "players.csv": lines("externalId,ign,status", "p1,Vexy,benched"),
    };
    await fixture.importFiles(orgId, names, later);
    const renamed = await lookAt(fixture.store, orgId, NOW + 1_000);
    expect(await findUntold(fixture.store, orgId, after, renamed)).toEqual([]);
    expect(renamed.seq - after.seq).toBe(6);
    await fixture.importFiles(orgId, { "contracts.csv": lines("externalId,endDate", `c1,${NOW + 9_000}`) }, later);
    const last = await lookAt(fixture.store, orgId, NOW + 1_000);
    expect(await findUntold(fixture.store, orgId, renamed, last)).toEqual([]);
  });

  test("touches what shows the player or the team, and nothing else", async () => {
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,ign", "p1,Vexx") }, later);
    expect(await fixture.rows(orgId, "contracts")).toMatchObject([{ updated_at: NOW + 1_000 }]);
    expect((await fixture.rows(orgId, "assignments")).map((row) => row.updated_at)).toEqual([NOW + 1_000, NOW]);
    await fixture.importFiles(orgId, { "teams.csv": lines("externalId,name", "b,Better") }, { now: NOW + 2_000 });
    expect((await fixture.rows(orgId, "assignments")).map((row) => row.updated_at)).toEqual([NOW + 1_000, NOW + 2_000]);
    expect((await fixture.rows(orgId, "teams")).map((row) => row.updated_at)).toEqual([NOW, NOW + 2_000]);
  });

  test("touches a contract later than time itself did, which ended it", async () => {
    const ended = { "contracts.csv": lines("externalId,endDate", `c1,${NOW + 1_000}`) };
    await fixture.importFiles(orgId, ended);
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,ign", "p1,Vexx") }, later);
    expect(await fixture.rows(orgId, "contracts")).toMatchObject([{ updated_at: NOW + 1_001 }]);
  });

  test("never goes back in time", async () => {
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,status", "p1,benched") }, { now: NOW - 9_000 });
    expect((await fixture.row(orgId, "players", "ign", "Vex")).updated_at).toBe(NOW + 1);
  });

  test("records what changed, and an unusual step as one", async () => {
    await fixture.importFiles(orgId, { "players.csv": lines("externalId,contractStatus", "p1,expired") }, later);
    const { id } = await fixture.row(orgId, "players", "ign", "Vex");
    expect(
      (await fixture.rows(orgId, "audit")).filter((row) => row.target_id === id && row.action === "player.updated"),
    ).toMatchObject([
      {
        changes: '{"contractStatus":["unsigned","expired"]}',
        note: expect.stringContaining("unusual"),
        at: NOW + 1_000,
      },
    ]);
  });

  test("of a contract leaves the player's contractStatus alone", async () => {
    await fixture.importFiles(orgId, { "contracts.csv": lines("externalId,status", "c1,terminated") }, later);
    expect((await fixture.row(orgId, "players", "ign", "Vex")).contract_status).toBe("unsigned");
  });
});

test("an entry that is moved remembers where it stood, unless the file says so itself", async () => {
  const schedule = (...rows: string[]) => ({ "schedule.csv": lines(...rows) });
  await fixture.importFiles(orgId, schedule("externalId,title,startsAt", "s,Scrim,1000"));
  await fixture.importFiles(orgId, schedule("externalId,startsAt", "s,2000"));
  expect(await fixture.rows(orgId, "schedule_entries")).toMatchObject([
    { starts_at: 2_000, previous_starts_at: 1_000 },
  ]);
  await fixture.importFiles(orgId, schedule("externalId,startsAt", "s,2000"));
  expect(await fixture.rows(orgId, "schedule_entries")).toMatchObject([
    { starts_at: 2_000, previous_starts_at: 1_000 },
  ]);
  await fixture.importFiles(orgId, schedule("externalId,startsAt,previousStartsAt", "s,3000,"));
  expect(await fixture.rows(orgId, "schedule_entries")).toMatchObject([{ starts_at: 3_000, previous_starts_at: null }]);
});

test("a prospect's stage takes its moment along", async () => {
  await fixture.importFiles(orgId, { "prospects.csv": lines("externalId,ign", "x,Nyx") });
  await fixture.importFiles(orgId, { "prospects.csv": lines("externalId,notes", "x,Hm") }, { now: NOW + 1_000 });
  expect(await fixture.rows(orgId, "prospects")).toMatchObject([{ stage_changed_at: NOW, updated_at: NOW + 1_000 }]);
  await fixture.importFiles(orgId, { "prospects.csv": lines("externalId,stage", "x,trial") }, { now: NOW + 2_000 });
  expect(await fixture.rows(orgId, "prospects")).toMatchObject([{ stage_changed_at: NOW + 2_000 }]);
});

test("a zero below zero is zero, and no change when it comes again", async () => {
  const files = {
    "players.csv": lines("externalId,ign,role,joinDate,stats", 'p,Vex,Player,-0,"{""kda"":-0}"'),
    "prospects.csv": lines("externalId,ign,rating", "x,Nyx,-0"),
  };
  await fixture.importFiles(orgId, files);
  expect(await fixture.importFiles(orgId, files)).toMatchObject({
    players: { unchanged: 1 },
    prospects: { unchanged: 1 },
  });
});

test("a change that takes effect now does so when it is written", async () => {
  await fixture.importFiles(orgId, {
    "teams.csv": TEAMS,
    "players.csv": PLAYERS,
    "prospects.csv": lines("externalId,ign", "x,Nyx"),
  });
  const [planned, written] = [NOW + 1_000, NOW + 6_000];
  const files = {
    "players.csv": lines("externalId,role,team", "p1,Rifler,b"),
    "roster.csv": lines(
      "externalId,player,team,role,joinedAt,leftAt",
      "r2,p2,a,Mid,,",
      `r3,p3,a,Mid,,${NOW + 2_000}`,
      "r4,p3,a,Mid,1,2",
    ),
    "prospects.csv": lines("externalId,stage", "x,trial"),
  };
  await importLate(files, planned, written);
  const spans = (await fixture.rows(orgId, "assignments")).map((row) => [row.import_id, row.joined_at, row.left_at]);
  expect(spans).toEqual([
    [null, NOW, written],
    [null, NOW, written],
    ["r2", written, null],
    // The end that the file set came before the row was written: the assignment ends as it begins.
    ["r3", NOW + 2_000, NOW + 2_000],
    ["r4", 1, 2],
    [null, written, null],
  ]);
  expect(await fixture.rows(orgId, "prospects")).toMatchObject([{ stage_changed_at: written, updated_at: written }]);
  expect(await fixture.findContradictions()).toEqual([]);
});

test("references go first to rows of the import, then to names of stored records, then to their ids", async () => {
  await fixture.importFiles(orgId, { "teams.csv": TEAMS });
  const { id } = await fixture.row(orgId, "teams", "name", "Alpha");
  await fixture.importFiles(orgId, {
    "teams.csv": lines("externalId,name,game", "c,Gamma,Other"),
    "prospects.csv": lines("externalId,ign,targetTeam", "x,X,c", "y,Y,b", `z,Z,${id}`),
  });
  const names = new Map((await fixture.rows(orgId, "teams")).map((team) => [team.id, team.name]));
  expect((await fixture.rows(orgId, "prospects")).map((row) => names.get(row.target_team_id))).toEqual([
    "Gamma",
    "Beta",
    "Alpha",
  ]);
});

test("a team may change its game together with the roles of its players", async () => {
  await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS });
  await fixture.importFiles(orgId, {
    "teams.csv": lines("externalId,game", "a,Valorant"),
    "players.csv": lines("externalId,role", "p1,Duelist"),
  });
  expect((await fixture.row(orgId, "players", "ign", "Vex")).role).toBe("Duelist");
  expect(await fixture.findContradictions()).toEqual([]);
});

test("a dry run checks everything, says what would be, and writes nothing", async () => {
  const before = await fixture.snapshot(orgId);
  const summary = await fixture.importFiles(orgId, { "teams.csv": TEAMS, "players.csv": PLAYERS }, { dryRun: true });
  expect(summary).toEqual({
    teams: { created: 2, updated: 0, unchanged: 0 },
    players: { created: 3, updated: 0, unchanged: 0 },
  });
  expect(await fixture.snapshot(orgId)).toEqual(before);
  await expect(
    fixture.importFiles(orgId, { "teams.csv": lines("externalId,name,game", "a,Alpha,Go") }, { dryRun: true }),
  ).rejects.toThrow(ImportFaults);
});

test("one fault in the last row keeps everything out", async () => {
  const rows = Array.from(
    { length: 2_000 },
    (_, index) => `q${index},Q${index},${index === 1_999 ? "None" : "Player"}`,
  );
  await fixture.refuse(orgId, { "teams.csv": TEAMS, "players.csv": lines("externalId,ign,role", ...rows) });
  expect(Object.values(await fixture.snapshot(orgId)).flat()).toEqual([]);
});

test("a store that fails half way takes everything back", async () => {
  const rows = Array.from({ length: 1_500 }, (_, index) => `q${index},Q${index},Player`);
  const failing = fixture.importFiles(
    orgId,
    { "teams.csv": TEAMS, "players.csv": lines("externalId,ign,role", ...rows) },
    {
      onProgress: ({ phase, done }) => {
        if (phase === "writing" && done >= 1_000) throw new Error("The disk is full.");
      },
    },
  );
  await expect(failing).rejects.toThrow("The disk is full.");
  expect(Object.values(await fixture.snapshot(orgId)).flat()).toEqual([]);
});

test("imports at once, and other writes meanwhile, all end whole", async () => {
  await fixture.importFiles(orgId, { "teams.csv": TEAMS });
  const rows = (status: string) =>
    lines(
      "externalId,ign,role,team,status",
      ...Array.from({ length: 1_200 }, (_, i) => `p${i},P${i},Coach,a,${status}`),
    );
  const touch = async () => {
    for (let round = 0; round < 10; round++) {
      await fixture.store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
        await org
          .updateTable("teams")
          .set({ region: `r${round}` })
          .where("name", "=", "Beta")
          .execute();
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([
    fixture.importFiles(orgId, { "players.csv": rows("active") }),
    fixture.importFiles(orgId, { "players.csv": rows("benched") }),
    fixture.importFiles(orgId, { "players.csv": rows("inactive") }),
    touch(),
  ]);
  const players = await fixture.rows(orgId, "players");
  expect(players.length).toBe(1_200);
  expect(new Set(players.map((row) => row.status)).size).toBe(1);
  expect((await fixture.rows(orgId, "teams")).map((team) => team.player_count)).toEqual([1_200, 0]);
  expect(await fixture.findContradictions()).toEqual([]);
});

test("an export shows one moment, and keeps nobody from writing meanwhile", async () => {
  const rows = Array.from({ length: 3_000 }, (_, index) => `p${index},P${index},Player,active`);
  await fixture.importFiles(orgId, { "players.csv": lines("externalId,ign,role,status", ...rows) });
  const written: Promise<unknown>[] = [];
  const steps: number[] = [];
  const onProgress = ({ table, done }: { table: string; done: number }) => {
    if (table !== "players") return;
    steps.push(done);
    for (const statement of [
      "UPDATE players SET status = 'benched' WHERE org_id = ?",
      "UPDATE organizations SET revision = revision + 1 WHERE id = ?",
    ]) {
      written.push(fixture.query(statement, orgId));
    }
  };
  const path = fixture.path(".json");
  await exportFrom(fixture.store, orgId, path, { onProgress });
  await Promise.all(written);
  const { players } = JSON.parse(readFileSync(path, "utf8")) as { players: { status: string }[] };
  expect([players.length, ...new Set(players.map((player) => player.status))]).toEqual([3_000, "active"]);
  expect(steps).toEqual([1_000, 2_000, 3_000]);
  expect(new Set((await fixture.rows(orgId, "players")).map((row) => row.status))).toEqual(new Set(["benched"]));
});

test("thousands of players come in whole, with progress, while others are served", async () => {
  const progress: ImportProgress[] = [];
  const count = ENGINE === "sqlite" ? 20_000 : 5_000;
  const rows = Array.from({ length: count }, (_, i) => `p${i},Player ${i},${i % 2 === 0 ? "Mid,a" : "AWPer,b"},${i}`);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 5);
  const summary = await fixture.importFiles(
    orgId,
    { "teams.csv": TEAMS, "players.csv": lines("externalId,ign,role,team,joinDate", ...rows) },
    { onProgress: (step) => progress.push(step) },
  );
  clearInterval(timer);
  expect(summary.players).toEqual({ created: count, updated: 0, unchanged: 0 });
  expect(turns).toBeGreaterThan(20);
  for (const phase of ["reading", "checking", "writing"]) {
    const steps = progress.filter((step) => step.phase === phase);
    expect(steps.length).toBeGreaterThanOrEqual(count / 1_000);
    expect(steps.at(-1)?.done).toBe(steps.at(-1)?.total);
  }
  expect((await fixture.rows(orgId, "players")).map((row) => row.ign)).toEqual(rows.map((_, i) => `Player ${i}`));
  expect((await fixture.rows(orgId, "assignments")).map((row) => row.joined_at)).toEqual(rows.map((_, i) => i));
  expect((await fixture.rows(orgId, "teams")).map((team) => team.player_count)).toEqual([count / 2, count / 2]);
  expect(await fixture.findContradictions()).toEqual([]);
});

test("says so when there is no such organization", async () => {
  await expect(fixture.importFiles("org_01jb8v6k3ze5xr9m4q7w2t5n8d", { "teams.csv": TEAMS })).rejects.toThrow(
    "No organization",
  );
});
