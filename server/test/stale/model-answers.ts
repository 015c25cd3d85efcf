/** What the model answers to a question at a moment: which records, in which order, on which page. */
import type { Contract } from "@lineup/api/contracts";
import { kindOfRole } from "@lineup/api/roles";
import type { RosterEntry } from "@lineup/api/roster";
import type { ScheduleEntry } from "@lineup/api/schedule";
import { DAY_MS } from "@lineup/api/tiers";
import { type Assignment, hasEnded, type Model, type StoredContract, shownChangeOf } from "./model.ts";

export const LIST_PATHS = [
  "/players",
  "/teams",
  "/roster",
  "/schedule",
  "/prospects",
  "/contracts",
  "/contracts/expiring",
] as const;

export type ListPath = (typeof LIST_PATHS)[number];

export type FilterValue = readonly string[] | string | number;

/** Where a page ended: the value that is sorted by, as it then was, and the id. */
export interface Place {
  readonly value: string | number | null;
  readonly id: string;
}

export interface ListQuestion {
  readonly path: ListPath;
  readonly filters: Readonly<Record<string, FilterValue>>;
  readonly sort: string | undefined;
  readonly limit: number | undefined;
  /** For a further page: the cursor that the server gave out, and where it leads. */
  readonly after: { readonly cursor: string; readonly place: Place } | undefined;
}

export interface OneQuestion {
  readonly path: `/${"players" | "prospects" | "contracts"}/${string}`;
}

export type Question = ListQuestion | OneQuestion;

export type Expected =
  | { readonly refusal: string }
  | {
      readonly data: unknown;
      readonly count: number;
      /** Undefined where nothing is paged, null on the last page. */
      readonly next: Place | null | undefined;
    };

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

export function answerOf(model: Model, question: Question, now: number): Expected {
  if ("filters" in question) return answerList(model, question, now);
  const [, kind, id = ""] = question.path.split("/");
  const contract = model.contracts.get(id);
  const found =
    kind === "players"
      ? model.players.get(id)
      : kind === "prospects"
        ? model.prospects.get(id)
        : contract && showContract(model, contract, now);
  return found === undefined ? { refusal: "NOT_FOUND" } : { data: found, count: 1, next: undefined };
}

function answerList(model: Model, question: ListQuestion, now: number): Expected {
  const { path, filters, limit, after } = question;
  const { field, descending } = readSort(question);
  const order = (a: Place, b: Place) => comparePlaces(a, b, descending);
  let rows = rowsOf(model, path, filters, now)
    .filter((row) => Object.entries(filters).every(([name, value]) => matches(model, row, name, value)))
    .map((row) => ({ row, place: { value: sortValue(row[field]), id: row.id } }))
    .sort((a, b) => order(a.place, b.place));
  if (after !== undefined) rows = rows.filter(({ place }) => order(place, after.place) > 0);
  const shown = limit === undefined ? rows : rows.slice(0, limit);
  const next = rows.length > shown.length ? (shown.at(-1)?.place ?? null) : null;
  return { data: shown.map(({ row }) => row), count: shown.length, next: limit === undefined ? undefined : next };
}

/** What the list holds before its filters: all, or what the bare call promises. */
function rowsOf(model: Model, path: ListPath, filters: ListQuestion["filters"], now: number): Row[] {
  const contracts = () => [...model.contracts.values()].map((one) => showContract(model, one, now));
  if (path === "/players") return [...model.players.values()];
  if (path === "/teams") return [...model.teams.values()];
  if (path === "/prospects") return [...model.prospects.values()];
  if (path === "/contracts") return contracts();
  if (path === "/roster") return model.assignments.filter((one) => isOpen(one, filters.asOf)).map(entryOf(model));
  if (path === "/schedule") {
    const isBare = !["from", "to", "status"].some((name) => name in filters);
    return [...model.entries.values()].filter((entry) => !isBare || isUpcoming(entry, now));
  }
  const until = now + Number(filters.days ?? 30) * DAY_MS;
  return contracts().filter(({ status, endDate }) => status === "active" && endDate !== null && endDate <= until);
}

function isOpen({ joinedAt, leftAt }: Assignment, asOf: FilterValue | undefined): boolean {
  if (asOf === undefined) return leftAt === null;
  return joinedAt <= Number(asOf) && (leftAt === null || leftAt > Number(asOf));
}

const SIX_HOURS_MS = 6 * 3_600_000;

export function overAt({ startsAt, endsAt }: ScheduleEntry): number {
  return endsAt ?? startsAt + SIX_HOURS_MS;
}

function isUpcoming(entry: ScheduleEntry, now: number): boolean {
  if (entry.status === "live" || entry.status === "postponed") return true;
  return entry.status === "scheduled" && overAt(entry) > now;
}

function showContract(model: Model, stored: StoredContract, now: number): Contract {
  const { id, playerId, externalIds, createdAt, updatedAt: _, ...terms } = stored;
  const runs = stored.status === "active" && stored.endDate !== null && stored.endDate > now;
  return {
    id,
    playerId,
    playerIgn: model.players.get(playerId)?.ign ?? "",
    ...terms,
    status: hasEnded(stored, now) ? "expired" : stored.status,
    daysRemaining: runs ? Math.ceil((Number(stored.endDate) - now) / DAY_MS) : null,
    externalIds,
    createdAt,
    updatedAt: shownChangeOf(stored, now),
  };
}

function entryOf(model: Model) {
  return (one: Assignment): RosterEntry => {
    const [player, team] = [model.players.get(one.playerId), model.teams.get(one.teamId)];
    if (player === undefined || team === undefined || one.id === undefined) {
      throw new Error("The model has an assignment of nobody, to no team, or of an unknown id.");
    }
    return {
      id: one.id,
      playerId: player.id,
      ign: player.ign,
      realName: player.realName,
      role: one.role,
      kind: kindOfRole(one.role),
      teamId: team.id,
      teamName: team.name,
      game: team.game,
      isStarter: one.isStarter,
      isCaptain: one.isCaptain,
      status: player.status,
      joinedAt: one.joinedAt,
      leftAt: one.leftAt,
      createdAt: one.createdAt,
      updatedAt: one.updatedAt,
    };
  };
}

/** Filters that are about what the list holds at all, and were heeded there. */
const OF_THE_WHOLE: ReadonlySet<string> = new Set(["asOf", "days"]);

function matches(model: Model, row: Row, name: string, value: FilterValue): boolean {
  if (OF_THE_WHOLE.has(name)) return true;
  if (name === "updatedSince") return Number(row.updatedAt) >= Number(value);
  if (name === "from") return Number(row.startsAt) >= Number(value);
  if (name === "to") return Number(row.startsAt) <= Number(value);
  if (name === "endsBefore") return row.endDate !== null && Number(row.endDate) < Number(value);
  if (name === "endsAfter") return row.endDate !== null && Number(row.endDate) > Number(value);
  if (name === "search") {
    const texts = [row.ign ?? row.name, "ign" in row ? row.realName : row.tag];
    return texts.some((text) => typeof text === "string" && text.toLowerCase().includes(String(value).toLowerCase()));
  }
  const wanted = value as readonly string[];
  if (name === "externalId") {
    const own = Object.entries(row.externalIds as Record<string, string>).map(([system, id]) => `${system}:${id}`);
    return own.some((pair) => wanted.includes(pair));
  }
  // A player has the game of the team; without one, none.
  if (name === "game" && !("game" in row)) {
    return wanted.includes(model.teams.get(String(row.teamId))?.game ?? "no game");
  }
  if (name === "teamId" && row.teamId === null) return wanted.includes("none");
  return wanted.includes(row[name] as string);
}

function readSort({ path, sort }: ListQuestion): { readonly field: string; readonly descending: boolean } {
  if (sort !== undefined) return { field: sort.replace(/^-/, ""), descending: sort.startsWith("-") };
  return {
    field: path === "/schedule" ? "startsAt" : path === "/contracts/expiring" ? "endDate" : "id",
    descending: false,
  };
}

function sortValue(value: unknown): Place["value"] {
  return typeof value === "boolean" ? Number(value) : (value as Place["value"]);
}

/** Nulls last in both directions; ties by id, always upwards, unless the id itself is what is sorted by. */
function comparePlaces(a: Place, b: Place, descending: boolean): number {
  if (a.value === b.value) return compareTexts(a.id, b.id);
  if (a.value === null) return 1;
  if (b.value === null) return -1;
  const upwards =
    typeof a.value === "number" && typeof b.value === "number"
      ? a.value - b.value
      : compareTexts(String(a.value), String(b.value));
  return descending ? -upwards : upwards;
}

/** By code point. Halves of a pair stand for what lies beyond all others, and are made to compare so. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = rankOf(a.charCodeAt(index)) - rankOf(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
