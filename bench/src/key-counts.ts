/** How many keys can carry a whole run: in no minute and on no day may one of them reach its limit. */
import { TIERS } from "@lineup/api/tiers";
import { SETTLING_MS } from "./entrant.ts";

/** More than Lineup has answered on the quickest machine seen: 62,000 reads and 6,000 writes a second. */
const READS_PER_SECOND_MAX = 80_000;
const WRITES_PER_SECOND_MAX = 12_000;
const KEYS_MIN = 100;

export interface LoadedTime {
  /** Of each contender, in the whole run. */
  readonly loadedMs: number;
  readonly roundMs: number;
  /** Bare among them, which takes its turn and puts nothing off. */
  readonly contenders: number;
}

export function countReadingKeys(time: LoadedTime): number {
  return countKeys(time, READS_PER_SECOND_MAX);
}

export function countWritingKeys(time: LoadedTime): number {
  return countKeys(time, WRITES_PER_SECOND_MAX);
}

function countKeys({ loadedMs, roundMs, contenders }: LoadedTime, perSecond: number): number {
  const turnMs = contenders * roundMs + (contenders - 1) * SETTLING_MS;
  // Who went last in one round goes first in the next, so that two of its turns may follow each other.
  const minuteMs = Math.min(60_000, loadedMs, 60_000 * (roundMs / turnMs) + 2 * roundMs);
  const perMinute = (perSecond * minuteMs) / 1_000 / TIERS.Enterprise.perMinute;
  const perDay = (perSecond * loadedMs) / 1_000 / TIERS.Enterprise.perDay;
  return Math.ceil(Math.max(perMinute, perDay, KEYS_MIN));
}
