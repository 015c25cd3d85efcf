/** Random writes through the API, most of them right, and what the model makes of each. */
import { CONTRACT_STATUSES, PLAYER_STATUSES, type Player, playerResource } from "@lineup/api/players";
import { PROSPECT_PRIORITIES, PROSPECT_STAGES, type Prospect, prospectResource } from "@lineup/api/prospects";
import { type AnyResource, type Field, isNullable } from "@lineup/api/resource";
import { ALL_ROLES, GAMES, type Game, ROLES_BY_GAME } from "@lineup/api/roles";
import { DAY_MS } from "@lineup/api/tiers";
import { sampleValue } from "../sample-records.ts";
import type { Fields, Model, Write } from "./model.ts";
import type { Random } from "./random.ts";
import { ASSIGNEES, COUNTRIES, FOREIGN_IDS, IGNS, REAL_NAMES, SYSTEMS, TEAM_NAMES } from "./words.ts";

export interface ApiWrite {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
  /** As the model has it now. */
  readonly plan: (now: number) => Write<{ readonly id: string }>;
}

/** So that lists stay short enough to be compared fifty thousand times. */
const RECORDS_MAX = 100;
/** Well-formed, and nobody's. */
const NOBODY = "01jb8v6k3ze5xr9m4q7w2t5n8d";

export function makeApiWrite(random: Random, model: Model, now: number): ApiWrite {
  return random.chance(0.65) ? writePlayer(random, model, now) : writeProspect(random, model, now);
}

function writePlayer(random: Random, model: Model, now: number): ApiWrite {
  if (model.players.size < RECORDS_MAX && random.chance(0.3)) return postPlayer(random, model, now);
  const id = findId(random, [...model.players.keys()], "player");
  const body = playerFields(random, model, now);
  if (random.chance(0.35)) body.teamId = random.find([...model.teams.keys(), null]) ?? null;
  // A role that fits the team the player will have, or just any role, which usually does not.
  const teamId = (body.teamId ?? model.players.get(id)?.teamId ?? null) as string | null;
  if ("teamId" in body || random.chance(0.2)) {
    body.role = random.chance(0.9) ? roleFor(random, gameOf(model, teamId)) : random.pick(ALL_ROLES);
  }
  if (Object.keys(body).length === 0) body.ign = random.pick(IGNS);
  return { method: "PATCH", path: `/players/${id}`, body, plan: (at) => model.updatePlayer(id, body, at) };
}

export function postPlayer(random: Random, model: Model, now: number): ApiWrite {
  const teamId = random.chance(0.7) ? random.pick([...model.teams.keys()]) : null;
  const body: Fields<Player> = { ...playerFields(random, model, now), ign: random.pick(IGNS), teamId };
  body.role = roleFor(random, gameOf(model, teamId));
  return { method: "POST", path: "/players", body, plan: (at) => model.createPlayer(body, at) };
}

function playerFields(random: Random, model: Model, now: number): Fields<Player> {
  return choose<Player>(random, {
    ...sampleMakers(random, playerResource),
    ign: () => random.pick(IGNS),
    realName: () => random.pick(REAL_NAMES),
    contractStatus: () => random.pick(CONTRACT_STATUSES),
    joinDate: () => now + random.between(-500, 5) * DAY_MS,
    status: () => random.pick(PLAYER_STATUSES),
    nationality: () => random.pick([...COUNTRIES, null]),
    imageUrl: () => random.pick([null, "https://example.com/a.png", "https://example.com/b.png"]),
    stats: () => random.pick([null, { kda: random.between(0, 9) / 2 }, { kda: 4.2, winRate: "61%" }]),
    externalIds: () => externalIds(random, model.players.size),
  });
}

function writeProspect(random: Random, model: Model, now: number): ApiWrite {
  if (model.prospects.size < RECORDS_MAX && random.chance(0.3)) return postProspect(random, model, now);
  const fields = prospectFields(random, model, now);
  const id = findId(random, [...model.prospects.keys()], "prospect");
  if (random.chance(0.2)) fields.role = random.pick([null, ...ALL_ROLES]);
  if (Object.keys(fields).length === 0) fields.stage = random.pick(PROSPECT_STAGES);
  return {
    method: "PATCH",
    path: `/prospects/${id}`,
    body: fields,
    plan: (at) => model.updateProspect(id, fields, at),
  };
}

export function postProspect(random: Random, model: Model, now: number): ApiWrite {
  const game = random.pick(GAMES);
  const body: Fields<Prospect> = { ...prospectFields(random, model, now), ign: random.pick(IGNS), game };
  if (random.chance(0.6)) body.role = roleFor(random, game);
  return { method: "POST", path: "/prospects", body, plan: (at) => model.createProspect(body, at) };
}

function prospectFields(random: Random, model: Model, now: number): Fields<Prospect> {
  return choose<Prospect>(random, {
    ...sampleMakers(random, prospectResource),
    ign: () => random.pick(IGNS),
    realName: () => random.pick(REAL_NAMES),
    stage: () => random.pick(PROSPECT_STAGES),
    priority: () => random.pick(PROSPECT_PRIORITIES),
    rating: () => random.pick([null, 0, 4.5, 7, 10]),
    currentTeam: () => random.pick([null, ...TEAM_NAMES]),
    assignedTo: () => random.pick([null, ...ASSIGNEES]),
    notes: () => random.pick([null, "", "Calm.\nReads the map.", "Trial next week"]),
    targetTeamId: () => (random.chance(0.95) ? random.pick([null, ...model.teams.keys()]) : `team_${NOBODY}`),
    contractEndDate: () => random.pick([null, now + random.between(-10, 100) * DAY_MS]),
    lastContactAt: () => random.pick([null, now - random.between(0, 30) * DAY_MS]),
    tags: () => random.pick([[], ["aim"], ["aim", "calm"]]),
    externalIds: () => externalIds(random, model.prospects.size),
  });
}

/** Fields that need no words of their own: a value now and then, and where they may be null, null. */
function sampleMakers(random: Random, resource: AnyResource): Partial<Record<string, () => unknown>> {
  const plain = Object.entries(resource.fields).filter(
    ([name, one]) =>
      one.writtenBy === "clients" && one.refersTo === undefined && !["role", "game", "externalIds"].includes(name),
  );
  const usual = (one: Field) => (isNullable(one.schema) ? null : one.example);
  return Object.fromEntries(
    plain.map(([name, one]) => [name, () => random.pick([usual(one), sampleValue(resource, name, {})])]),
  );
}

/** Each now and then. */
function choose<T>(random: Random, makers: Partial<Record<keyof T, () => unknown>>): Fields<T> {
  const chosen: Fields<T> = {};
  for (const [name, make] of Object.entries(makers) as [keyof T, () => unknown][]) {
    if (random.chance(0.15)) chosen[name] = make();
  }
  return chosen;
}

/** From a small stock, so that now and then another record has it already; or one that is this record's alone. */
function externalIds(random: Random, number: number): Record<string, string | null> {
  const system = random.pick(SYSTEMS);
  if (random.chance(0.2)) return { [system]: random.pick(FOREIGN_IDS) };
  return { [system]: `${number}-${random.between(0, 1e9)}` };
}

function gameOf(model: Model, teamId: string | null): Game {
  return teamId === null ? "Other" : (model.teams.get(teamId)?.game ?? "Other");
}

function roleFor(random: Random, game: Game): string {
  return random.pick(random.chance(0.95) ? ROLES_BY_GAME[game] : ALL_ROLES);
}

/** Seldom one that nobody has. */
function findId(random: Random, ids: readonly string[], kind: string): string {
  return random.chance(0.97) ? random.pick(ids) : `${kind}_${NOBODY}`;
}
