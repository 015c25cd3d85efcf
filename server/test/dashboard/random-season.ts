/** Files of a season, drawn at random: rows of every table that refer to each other, some of them with a fault. */
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { writeCell } from "../../src/transfer/cells.ts";
import type { TableName } from "../../src/transfer/tables.ts";
import type { Random } from "../stale/random.ts";

type Row = Record<string, unknown>;
export type Season = Partial<Record<TableName, Row[]>>;

const DAY_MS = 86_400_000;
const BEGAN = Date.UTC(2026, 0, 1);

export interface SeasonSize {
  readonly players: number;
  /** Of all rows. */
  readonly faulty: number;
}

export function drawSeason(random: Random, { players, faulty }: SeasonSize): Season {
  const day = () => BEGAN + random.between(0, 300) * DAY_MS;
  const teams = Array.from({ length: Math.max(2, Math.ceil(players / 12)) }, (_, n) => {
    const game = GAMES[n % GAMES.length] ?? "Other";
    return { externalId: `t${n}`, name: `Team ${random.between(0, 3)}`, game, region: random.pick(["EMEA", null]) };
  });
  const people = Array.from({ length: players }, (_, n) => {
    const team = teams[random.between(0, teams.length - 1)];
    const isFree = n % 7 === 0 || team === undefined;
    const role = random.pick(ROLES_BY_GAME[isFree ? "Other" : team.game]);
    const own = { externalId: `p${n}`, ign: `Ign${random.between(0, 9)}`, role, team: isFree ? null : team.externalId };
    const stats = { kda: random.between(0, 9) };
    return { ...own, joinDate: day(), nationality: random.pick(["SE", "DK", null]), stats };
  });
  const contracts = people
    .filter((_, n) => n % 3 === 0)
    .map(({ externalId }, n) => {
      const startDate = day();
      const status = random.pick(["draft", "active"]);
      return { externalId: `c${n}`, player: externalId, status, startDate, endDate: startDate + 400 * DAY_MS };
    });
  const schedule = teams.map(({ externalId }, n) => ({
    externalId: `e${n}`,
    title: random.pick(["Scrim", 'Final; of all, "the" best']),
    team: externalId,
    startsAt: day() + 60_000,
  }));
  const prospects = Array.from({ length: Math.ceil(players / 5) }, (_, n) => ({
    externalId: `x${n}`,
    ign: `Pro${n}`,
    stage: random.pick(["identified", "contacted", null]),
    tags: random.pick([["aim"], ["aim", "ladder"], null]),
  }));
  const season: Season = { teams, players: people, contracts, schedule, prospects };
  if (random.chance(0.5)) season.roster = listRoster(random, people);
  for (const rows of Object.values(season)) for (const row of rows) if (random.chance(faulty)) spoil(random, row, rows);
  return season;
}

/** What the rows of players say anyway, of some of them, and some of it with a past. */
function listRoster(random: Random, people: readonly Row[]): Row[] {
  return people
    .filter(({ team }) => team !== null && random.chance(0.4))
    .map(({ externalId, team, role, joinDate }) => {
      const isStarter = random.chance(0.5);
      return { externalId: `a-${externalId}`, player: externalId, team, role, isStarter, joinedAt: joinDate };
    });
}

function spoil(random: Random, row: Row, rows: readonly Row[]): void {
  const faults: (() => void)[] = [
    () => Object.assign(row, { externalId: rows[0]?.externalId }),
    () => Object.assign(row, { externalId: null }),
    ...("role" in row ? [() => Object.assign(row, { role: "Goalkeeper" })] : []),
    ...("team" in row ? [() => Object.assign(row, { team: "nowhere" })] : []),
    ...("nationality" in row ? [() => Object.assign(row, { nationality: "Sweden" })] : []),
    ...("game" in row ? [() => Object.assign(row, { game: "Chess" })] : []),
    ...("startsAt" in row ? [() => Object.assign(row, { startsAt: "soon" })] : []),
    ...("endDate" in row ? [() => Object.assign(row, { endDate: BEGAN - DAY_MS })] : []),
    ...("tags" in row ? [() => Object.assign(row, { tags: "[aim" })] : []),
  ];
  random.pick(faults)();
}

export interface SentFile {
  readonly name: string;
  readonly base64: string;
}

export function sendText(name: string, text: string | Uint8Array): SentFile {
  return { name, base64: Buffer.from(text).toString("base64") };
}

export function sendSeason(season: Season): SentFile[] {
  return Object.entries(season).map(([table, rows]) => {
    const columns = Object.keys(rows[0] ?? { externalId: "" });
    const lines = [columns, ...rows.map((row) => columns.map((column) => quote(writeCell(row[column]))))];
    return sendText(`${table}.csv`, lines.map((cells) => `${cells.join(",")}\n`).join(""));
  });
}

function quote(cell: string): string {
  return /[",\n;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Without the rows that begin on these lines of the file that `sendSeason` makes of them. */
export function withoutLines(season: Season, faulty: readonly { file: string | null; line: number | null }[]): Season {
  const lines = new Set(faulty.map(({ file, line }) => `${file} ${line}`));
  return Object.fromEntries(
    Object.entries(season).map(([table, rows]) => [table, rows.filter((_, n) => !lines.has(`${table}.csv ${n + 2}`))]),
  );
}
