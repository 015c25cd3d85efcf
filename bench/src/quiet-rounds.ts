/**
 * Rounds as they are wanted: those in which the host kept the processors to itself are put aside and taken again. It is the host's share
 * alone that decides, never what was measured; and it is said how many there were.
 */
import { type Stolen, type StolenClock, shareOf, watchStolen } from "./stolen-time.ts";

/** Of the cores' time; more than this in a round, and it is taken again. */
const STOLEN_SHARE_MAX = 0.01;

export interface Calm extends Stolen {
  /** How many rounds were taken again. */
  readonly putAside: number;
}

export interface QuietRounds<T> {
  /** As many as were wanted, in the order in which they were taken. */
  readonly rounds: readonly T[];
  /** Of these rounds. */
  readonly calm: Calm;
}

/** How many are taken at most, where the host never leaves the machine alone. */
export function mostRounds(wanted: number): number {
  return Math.max(wanted * 2, 3);
}

/** Where the host never leaves the machine alone, these are the least disturbed of them. */
export async function takeQuietRounds<T>(
  clock: StolenClock | undefined,
  wanted: number,
  takeRound: (attempt: number) => Promise<T>,
): Promise<QuietRounds<T>> {
  const taken: { readonly value: T; readonly stolenMs: number; readonly coreMs: number }[] = [];
  const isQuiet = (round: Stolen) => shareOf(round) <= STOLEN_SHARE_MAX;
  while (taken.filter(isQuiet).length < wanted && taken.length < mostRounds(wanted)) {
    taken.push(await watchStolen(clock, () => takeRound(taken.length)));
  }
  const least = new Set(taken.toSorted((a, b) => shareOf(a) - shareOf(b)).slice(0, wanted));
  const kept = taken.filter((round) => least.has(round));
  return {
    rounds: kept.map(({ value }) => value),
    calm: sumCalm(
      kept.map((round) => ({ ...round, putAside: 0 })),
      taken.length - kept.length,
    ),
  };
}

/** One after the other, and in every other round the other way round, so that nobody profits from the order; returned in the order given. */
export async function inTurn<T, R>(all: readonly T[], attempt: number, measure: (one: T) => Promise<R>): Promise<R[]> {
  const measured = new Map<T, R>();
  for (const one of attempt % 2 === 0 ? all : all.toReversed()) measured.set(one, await measure(one));
  return all.map((one) => measured.get(one) as R);
}

export function sumCalm(all: readonly Calm[], more = 0): Calm {
  return {
    stolenMs: all.reduce((sum, one) => sum + one.stolenMs, 0),
    coreMs: all.reduce((sum, one) => sum + one.coreMs, 0),
    putAside: all.reduce((sum, one) => sum + one.putAside, more),
  };
}

/** Nothing where there is nothing to say. */
export function renderCalm(calm: Calm): string[] {
  const { putAside } = calm;
  const share = `${(shareOf(calm) * 100).toFixed(1)} %`;
  if (shareOf(calm) > STOLEN_SHARE_MAX) {
    const also =
      putAside === 0 ? "" : `, and more of it in ${putAside} that ${putAside === 1 ? "was" : "were"} put aside`;
    return [
      `The host of this machine kept ${share} of the cores' time to itself in the rounds that count${also}: these figures say more about it than about Lineup.`,
    ];
  }
  if (putAside === 0) return [];
  const rounds = putAside === 1 ? "1 round, which was" : `${putAside} rounds, which were`;
  return [
    `The host of this machine kept more than ${STOLEN_SHARE_MAX * 100} % of the cores' time to itself in ${rounds} taken again; in those that count it was ${share}.`,
  ];
}
