/** The few numbers that a run is boiled down to. */

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that at least this share (0 to 1) of all values does not exceed; NaN of nothing. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(share * sorted.length);
  return sorted[Math.max(rank, 1) - 1] ?? Number.NaN;
}

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * How one contender compares to the other, round by round. Rounds are paired because both halves of a round ran under much
 * the same disturbance; the ratio of two medians would mix a calm round of one with a troubled one of the other.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): Spread {
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}

/** What was measured of each, instead of what was measured in each round. */
export function transpose<T>(rounds: readonly (readonly T[])[]): T[][] {
  return (rounds[0] ?? []).map((_, contender) => rounds.map((round) => round[contender] as T));
}
