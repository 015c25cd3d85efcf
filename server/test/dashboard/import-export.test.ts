import { PROGRESS_TYPE } from "@lineup/api/dashboard/action";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeOrg } from "../test-server.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Importer } from "./importer.ts";
import { type SentFile, sendText } from "./random-season.ts";

let world: World;
let importer: Importer;
let orgId: string;
let made = 0;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  orgId = await makeOrg(world.server, "Pro", `Transfer ${++made}`);
  await join(world.server, orgId, world.userIds.manager, "manager");
  importer = new Importer(world.visitors.manager, orgId);
});

const TEAMS = "externalId,name,game\na,Alpha,LoL\nb,Beta,CS2\n";
const PLAYERS = "externalId,ign,role,team\np,Vex,Mid,a\nq,Ash,AWPer,b\n";

async function importTexts(files: readonly SentFile[]): Promise<void> {
  const { fingerprint } = await importer.preview(files);
  expect((await importer.apply(files, fingerprint)).status).toBe(200);
}

describe("what is sent to be imported", () => {
  it("is shown row by row, with what each cell becomes", async () => {
    await importTexts([sendText("teams.csv", TEAMS), sendText("players.csv", PLAYERS)]);
    const changed = sendText("players.csv", "externalId,ign,role,team\np,Vex,Top,a\nq,Ash,AWPer,b\nr,New,Lurker,b\n");
    const { rows, tables } = await importer.preview([changed]);
    expect(tables).toEqual([
      { table: "players", fault: 0, unclear: 0, create: 1, change: 1, follow: 0, leave: 1 },
      { table: "roster", fault: 0, unclear: 0, create: 0, change: 0, follow: 3, leave: 0 },
    ]);
    expect(rows.find(({ outcome }) => outcome === "change")).toEqual({
      table: "players",
      file: "players.csv",
      line: 2,
      outcome: "change",
      externalId: "p",
      name: "Vex",
      changes: [{ column: "role", before: "Mid", after: "Top" }],
      faults: [],
    });
    expect(rows.filter(({ outcome }) => outcome === "follow")[0]).toMatchObject({
      file: null,
      line: null,
      name: "Vex",
    });
  });

  it("is refused with each fault at its cell, in CSV and in JSON of one line, and nothing is written", async () => {
    const csv = [sendText("players.csv", "externalId,ign,role,nationality\np,Vex,Player,Sweden\nq,Ash,Goalie,SE\n")];
    const json = [
      sendText(
        "all.json",
        JSON.stringify({
          players: [
            { externalId: "p", ign: "Vex", role: "Player", nationality: "Sweden" },
            { externalId: "q", ign: "Ash", role: "Goalie" },
            { externalId: "r", ign: "Fine", role: "Player" },
          ],
        }),
      ),
    ];
    for (const files of [csv, json]) {
      const { rows, fingerprint, faultTotal } = await importer.preview(files);
      const faulty = rows.filter(({ outcome }) => outcome === "fault");
      expect(faulty.map(({ externalId, table, faults }) => [externalId, table, faults[0]?.column])).toEqual([
        ["p", "players", "nationality"],
        ["q", "players", "role"],
      ]);
      expect([fingerprint, faultTotal]).toEqual([null, 2]);
      const reply = await importer.apply(files, "anything");
      expect([reply.code, reply.body.error.details.length]).toEqual(["VALIDATION_ERROR", 2]);
    }
    expect((await importer.exported()).players).toEqual([]);
  });

  it("comes back with its faults marked, and is taken once it is mended in place", async () => {
    const faulty = 'sep=;\n"externalId";ign;role;notes\np;"Vex; the first";Goalie\nq;Ash;Player;\nr;Bo;Player;5;6\n';
    const players = sendText("players.csv", `\u{FEFF}${faulty.replaceAll(";notes", ";realName")}`);
    const teams = sendText("teams.csv", TEAMS);
    const body = { files: [teams, players] };
    const { files } = await importer.visitor.do("markImportFaults", { path: { orgId }, body });
    expect(files.map(({ name }) => name)).toEqual(["players.csv"]);
    const [, header, first, second, third] = files[0]?.text.split("\r\n") ?? [];
    expect(files[0]?.text.startsWith("\u{FEFF}")).toBe(true);
    expect(header).toBe("externalId;ign;role;realName;faults");
    expect(first).toMatch(/^p;"Vex; the first";Goalie;;"?the line has 3 cells/);
    expect(second).toBe("q;Ash;Player;;");
    expect(third).toMatch(/^r;Bo;Player;5;6;"?stands in column 5/);
    const mended = (files[0]?.text ?? "").replace("Goalie", "Player").replace(/;6;[^\r]*/, "");
    const { faultTotal, tables } = await importer.preview([teams, sendText("players.csv", `${mended.trimEnd()};\r\n`)]);
    expect([faultTotal, tables[1]]).toMatchObject([0, { table: "players", create: 3 }]);
  });

  it("is marked in JSON by item, and taken with the marks left in", async () => {
    const items = [
      { externalId: "a", name: "Alpha", game: "Chess" },
      { externalId: "b", name: "Beta", game: "CS2" },
    ];
    const body = { files: [sendText("all.json", JSON.stringify({ teams: items }))] };
    const { files } = await importer.visitor.do("markImportFaults", { path: { orgId }, body });
    const marked = JSON.parse(files[0]?.text ?? "");
    expect(marked.teams[0].faults).toEqual([expect.stringContaining("game: ")]);
    expect(marked.teams[1]).not.toHaveProperty("faults");
    const mended = sendText("all.json", (files[0]?.text ?? "").replace("Chess", "LoL"));
    expect((await importer.preview([mended])).faultTotal).toBe(0);
  });

  it("must be named and written as an import reads it", async () => {
    const faultOf = async (...files: readonly SentFile[]) => {
      const { rows, fingerprint } = await importer.preview(files);
      expect(fingerprint).toBeNull();
      return rows.flatMap(({ faults }) => faults.map(({ message }) => message)).join("\n");
    };
    expect(await faultOf(sendText("sheet.csv", TEAMS))).toContain("is none of teams.csv");
    expect(await faultOf(sendText("teams.csv", TEAMS), sendText("Teams.CSV", TEAMS))).toContain("is the same table as");
    expect(await faultOf(sendText("teams.csv", TEAMS), sendText("all.json", "{}"))).toContain("import it alone");
    expect(await faultOf(sendText("teams.csv", Buffer.from(TEAMS, "utf16le")))).toContain("UTF-16");
    expect(await faultOf(sendText("teams.csv", Buffer.from("504b0304ff", "hex")))).toContain("Excel workbook");
    expect(await faultOf(sendText("teams.csv", 'externalId,name\na,"Al'))).toContain("a quote opens");
    expect(await faultOf(sendText("teams.csv", "externalId,naem\n"))).toContain("is not a column of teams");
    expect(await faultOf(sendText("players.json", "{"))).toContain("is not JSON");
    const many = `externalId,name,game\n${"\n".repeat(60_001)}`;
    expect(await faultOf(sendText("teams.csv", many))).toContain("has more rows than one import takes");
  });

  it("is refused whole where it is larger than a server takes", async () => {
    const large = { name: "teams.csv", base64: "A".repeat(34 * 1024 * 1024) };
    const reply = await world.visitors.manager
      .try("previewImport", { path: { orgId }, body: { files: [large] } })
      .catch(() => undefined);
    // Who goes on sending may be cut off before it reads the answer.
    if (reply !== undefined)
      expect([reply.code, reply.body.error.message]).toEqual([
        "VALIDATION_ERROR",
        expect.stringContaining("larger than"),
      ]);
    const bytes = sendText("teams.csv", Buffer.alloc(24 * 1024 * 1024 + 1, "a"));
    expect((await importer.preview([bytes])).rows[0]?.faults[0]?.message).toContain("larger than one import takes");
  });
});

describe("an import", () => {
  it("is written as it was shown, or not at all: another plan is refused, and what does not touch it is not minded", async () => {
    await importTexts([sendText("teams.csv", TEAMS), sendText("players.csv", PLAYERS)]);
    const files = [sendText("players.csv", "externalId,ign\np,Vexx\n")];
    const { fingerprint } = await importer.preview(files);
    const { items } = await importer.visitor.do("listPlayers", { path: { orgId } });
    const change = async (ign: string, body: object) => {
      const found = items.find((one) => one.ign === ign);
      const path = { orgId, recordId: found?.id ?? "" };
      await importer.visitor.do("updatePlayer", { path, body: { updatedAt: found?.updatedAt, ...body } });
    };
    await change("Ash", { realName: "Somebody else" });
    await change("Vex", { ign: "Vex the Second" });
    const before = await importer.exported();
    const refused = await importer.apply(files, fingerprint);
    expect([refused.status, refused.code]).toEqual([409, "CONFLICT"]);
    expect(await importer.exported()).toEqual(before);
    const { fingerprint: second } = await importer.preview(files);
    const [, other] = (await importer.visitor.do("listPlayers", { path: { orgId } })).items;
    const body = { updatedAt: other?.updatedAt, realName: "A third" };
    await importer.visitor.do("updatePlayer", { path: { orgId, recordId: other?.id ?? "" }, body });
    expect((await importer.apply(files, second)).status).toBe(200);
  });

  it("is told in the audit log as the person's who took it", async () => {
    await importTexts([sendText("teams.csv", TEAMS)]);
    const rows = await world.server.store
      .org(orgId)
      .selectFrom("audit")
      .selectAll("audit")
      .orderBy("audit.seq")
      .execute();
    const told = rows.filter(({ action }) => action === "team.created");
    expect(told.map(({ actor_id }) => actor_id)).toEqual([world.userIds.manager, world.userIds.manager]);
  });

  it("tells those who ask how far it is, line by line, and at last what came of it", async () => {
    const lines = Array.from({ length: 2_500 }, (_, n) => `x${n},Ign ${n},Player`);
    const files = [sendText("players.csv", `externalId,ign,role\n${lines.join("\n")}\n`)];
    const { fingerprint } = await importer.preview(files);
    const told = await readLines({ files, fingerprint });
    const phases = [...new Set(told.flatMap(({ progress }) => progress?.phase ?? []))];
    expect(phases).toEqual(["reading", "checking", "writing"]);
    for (const { progress } of told)
      if (progress !== undefined) expect(progress.done).toBeLessThanOrEqual(progress.total);
    expect(told.at(-1)).toEqual({
      result: { tables: [{ table: "players", created: 2_500, changed: 0, unchanged: 0 }] },
    });
    const again = await readLines({ files, fingerprint });
    expect(again.at(-1)?.error?.code).toBe("CONFLICT");
  });
});

type Line = { progress?: { phase: string; done: number; total: number }; result?: unknown; error?: { code: string } };

async function readLines(body: object): Promise<Line[]> {
  const { origin } = world.server;
  const cookie = [...world.visitors.manager.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { origin, cookie, accept: PROGRESS_TYPE, "content-type": "application/json" };
  const url = `${origin}/internal/orgs/${orgId}/import`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.headers.get("content-type")).toBe(PROGRESS_TYPE);
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  return (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("an export", () => {
  it("imported again changes nothing, and in another organization makes the same export", async () => {
    const examples = (await importer.visitor.do("listExampleFiles", { path: { orgId } })).files;
    await importTexts(examples.map(({ name, text }) => sendText(name, text)));
    await importTexts([sendText("teams.csv", TEAMS), sendText("players.csv", PLAYERS)]);
    for (const format of ["csv", "json"] as const) {
      const files = await importer.exportSent(format);
      const { tables, fingerprint } = await importer.preview(files);
      expect(tables.map(({ create, change, follow, fault }) => create + change + follow + fault)).toEqual([
        0, 0, 0, 0, 0, 0,
      ]);
      await importer.apply(files, fingerprint);
      expect(await importer.exportSent(format)).toEqual(files);
      const otherId = await makeOrg(world.server, "Pro", `Copy ${++made}`);
      await join(world.server, otherId, world.userIds.manager, "manager");
      const other = new Importer(world.visitors.manager, otherId);
      await other.importAsShown(files);
      expect(await other.exportSent(format)).toEqual(files);
    }
  });

  it("of one kind has that kind alone, and the audit log says who took it", async () => {
    await join(world.server, orgId, world.userIds.viewer, "viewer");
    const { files } = await world.visitors.viewer.do("exportData", {
      path: { orgId },
      body: { format: "csv", table: "teams" },
    });
    expect(files.map(({ name }) => name)).toEqual(["teams.csv"]);
    const told = await world.server.store.org(orgId).selectFrom("audit").selectAll("audit").orderBy("seq").execute();
    expect(told.at(-1)).toMatchObject({ action: "data.exported", actor_id: world.userIds.viewer });
  });
});
