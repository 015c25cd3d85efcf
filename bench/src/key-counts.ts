/** How many keys can carry a whole run: in no minute and on no day may one of them reach its limit. */
import { TIERS } from "@lineup/api/tiers";

/** Lineup on one thread gets nowhere near these. */
const READS_PER_SECOND_MAX = 40_000;
const WRITES_PER_SECOND_MAX = 10_000;
const KEYS_MIN = 100;

export function countReadingKeys(loadedSeconds: number): number {
  return countKeys(loadedSeconds, READS_PER_SECOND_MAX);
}

export function countWritingKeys(loadedSeconds: number): number {
  return countKeys(loadedSeconds, WRITES_PER_SECOND_MAX);
}

function countKeys(loadedSeconds: number, perSecond: number): number {
  const perMinute = (perSecond * Math.min(60, loadedSeconds)) / TIERS.Enterprise.perMinute;
  const perDay = (perSecond * loadedSeconds) / TIERS.Enterprise.perDay;
  return Math.ceil(Math.max(perMinute, perDay, KEYS_MIN));
}
