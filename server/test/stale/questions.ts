/** Random questions over all that can be read, and how a URL puts them. */
import { CONTRACT_STATES } from "@lineup/api/contracts";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import type { Parameter, SortOrder } from "@lineup/api/parameters";
import { CONTRACT_STATUSES, PLAYER_STATUSES } from "@lineup/api/players";
import { PROSPECT_PRIORITIES, PROSPECT_STAGES } from "@lineup/api/prospects";
import { ALL_ROLES, GAMES } from "@lineup/api/roles";
import { ROSTER_KINDS } from "@lineup/api/roster";
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from "@lineup/api/schedule";
import { TEAM_STATUSES } from "@lineup/api/teams";
import { DAY_MS } from "@lineup/api/tiers";
import type { Model } from "./model.ts";
import { type FilterValue, LIST_PATHS, type ListPath, type ListQuestion, type Question } from "./model-answers.ts";
import type { Random } from "./random.ts";
import { ASSIGNEES, EXTERNAL_PAIRS, SEARCHED } from "./words.ts";

/** A list's sort fields, as its endpoint offers them. */
function sortFieldsOf(path: ListPath): readonly string[] {
  const endpoint = ENDPOINTS.find((one) => one.list && one.path === path);
  const offered = (endpoint?.query as { readonly sort?: Parameter<SortOrder> } | undefined)?.sort?.schema.enum;
  return (offered as readonly string[]).filter((name) => !name.startsWith("-"));
}

/** What time alone changes is asked for more often. */
const PATH_WEIGHTS: Readonly<Record<ListPath, number>> = {
  "/players": 3,
  "/teams": 2,
  "/roster": 3,
  "/schedule": 4,
  "/prospects": 2,
  "/contracts": 4,
  "/contracts/expiring": 4,
};

type MakeFilter = (random: Random, model: Model, now: number) => FilterValue;

const oneOf =
  (values: readonly string[]): MakeFilter =>
  (random) =>
    random.some(values);
const team: MakeFilter = (random, model) => random.some([...model.teams.keys()]);
const search: MakeFilter = (random) => random.pick(SEARCHED);
const externalId: MakeFilter = (random) => random.some(EXTERNAL_PAIRS);

/** Moments at which something is about to change, or a while from now. */
const moment: MakeFilter = (random, model, now) => {
  const known = random.chance(0.7) ? random.find(momentsOf(model)) : undefined;
  return (known ?? now + random.between(-40, 40) * DAY_MS) + random.between(-1, 1);
};

function momentsOf(model: Model): number[] {
  return [
    ...[...model.contracts.values()].flatMap(({ endDate, updatedAt }) => [endDate ?? updatedAt, updatedAt]),
    ...[...model.entries.values()].map(({ startsAt }) => startsAt),
    ...model.assignments.flatMap(({ joinedAt, leftAt }) => [joinedAt, leftAt ?? joinedAt]),
    ...[...model.players.values()].map(({ updatedAt }) => updatedAt),
  ];
}

const FILTERS: Readonly<Record<ListPath, Readonly<Record<string, MakeFilter>>>> = {
  "/players": {
    teamId: (random, model) => random.some([...model.teams.keys(), "none"]),
    game: oneOf(GAMES),
    role: oneOf(ALL_ROLES),
    status: oneOf(PLAYER_STATUSES),
    contractStatus: oneOf(CONTRACT_STATUSES),
    search,
    externalId,
    updatedSince: moment,
  },
  "/teams": { game: oneOf(GAMES), status: oneOf(TEAM_STATUSES), search, externalId, updatedSince: moment },
  "/roster": {
    teamId: team,
    game: oneOf(GAMES),
    role: oneOf(ALL_ROLES),
    kind: oneOf(ROSTER_KINDS),
    status: oneOf(PLAYER_STATUSES),
    asOf: moment,
    updatedSince: moment,
  },
  "/schedule": {
    teamId: team,
    game: oneOf(GAMES),
    kind: oneOf(SCHEDULE_KINDS),
    status: oneOf(SCHEDULE_STATUSES),
    from: moment,
    to: moment,
    externalId,
    updatedSince: moment,
  },
  "/prospects": {
    stage: oneOf(PROSPECT_STAGES),
    game: oneOf(GAMES),
    role: oneOf(ALL_ROLES),
    priority: oneOf(PROSPECT_PRIORITIES),
    assignedTo: oneOf(ASSIGNEES),
    search,
    externalId,
    updatedSince: moment,
  },
  "/contracts": {
    status: oneOf(CONTRACT_STATES),
    playerId: (random, model) => random.some([...model.players.keys()]),
    teamId: team,
    endsBefore: moment,
    endsAfter: moment,
    externalId,
    updatedSince: moment,
  },
  "/contracts/expiring": {
    days: (random) => random.pick([1, 2, 7, 30, 90, 365]),
    teamId: team,
    externalId,
    updatedSince: moment,
  },
};

/** Half of them bare: those are what most clients ask, and what one client's question can spoil for another. */
const FILTER_COUNTS = [0, 0, 0, 1, 1, 2] as const;

export function makeQuestion(random: Random, model: Model, now: number): Question {
  if (random.chance(0.25)) return makeOneQuestion(random, model);
  return makeListQuestion(random, model, random.weighted(PATH_WEIGHTS), now);
}

function makeOneQuestion(random: Random, model: Model): Question {
  const kind = random.weighted({ players: 3, prospects: 2, contracts: 5 });
  return { path: `/${kind}/${random.pick([...model[kind].keys()])}` };
}

function makeListQuestion(random: Random, model: Model, path: ListPath, now: number): ListQuestion {
  const makers = FILTERS[path];
  const filters: Record<string, FilterValue> = {};
  for (let left = random.pick(FILTER_COUNTS); left > 0; left--) {
    const name = random.pick(Object.keys(makers));
    const value = makers[name]?.(random, model, now);
    if (value !== undefined) filters[name] = value;
  }
  const field = random.chance(0.3) ? random.pick(sortFieldsOf(path)) : undefined;
  const sort = field === undefined ? undefined : random.chance(0.5) ? `-${field}` : field;
  const limit = random.chance(0.3) ? random.between(1, 8) : undefined;
  return { path, filters, sort, limit, after: undefined };
}

/** The list of everything, which shows whatever was written to it. */
export function wholeListOf(path: ListPath): ListQuestion {
  const filters: Record<string, FilterValue> = path === "/schedule" ? { from: 0 } : {};
  return { path, filters, sort: undefined, limit: undefined, after: undefined };
}

export function targetOf(question: Question): string {
  if (!("filters" in question)) return BASE_PATH + question.path;
  const { path, filters, sort, limit, after } = question;
  const parts = Object.entries(filters).map(([name, value]) => [
    name,
    typeof value === "object" ? value.join() : value,
  ]);
  if (sort !== undefined) parts.push(["sort", sort]);
  if (limit !== undefined) parts.push(["limit", limit]);
  // A cursor brings along all that its first page was asked with.
  const query = after === undefined ? parts : [["cursor", after.cursor]];
  const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value ?? "")}`).join("&");
  return `${BASE_PATH}${path}${text === "" ? "" : `?${text}`}`;
}

/** Every path, for anyone who counts which of them were asked. */
export const READ_PATHS: readonly string[] = [...LIST_PATHS, "/players/{id}", "/prospects/{id}", "/contracts/{id}"];
