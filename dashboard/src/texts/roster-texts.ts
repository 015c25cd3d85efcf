/** The roster board. */
import type { Section } from "../roster/line-up.ts";

export const ROSTER_TEXTS = {
  title: "Roster",
  intro: "Who plays where. Drag a card to another team or section, or use its menu.",
  introReadOnly: "Who plays where. Owners and managers move players.",
  introPast: "Who played where.",
  board: "Roster board",
  gameFilter: "Game",
  anyGame: "All games",
  teamFilter: "Team",
  anyTeam: "All teams",
  emptyTitle: "No team yet",
  emptyBody: "The roster has a column for each team. Make the first one, then move players into it.",
  emptyBodyReadOnly: "The roster has a column for each team. An owner or a manager makes them.",
  toTeams: "Go to Teams",
  nothingTitle: "No team is shown",
  nothingBody: "No active team fits the filters.",
  clear: "Clear filters",
  loadingMore: "Loading more…",
} as const;

export const DAY_TEXTS = {
  label: "As of",
  slider: "Day that the roster is shown of",
  today: "Today",
  showToday: "Show today",
  past: (day: string) =>
    `The roster as it was at the end of ${day}. Names and status are today's. Nothing can be moved.`,
  nobodyTitle: "Nobody was in a team",
  nobodyBody: "On that day no assignment was open.",
} as const;

export const SECTION_NAMES: Readonly<Record<Section, string>> = {
  starters: "Starters",
  substitutes: "Substitutes",
  staff: "Staff",
};

export const COLUMN_TEXTS = {
  inactive: "Inactive",
  nobody: { starters: "Nobody starts", substitutes: "No substitutes", staff: "No staff" },
  starters: (count: number) => (count === 1 ? "1 starter" : `${count} starters`),
  missing: (roles: readonly string[]) => `Missing: ${roles.join(", ")}`,
  doubled: (roles: readonly string[]) => `More than one: ${roles.join(", ")}`,
  complete: "Every role is filled once",
  more: (shown: number, left: number) => `Show ${shown} more of ${left}`,
  loose: "Without a team",
  looseSearch: "Search players without a team",
  looseHint: "Search",
  looseNone: "Everybody has a team.",
  looseNothing: "Nobody without a team is called that.",
} as const;

export const CARD_TEXTS = {
  drag: (ign: string) => `Drag ${ign}`,
  dragHint:
    "Press Space to pick up. Arrow keys go from team to team and from section to section, Space drops, Escape puts back. The menu beside it does the same without dragging.",
  menu: (ign: string) => `Actions for ${ign}`,
  captain: "Captain",
  benched: "Benched",
  inactive: "Inactive",
  joins: (day: string) => `Joins on ${day}`,
  moveTo: "Move to…",
  makeStarter: "Make starter",
  makeSubstitute: "Make substitute",
  makeCaptain: "Make captain",
  endCaptain: "No longer captain",
  bench: "Bench",
  activate: "Activate",
  takeOut: "Take out of the team",
  takeBack: "Take last move back",
  open: "Open player",
} as const;

export const DRAG_TEXTS = {
  pickedUp: (card: string, from: string) => `Picked up ${card}, ${from}.`,
  over: (target: string) => `Over ${target}.`,
  overNothing: "Over nothing.",
  dropped: (card: string, target: string) => `Dropped ${card} on ${target}.`,
  putBack: (card: string) => `${card} is back where it was.`,
  section: (team: string, section: string) => `${team}, ${section}`,
} as const;

export const MOVE_TEXTS = {
  title: (ign: string) => `Move ${ign}`,
  team: "Team",
  role: "Role",
  roleOfGame: (game: string) => `A role of ${game}.`,
  roleAlone: "Without a team, a role that no game decides.",
  isStarter: "Starts",
  isCaptain: "Captain of the team",
  when: "When",
  now: "Now",
  earlier: "Earlier",
  at: "Moved at",
  chooseRole: "Choose a role.",
  chooseMoment: "Choose a moment.",
  submit: "Move",
  moved: (ign: string, team: string, role: string) => `${ign} is in ${team} as ${role}.`,
  takenOut: (ign: string) => `${ign} is without a team.`,
  starts: (ign: string) => `${ign} starts.`,
  substitutes: (ign: string) => `${ign} is a substitute.`,
  isCaptainNow: (ign: string) => `${ign} is captain.`,
  isCaptainNoMore: (ign: string) => `${ign} is no longer captain.`,
  benched: (ign: string) => `${ign} is benched.`,
  activated: (ign: string) => `${ign} is active.`,
  takenBack: (ign: string) => `The last move of ${ign} is taken back.`,
} as const;
