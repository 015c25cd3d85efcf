import type { Player } from "@lineup/api/players";
import type { Team } from "@lineup/api/teams";
import { expect, test } from "vitest";
import { filterPlayers, readPlayersSearch } from "./players-search.ts";

const team = { id: "team_1", name: "Alpha", game: "CS2" } as Team;
const TEAMS = new Map([[team.id, team]]);
const player = (fields: Partial<Player>): Player =>
  ({ id: "player_1", ign: "Vex", realName: "", role: "Player", teamId: null, externalIds: {}, ...fields }) as Player;
const PLAYERS = [
  player({ ign: "Vex", realName: "Elin Sandberg", teamId: team.id, role: "AWPer", status: "active" }),
  player({ ign: "Ash", externalIds: { faceit: "AB-17" }, status: "benched" }),
];
const found = (search: Record<string, unknown>) =>
  filterPlayers(PLAYERS, readPlayersSearch(search), TEAMS).map(({ ign }) => ign);

test("finds by part of a name or of an id elsewhere, in any case, every word", () => {
  expect(found({ q: "sandB" })).toEqual(["Vex"]);
  expect(found({ q: "faceit:ab" })).toEqual(["Ash"]);
  expect(found({ q: "vex ab" })).toEqual([]);
});

test("filters by team or none, game of the team, role and status", () => {
  expect(found({ team: team.id })).toEqual(["Vex"]);
  expect(found({ team: "none" })).toEqual(["Ash"]);
  expect(found({ game: "CS2" })).toEqual(["Vex"]);
  expect(found({ game: "Other" })).toEqual([]);
  expect(found({ role: "AWPer", status: "active" })).toEqual(["Vex"]);
  expect(found({ role: "AWPer", status: "benched" })).toEqual([]);
});

test("drops what makes no sense in an address", () => {
  expect(readPlayersSearch({ game: "Chess", status: "happy", role: "King", q: "  " })).toEqual({});
});
