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

/** Where the host never leaves the machine alone, these are the least disturbed of them. `turn` is that of the quiet ones, as only they are to take turns. */
export async function takeQuietRounds<T>(
  clock: StolenClock | undefined,
  wanted: number,
  takeRound: (turn: number, isAgain: boolean) => Promise<T>,
): Promise<QuietRounds<T>> {
  const taken: (Stolen & { readonly value: T })[] = [];
  let quiet = 0;
  while (quiet < wanted && taken.length < mostRounds(wanted)) {
    const round = await watchStolen(clock, () => takeRound(quiet, taken.length > quiet));
    taken.push(round);
    if (shareOf(round) <= STOLEN_SHARE_MAX) quiet++;
  }
  const least = new Set(taken.toSorted((a, b) => shareOf(a) - shareOf(b)).slice(0, wanted));
  const kept = taken.filter((round) => least.has(round));
  return {
    rounds: kept.map(({ value }) => value),
    calm: {
      stolenMs: kept.reduce((sum, { stolenMs }) => sum + stolenMs, 0),
      coreMs: kept.reduce((sum, { coreMs }) => sum + coreMs, 0),
      putAside: taken.length - kept.length,
    },
  };
}

/** One after the other, and every other turn the other way round, so that nobody profits from the order; returned in the order given. */
export async function inTurn<T, R>(all: readonly T[], turn: number, measure: (one: T) => Promise<R>): Promise<R[]> {
  const measured = new Map<T, R>();
  for (const one of turn % 2 === 0 ? all : all.toReversed()) measured.set(one, await measure(one));
  return all.map((one) => measured.get(one) as R);
}

/** Nothing where there is nothing to say. */
export function renderCalm(all: readonly { readonly title: string; readonly calm: Calm }[]): string[] {
  const putAside = all.reduce((sum, { calm }) => sum + calm.putAside, 0);
  const rounds = putAside === 1 ? "1 round, which was" : `${putAside} rounds, which were`;
  const troubled = all
    .filter(({ calm }) => shareOf(calm) > STOLEN_SHARE_MAX)
    .map(({ title, calm }) => `${title} ${(shareOf(calm) * 100).toFixed(1)} %`);
  return [
    ...(putAside === 0
      ? []
      : [
          `The host of this machine kept more than ${STOLEN_SHARE_MAX * 100} % of the cores' time to itself in ${rounds} put aside.`,
        ]),
    ...(troubled.length === 0
      ? []
      : [
          `In rounds that count it kept too much as well (${troubled.join(", ")}): those figures say more about the host than about Lineup.`,
        ]),
  ];
}
