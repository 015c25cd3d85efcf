/** The season that a manager brings in and works on for a day, and what the API and the audit log say of it in the end. */
import type { Permission } from "@lineup/api/permissions";
import { expect } from "vitest";
import { call, type LooseBody, makeKey, type TestServer } from "../test-server.ts";

/** What the browser is set to, whatever the machine is. */
const ZONE = "Europe/Berlin";
const DAY_MS = 86_400_000;
const READS: readonly Permission[] = [
  "players:read",
  "teams:read",
  "roster:read",
  "schedule:read",
  "prospects:read",
  "contracts:read",
];

/** 2026-11-18T19:30, as the browser's fields and the files write it, in the viewer's zone. */
export function sayMoment(at: number): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE, dateStyle: "short", timeStyle: "short" })
    .format(at)
    .replace(" ", "T");
}

const dayIn = (days: number) => sayMoment(Date.now() + days * DAY_MS).slice(0, 10);

/** Of the month after this one, so that a month of the calendar shows both days of the scrim. */
function dayOfNextMonth(day: number): string {
  const [year = 0, month = 0] = dayIn(0).split("-").map(Number);
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

export const SCRIM = {
  opponent: "Night Shift",
  title: "Gale – Night Shift",
  day: dayOfNextMonth(14),
  movedTo: dayOfNextMonth(16),
  time: "18:00",
} as const;
export const MATCH = { title: "Harbor Nine – Blue Tide", score: "2–1" } as const;
/** A day more than a year ahead, on which new contracts end. */
export const LAST_DAY = `${Number(dayIn(0).slice(0, 4)) + 2}-06-30`;

export interface SeasonFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

function csv(name: string, ...lines: readonly string[]): SeasonFile {
  return { name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) };
}

const players = (quillsRole: string) =>
  csv(
    "players.csv",
    "externalId,ign,realName,role,team,contractStatus",
    "wisp,Wisp,Ada Lund,Mid,harbor,unsigned",
    `quill,Quill,Mai Tran,${quillsRole},harbor,unsigned`,
    "ember,Ember,Jo Vance,AWPer,gale,active",
    "moss,Moss,Kit Adler,Rifler,gale,active",
  );
const contracts = (mossEnds: string) =>
  csv(
    "contracts.csv",
    "externalId,player,team,status,startDate,endDate,noticePeriodDays",
    `ember-1,ember,gale,active,${dayIn(-300)},${dayIn(20)},30`,
    `moss-1,moss,gale,active,${dayIn(-100)},${mossEnds},`,
  );

/** A role of another game, and a day that no calendar has. */
export const FAULTS = ["Duelist", "2027-02-31"] as const;
export const SEASON: readonly SeasonFile[] = [
  csv("teams.csv", "externalId,name,game", "harbor,Harbor Nine,LoL", "gale,Gale,CS2"),
  players(FAULTS[0]),
  csv(
    "schedule.csv",
    "externalId,title,kind,team,opponent,bestOf,startsAt,endsAt",
    `tide,${MATCH.title},match,harbor,Blue Tide,3,${dayIn(-1)}T16:00Z,${dayIn(-1)}T18:00Z`,
    `drill,Morning drill,practice,gale,,,${SCRIM.day}T06:00Z,${SCRIM.day}T08:00Z`,
  ),
  csv(
    "prospects.csv",
    "externalId,ign,game,role,stage,targetTeam",
    "tern,Tern,CS2,Rifler,identified,gale",
    "rook,Rook,LoL,Top,contacted,",
  ),
  contracts(FAULTS[1]),
];
export const MENDED: readonly SeasonFile[] = [players("Support"), contracts(dayIn(200))];
export const ROWS = 12;

export interface WorkedSeason {
  readonly server: TestServer;
  readonly orgId: string;
}

async function readData({ server, orgId }: WorkedSeason): Promise<(path: string) => Promise<LooseBody[]>> {
  const { key } = await makeKey(server, orgId, READS);
  return async (path) => {
    const { status, body } = await call(server, "GET", path, { key });
    expect([path, status]).toEqual([path, 200]);
    return body.data;
  };
}

/** All that was done, read by an application with a key. */
export async function checkByApi(season: WorkedSeason): Promise<void> {
  const list = await readData(season);
  const idOf = (all: LooseBody[], ign: string) => all.find((one) => one.ign === ign)?.id;
  const [harbor, gale] = (await list("/teams")).map(({ id }) => id);
  const everybody = await list("/players");
  expect(everybody).toMatchObject([
    { ign: "Wisp", teamId: gale, role: "AWPer", status: "active" },
    { ign: "Quill", teamId: harbor, role: "Support", status: "benched" },
    { ign: "Ember", teamId: gale, role: "AWPer", contractStatus: "active" },
    { ign: "Moss", teamId: gale, role: "Rifler", contractStatus: "terminated" },
    { ign: "Tern", teamId: gale, role: "Rifler", contractStatus: "active" },
  ]);
  expect((await list("/roster")).map(({ ign, teamName, role }) => `${ign}: ${role} of ${teamName}`).sort()).toEqual([
    "Ember: AWPer of Gale",
    "Moss: Rifler of Gale",
    "Quill: Support of Harbor Nine",
    "Tern: Rifler of Gale",
    "Wisp: AWPer of Gale",
  ]);
  await checkSchedule(await list("/schedule?from=0"), gale);
  expect(await list("/prospects")).toMatchObject([
    { ign: "Tern", stage: "signed", playerId: idOf(everybody, "Tern") },
    { ign: "Rook", stage: "contacted", playerId: null },
  ]);
  await checkContracts(await list("/contracts"));
}

function checkSchedule(entries: LooseBody[], gale: string): void {
  expect(entries.find(({ title }) => title === MATCH.title)).toMatchObject({
    status: "completed",
    result: { own: 2, opponent: 1 },
  });
  const scrim = entries.find(({ title }) => title === SCRIM.title);
  expect(scrim).toMatchObject({ kind: "scrim", teamId: gale, opponent: SCRIM.opponent, status: "scheduled" });
  expect([sayMoment(scrim.startsAt), sayMoment(scrim.previousStartsAt)]).toEqual([
    `${SCRIM.movedTo}T${SCRIM.time}`,
    `${SCRIM.day}T${SCRIM.time}`,
  ]);
  expect(scrim.endsAt - scrim.startsAt).toBe(2 * 3_600_000);
}

function checkContracts(all: LooseBody[]): void {
  const brief = all.map(({ playerIgn, status }) => [playerIgn, status]);
  expect(brief).toEqual([
    ["Ember", "active"],
    ["Moss", "terminated"],
    ["Tern", "active"],
    ["Ember", "pending"],
  ]);
  const [ember, moss, tern, renewed] = all;
  expect(renewed.startDate).toBe(ember.endDate);
  expect(moss.terminatedAt).toBeGreaterThan(Date.now() - DAY_MS);
  const lastMoment = Date.parse(`${LAST_DAY}T23:59:59.999Z`);
  expect([tern.endDate, renewed.endDate]).toEqual([lastMoment, lastMoment]);
}

/** What was taken out of the dashboard as one JSON file. */
export function checkExport(text: string): void {
  const data = JSON.parse(text);
  const named = (table: string, name: string) => data[table].find((row: LooseBody) => row.externalId === name);
  expect(named("players", "wisp")).toMatchObject({ team: "gale", role: "AWPer" });
  expect(named("players", "quill")).toMatchObject({ status: "benched" });
  expect(named("schedule", "tide")).toMatchObject({ result: { own: 2, opponent: 1 } });
  expect(named("prospects", "tern")).toMatchObject({ stage: "signed" });
  expect(named("contracts", "moss-1")).toMatchObject({ status: "terminated" });
  expect(data.contracts.length).toBe(4);
}

type Changed = Readonly<Record<string, readonly unknown[]>>;
/** Each step as the audit log has it; a contract has no name. */
const DID: readonly (readonly [action: string, name: string | null, changes?: Changed])[] = [
  ["team.created", "Gale"],
  ["player.created", "Wisp"],
  ["player.updated", "Wisp", { role: ["Mid", "AWPer"] }],
  ["player.updated", "Quill", { status: ["active", "benched"] }],
  ["event.created", SCRIM.title],
  ["event.updated", SCRIM.title, { previousStartsAt: [null, expect.any(Number)] }],
  ["event.updated", MATCH.title, { status: ["scheduled", "completed"] }],
  ["prospect.updated", "Tern", { stage: ["identified", "contacted"] }],
  ["prospect.updated", "Tern", { stage: ["contacted", "trial"] }],
  ["prospect.updated", "Tern", { stage: ["trial", "offered"] }],
  ["prospect.updated", "Tern", { stage: ["offered", "signed"] }],
  ["player.created", "Tern"],
  ["contract.created", null, { status: [null, "pending"] }],
  ["contract.updated", null, { status: ["active", "terminated"] }],
  ["data.exported", null],
];
const IS_ABOUT_DATA = /^(player|team|assignment|event|prospect|contract|data)\./;

/** Every step is there, and nobody else has touched the data. */
export function checkAudit(entries: readonly LooseBody[], managerId: string): void {
  const about = entries.filter(({ action }) => IS_ABOUT_DATA.test(action));
  expect(new Set(about.map(({ actor }) => actor.id))).toEqual(new Set([managerId]));
  for (const [action, name, changes] of DID) {
    const target = expect.objectContaining({ name });
    const changed = changes === undefined ? {} : { changes: expect.objectContaining(changes) };
    expect(about).toContainEqual(expect.objectContaining({ action, target, ...changed }));
  }
}
