/** Games and the roles each of them knows: the specification's role table. */
export const GAMES = ["LoL", "Valorant", "CS2", "Other"] as const;

export type Game = (typeof GAMES)[number];

export const ROLES_BY_GAME: Readonly<Record<Game, readonly string[]>> = {
  LoL: ["Top", "Jungle", "Mid", "ADC", "Support", "Coach", "Analyst", "Substitute"],
  Valorant: ["Duelist", "Initiator", "Controller", "Sentinel", "Flex", "IGL", "Coach", "Analyst", "Substitute"],
  CS2: ["Entry Fragger", "AWPer", "Rifler", "Support", "Lurker", "IGL", "Coach", "Analyst", "Substitute"],
  Other: ["Player", "Captain", "Coach", "Analyst", "Manager", "Substitute"],
};

/** Every role of any game, once each: what a `role` filter accepts, and what a role can be at all. */
export const ALL_ROLES: readonly string[] = [...new Set(GAMES.flatMap((game) => ROLES_BY_GAME[game]))];

/** For the words of the reference. */
export const ROLE_TABLE = `${GAMES.map((game) => `${game}: ${ROLES_BY_GAME[game].join(", ")}`).join(". ")}.`;

const STAFF_ROLES: ReadonlySet<string> = new Set(["Coach", "Analyst", "Manager"]);

export function isRoleOf(game: Game, role: string): boolean {
  return ROLES_BY_GAME[game].includes(role);
}

export type AssignmentKind = "player" | "staff";

export function kindOfRole(role: string): AssignmentKind {
  return STAFF_ROLES.has(role) ? "staff" : "player";
}

/** Whether an assignment starts unless staff say otherwise. */
export function startsByDefault(role: string): boolean {
  return kindOfRole(role) === "player" && role !== "Substitute";
}
