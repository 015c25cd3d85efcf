/** Questions about one player, which several cases ask. */
import { BASE_PATH } from "@lineup/api/endpoint";
import { type Question, UP_TO_META } from "./question.ts";

export function onePlayer(playerId = ""): Question {
  return { method: "GET", path: `${BASE_PATH}/players/${playerId}`, status: 200, count: 1, sameUpTo: UP_TO_META };
}

/** What a change changes begins here. */
export const UP_TO_STATS = '"stats":{';

/** Changes the player, and not the length of anything. */
export function patchOf(playerId: string): Question {
  return { ...onePlayer(playerId), method: "PATCH", sameUpTo: UP_TO_STATS };
}

/** Another number for each of the first 900,000. */
export function patchBody(index: number): string {
  return JSON.stringify({ stats: { kda: 4.2, matches: 100_000 + index } });
}
