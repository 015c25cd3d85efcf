/**
 * What becomes of a card that is dropped somewhere, or sent there by its menu: done at once where nothing has to be chosen, else asked.
 * The server's rule stands behind it: a role must be one of the new team's game, without a team of Other.
 */
import { type Game, isRoleOf, kindOfRole } from "@lineup/api/roles";
import { type ColumnTeam, type RosterCard, type Section, sectionOf } from "./line-up.ts";

/** A team's column or one of its sections; `team` is null for those without one. */
export interface DropTarget {
  readonly team: Pick<ColumnTeam, "id" | "game"> | null;
  readonly section?: Section | undefined;
}

/** Where a player goes, and what is known of it. */
export interface Destination {
  readonly teamId: string | null;
  readonly role: string;
  readonly isStarter?: boolean;
  readonly isCaptain?: boolean;
}

export type DropPlan =
  | { readonly does: "nothing" }
  /** Nothing but who starts. */
  | { readonly does: "line-up"; readonly isStarter: boolean }
  | { readonly does: "move"; readonly to: Destination }
  /** The role, at least, has to be chosen. */
  | { readonly does: "ask"; readonly teamId: string; readonly section: Section | undefined };

/** `game` is that of the card's team; Other without one. */
export function planDrop(card: RosterCard, game: Game, { team, section }: DropTarget): DropPlan {
  if (team === null) return planLeaving(card);
  const isSameTeam = card.teamId === team.id;
  if (isSameTeam && (section === undefined || section === sectionOf(card))) return { does: "nothing" };
  const isFit = game === team.game && isRoleOf(team.game, card.role) && fitsSection(card.role, section);
  if (!isFit) return { does: "ask", teamId: team.id, section };
  if (isSameTeam) return { does: "line-up", isStarter: section === "starters" };
  const starts = section === undefined || section === "staff" ? {} : { isStarter: section === "starters" };
  return { does: "move", to: { teamId: team.id, role: card.role, ...starts } };
}

function planLeaving(card: RosterCard): DropPlan {
  if (card.teamId === null) return { does: "nothing" };
  return { does: "move", to: { teamId: null, role: roleWithoutTeam(card.role) } };
}

/** A role of one game alone means nothing without a team. The history still shows it, and one step back brings it back. */
export function roleWithoutTeam(role: string): string {
  return isRoleOf("Other", role) ? role : "Player";
}

function fitsSection(role: string, section: Section | undefined): boolean {
  return section === undefined || (kindOfRole(role) === "staff") === (section === "staff");
}
