/**
 * What a large and a small store are asked alike: the same player and the same list again and again, which are then answered from
 * memory; and players and lists all over the store, each asked in a way that nobody asked before, so that each is read from the store.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Expectation } from "./answer-reader.ts";
import { LISTED_PLAYERS } from "./growth-shares.ts";
import type { GrownOrganization, GrownStore } from "./growth-store.ts";
import type { LoadRequest } from "./load.ts";
import { onePlayer } from "./player-questions.ts";
import { captureAnswer, expectationOf, type Question, requestBytes, UP_TO_META } from "./question.ts";

export const GROWTH_KINDS = ["player", "playerUnkept", "list", "listUnkept"] as const;
export type GrowthKind = (typeof GROWTH_KINDS)[number];

export const GROWTH_TITLES: Readonly<Record<GrowthKind, string>> = {
  player: "one player, from memory",
  playerUnkept: "one player, from the store",
  list: "a list of 200, from memory",
  listUnkept: "a list of 200, from the store",
};

/** More than a server keeps of them, so that none is kept when it is asked for again. */
const UNKEPT_PLAYERS = 80_000;
const UNKEPT_LISTS = 4_000;

/** The same player by another text: a server ignores what is empty between two `&`. Equally long on average in any store. */
const WRITINGS = 80;

export async function makeGrowthRequests(
  kind: GrowthKind,
  { organizations }: GrownStore,
  port: number,
): Promise<LoadRequest[]> {
  const hot = organizations[0];
  if (hot === undefined) throw new Error("The store has no organization.");
  switch (kind) {
    case "player":
      return repeat(hot, onePlayer(hot.players[0]?.id), port);
    case "list":
      return repeat(hot, listOf200(), port);
    case "playerUnkept":
      return askAllPlayers(organizations, port);
    case "listUnkept":
      return askAllLists(
        organizations.filter(({ playerCount }) => playerCount === LISTED_PLAYERS),
        port,
      );
  }
}

function listOf200(query = ""): Question {
  const path = `${BASE_PATH}/players${query}`;
  return { method: "GET", path, status: 200, count: LISTED_PLAYERS, sameUpTo: UP_TO_META };
}

async function repeat({ keys }: GrownOrganization, question: Question, port: number): Promise<LoadRequest[]> {
  const expected = expectationOf(question, await captureAnswer(question, { key: keys[0] ?? "" }, port));
  return keys.map((key) => ({ bytes: requestBytes(question, { key }), expected }));
}

async function askAllPlayers(organizations: readonly GrownOrganization[], port: number): Promise<LoadRequest[]> {
  const [known] = organizations[0]?.players ?? [];
  const question = onePlayer(known?.id);
  const captured = await captureAnswer(question, { key: organizations[0]?.keys[0] ?? "" }, port);
  const around = Buffer.byteLength(captured.body) - (known?.jsonBytes ?? 0);
  const plain = expectationOf(question, captured);
  return Array.from({ length: UNKEPT_PLAYERS }, (_, index) => {
    const { org, turn } = turnOf(organizations, index);
    const player = org.players[turn % org.players.length] as GrownOrganization["players"][number];
    // Spread over all lengths in a small store as in a large one, and never the same for the same player until all were used.
    const writing = (index * 31 + Math.floor(turn / org.players.length)) % WRITINGS;
    const asked = { ...question, path: `${BASE_PATH}/players/${player.id}?${"&".repeat(writing)}` };
    const prefix = Buffer.from(`{"success":true,"data":{"id":"${player.id}"`);
    const expected: Expectation = { ...plain, bodyLength: around + player.jsonBytes, prefix };
    return { bytes: requestBytes(asked, { key: org.keys[turn % org.keys.length] ?? "" }), expected };
  });
}

/** All of them are equally long: they differ in ids and times alone. */
async function askAllLists(organizations: readonly GrownOrganization[], port: number): Promise<LoadRequest[]> {
  const key = organizations[0]?.keys[0] ?? "";
  const captured = await captureAnswer(listOf200(), { key }, port);
  const expected = {
    ...expectationOf(listOf200(), captured),
    prefix: Buffer.from('{"success":true,"data":[{"id":"player_'),
  };
  return Array.from({ length: UNKEPT_LISTS }, (_, index) => {
    const { org, turn } = turnOf(organizations, index);
    // Everything was changed since then.
    const question = listOf200(`?updatedSince=${100_000 + index}`);
    return { bytes: requestBytes(question, { key: org.keys[turn % org.keys.length] ?? "" }), expected };
  });
}

/** One organization after another, in an order in which neighbours in the store are far apart. */
function turnOf(organizations: readonly GrownOrganization[], index: number) {
  const place = (index * 389) % organizations.length;
  return { org: organizations[place] as GrownOrganization, turn: Math.floor(index / organizations.length) };
}
