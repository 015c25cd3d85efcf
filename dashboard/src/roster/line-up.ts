/** The board as data: who stands in which team's column and section, in which order, and what is wrong with a line-up. */
import type { Player } from "@lineup/api/players";
import { type AssignmentKind, type Game, kindOfRole, ROLES_BY_GAME } from "@lineup/api/roles";
import type { RosterEntry } from "@lineup/api/roster";
import type { Team } from "@lineup/api/teams";

export const SECTIONS = ["starters", "substitutes", "staff"] as const;
export type Section = (typeof SECTIONS)[number];

/** Somebody on the board, with or without a team. */
export interface RosterCard {
  readonly playerId: string;
  /** Of the open assignment; null without a team. */
  readonly assignmentId: string | null;
  readonly teamId: string | null;
  readonly ign: string;
  readonly realName: string;
  readonly role: string;
  readonly kind: AssignmentKind;
  readonly status: Player["status"];
  readonly isStarter: boolean;
  readonly isCaptain: boolean;
  /** When the assignment began, or the player joined: a move lies behind it. */
  readonly since: number;
  /** The version that a move names: of the open assignment, or of a player without one. */
  readonly updatedAt: number;
  /** What it is sorted by; made once, because thousands are sorted at a time. */
  readonly sortName: string;
}

export type ColumnTeam = Pick<Team, "id" | "name" | "game" | "status">;
export type Sections = Readonly<Record<Section, readonly RosterCard[]>>;

/** A team and everybody in it, in no order: only columns that are drawn are put in order. */
export interface TeamColumn {
  readonly team: ColumnTeam;
  readonly cards: readonly RosterCard[];
}

export interface LineUp {
  readonly sections: Sections;
  /** How many start at this moment, without those who join later. */
  readonly starters: number;
  readonly faults: LineUpFaults;
}

export interface LineUpFaults {
  /** Roles of the game that nobody who starts has. */
  readonly missing: readonly string[];
  /** Roles that more than one has and only one can have; so of captains. */
  readonly doubled: readonly string[];
}

const made = new WeakMap<Player | RosterEntry, RosterCard>();

/** The same card for the same record, so that what has not changed is not drawn again. */
function makeOnce<R extends Player | RosterEntry>(record: R, make: (record: R) => RosterCard): RosterCard {
  const known = made.get(record);
  if (known !== undefined) return known;
  const card = make(record);
  made.set(record, card);
  return card;
}

export function cardOfEntry(entry: RosterEntry): RosterCard {
  return makeOnce(
    entry,
    ({ id: assignmentId, joinedAt: since, playerId, teamId, ign, realName, role, kind, ...rest }) => {
      const { status, isStarter, isCaptain, updatedAt } = rest;
      const flags = { status, isStarter, isCaptain, sortName: ign.toLowerCase() };
      return { playerId, assignmentId, teamId, ign, realName, role, kind, since, updatedAt, ...flags };
    },
  );
}

export function cardOfPlayer(player: Player): RosterCard {
  return makeOnce(player, ({ id: playerId, joinDate: since, ign, realName, role, status, updatedAt }) => {
    const none = { assignmentId: null, teamId: null, isStarter: false, isCaptain: false };
    const sortName = ign.toLowerCase();
    return { playerId, ign, realName, role, kind: kindOfRole(role), status, since, updatedAt, sortName, ...none };
  });
}

/** What is shown over a card has a name of its own: records make it, now one and then another. */
export const layersOfCard = (playerId: string) => `card-of-${playerId}`;

export function sectionOf({ kind, isStarter }: Pick<RosterCard, "kind" | "isStarter">): Section {
  if (kind === "staff") return "staff";
  return isStarter ? "starters" : "substitutes";
}

/** A column for each team, in the order in which the teams come; of those `before`, the ones in which nothing has changed. */
export function makeColumns(
  teams: readonly ColumnTeam[],
  cards: Iterable<RosterCard>,
  before: readonly TeamColumn[] = [],
): TeamColumn[] {
  const ofTeam = new Map<string, RosterCard[]>(teams.map(({ id }) => [id, []]));
  for (const card of cards) if (card.teamId !== null) ofTeam.get(card.teamId)?.push(card);
  const known = new Map(before.map((column) => [column.team.id, column]));
  return teams.map((team) => {
    const column = { team, cards: ofTeam.get(team.id) ?? [] };
    const same = known.get(team.id);
    return same !== undefined && isSameColumn(same, column) ? same : column;
  });
}

function isSameColumn(a: TeamColumn, b: TeamColumn): boolean {
  return a.team === b.team && a.cards.length === b.cards.length && a.cards.every((card, at) => card === b.cards[at]);
}

/** Who joins later stands in a section already, and makes nothing right or wrong with the line-up until then. */
export function lineUpOf({ team, cards }: TeamColumn, now: number): LineUp {
  const sections: Record<Section, RosterCard[]> = { starters: [], substitutes: [], staff: [] };
  for (const card of cards.toSorted(byRoleOf(team.game))) sections[sectionOf(card)].push(card);
  const isHere = ({ since }: RosterCard) => since <= now;
  const starters = sections.starters.filter(isHere);
  const faults = findLineUpFaults(team.game, starters);
  const doubled = addCaptains(faults.doubled, cards.filter(isHere));
  return { sections, starters: starters.length, faults: { ...faults, doubled } };
}

/** A team has one captain, whichever of its sections they stand in. */
function addCaptains(doubled: readonly string[], cards: readonly RosterCard[]): readonly string[] {
  const isDoubled = cards.filter(({ isCaptain }) => isCaptain).length > 1;
  return isDoubled && !doubled.includes(CAPTAIN) ? [...doubled, CAPTAIN] : doubled;
}

function byRoleOf(game: Game): (a: RosterCard, b: RosterCard) => number {
  const roles = ROLES_BY_GAME[game];
  // A role of another game, of a past assignment, comes last.
  const rank = ({ role }: RosterCard) => (roles.includes(role) ? roles.indexOf(role) : roles.length);
  return (a, b) => rank(a) - rank(b) || compareNames(a, b);
}

export function compareNames(a: RosterCard, b: RosterCard): number {
  if (a.sortName !== b.sortName) return a.sortName < b.sortName ? -1 : 1;
  return a.playerId < b.playerId ? -1 : 1;
}

/** Of LoL each of the five starts once. Other games have no fixed five; some roles exist once all the same. */
const FIXED_ROLES: Readonly<Record<Game, readonly string[]>> = {
  LoL: ["Top", "Jungle", "Mid", "ADC", "Support"],
  Valorant: [],
  CS2: [],
  Other: [],
};
const CAPTAIN = "Captain";
const SINGLE_ROLES: Readonly<Record<Game, readonly string[]>> = {
  LoL: FIXED_ROLES.LoL,
  Valorant: ["IGL"],
  CS2: ["AWPer", "IGL"],
  Other: [CAPTAIN],
};

export function findLineUpFaults(game: Game, starters: readonly Pick<RosterCard, "role">[]): LineUpFaults {
  const count = (role: string) => starters.filter((starter) => starter.role === role).length;
  return {
    missing: FIXED_ROLES[game].filter((role) => count(role) === 0),
    doubled: SINGLE_ROLES[game].filter((role) => count(role) > 1),
  };
}
