/** What Players keeps in its address, and which players that lets through. */
import type { Player } from "@lineup/api/players";
import { ALL_ROLES, GAMES, type Game } from "@lineup/api/roles";
import type { Team } from "@lineup/api/teams";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";
import { CONTRACT_STATUSES, PLAYER_STATUSES } from "./player-looks.ts";

/** In place of a team's id: those without one. */
export const NO_TEAM = "none";

export interface PlayersSearch {
  readonly q?: string;
  readonly team?: string;
  readonly game?: Game;
  readonly role?: string;
  readonly status?: Player["status"];
  readonly contract?: Player["contractStatus"];
  readonly sort?: string;
}

export function readPlayersSearch(search: Readonly<Record<string, unknown>>): PlayersSearch {
  return dropUnset({
    q: readText(search.q),
    team: readText(search.team),
    game: readChoice(search.game, GAMES),
    role: readChoice(search.role, ALL_ROLES),
    status: readChoice(search.status, PLAYER_STATUSES),
    contract: readChoice(search.contract, CONTRACT_STATUSES),
    sort: readText(search.sort),
  });
}

export const NO_FILTERS = {
  q: undefined,
  team: undefined,
  game: undefined,
  role: undefined,
  status: undefined,
  contract: undefined,
};

export function filterPlayers(
  players: readonly Player[],
  search: PlayersSearch,
  teams: ReadonlyMap<string, Team>,
): readonly Player[] {
  const words = (search.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const { team, game, role, status, contract } = search;
  return players.filter(
    (player) =>
      (team === undefined || (player.teamId ?? NO_TEAM) === team) &&
      (game === undefined || (player.teamId !== null && teams.get(player.teamId)?.game === game)) &&
      (role === undefined || player.role === role) &&
      (status === undefined || player.status === status) &&
      (contract === undefined || player.contractStatus === contract) &&
      words.every((word) => searchedText(player).includes(word)),
  );
}

const texts = new WeakMap<Player, string>();

/** Made once for each version of a player: with thousands of them, typing must stay quick. */
function searchedText(player: Player): string {
  const known = texts.get(player);
  if (known !== undefined) return known;
  const ids = Object.entries(player.externalIds).map(([system, id]) => `${system}:${id}`);
  const text = [player.ign, player.realName, player.id, ...ids].join("\n").toLowerCase();
  texts.set(player, text);
  return text;
}
