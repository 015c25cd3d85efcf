/** How many keys can carry a whole run: in no minute and on no day may one of them reach its limit. */
import { TIERS } from "@lineup/api/tiers";

/** Lineup on one thread gets nowhere near these, on the quickest machine seen: there it answers 60,000 reads and 6,000 writes. */
const READS_PER_SECOND_MAX = 100_000;
const WRITES_PER_SECOND_MAX = 20_000;
/** Of a minute, at most: contenders take turns, and some time passes between them. */
const LOADED_SECONDS_A_MINUTE = 40;
const KEYS_MIN = 100;

export function countReadingKeys(loadedSeconds: number): number {
  return countKeys(loadedSeconds, READS_PER_SECOND_MAX);
}

export function countWritingKeys(loadedSeconds: number): number {
  return countKeys(loadedSeconds, WRITES_PER_SECOND_MAX);
}

function countKeys(loadedSeconds: number, perSecond: number): number {
  const perMinute = (perSecond * Math.min(LOADED_SECONDS_A_MINUTE, loadedSeconds)) / TIERS.Enterprise.perMinute;
  const perDay = (perSecond * loadedSeconds) / TIERS.Enterprise.perDay;
  return Math.ceil(Math.max(perMinute, perDay, KEYS_MIN));
}
