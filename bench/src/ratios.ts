/** What the rounds of a case come to: each contender to bare, round by round. */
import type { Round } from "./entrant.ts";
import type { CaseResult } from "./run.ts";
import { pairedRatio, type Spread } from "./statistics.ts";

export const FIGURES = ["requestsPerSecond", "p50Ms", "p99Ms", "p999Ms", "cpuUsPerRequest", "peakMiB"] as const;
export type Figure = (typeof FIGURES)[number];

/** Of requests a second the share, where more is better; of all others how many times as much, where less is. */
export type Ratios = Readonly<Record<Figure, Spread>>;

export interface CaseRatios {
  /** To bare. */
  readonly lineup: Ratios;
  readonly together: Ratios | undefined;
  /** To Lineup without its request log: what is left with it. */
  readonly withLog: Ratios | undefined;
  readonly togetherWithLog: Ratios | undefined;
  /** Of a refusal: to Lineup answering one player in the same rounds. */
  readonly toOnePlayer: Ratios | undefined;
  /** Of a create: its requests a second to the transactions a second of the plain loop. */
  readonly toCommitLoop: Spread | undefined;
}

export function caseRatiosOf({ rounds, commitLoop }: CaseResult): CaseRatios {
  const { bare, lineup = [], reference, unlogged, together, togetherUnlogged } = rounds;
  return {
    lineup: ratiosOf(lineup, bare ?? []),
    together: together && ratiosOf(together, bare ?? []),
    withLog: unlogged && ratiosOf(lineup, unlogged),
    togetherWithLog: together && togetherUnlogged && ratiosOf(together, togetherUnlogged),
    toOnePlayer: reference && ratiosOf(lineup, reference),
    toCommitLoop:
      commitLoop &&
      pairedRatio(
        lineup.map((round) => round.requestsPerSecond),
        commitLoop.map(({ transactions, elapsedMs }) => (transactions / elapsedMs) * 1_000),
      ),
  };
}

function ratiosOf(rounds: readonly Round[], others: readonly Round[]): Ratios {
  const ratio = (figure: Figure) =>
    pairedRatio(
      rounds.map((round) => round[figure]),
      others.map((round) => round[figure]),
    );
  return {
    requestsPerSecond: ratio("requestsPerSecond"),
    p50Ms: ratio("p50Ms"),
    p99Ms: ratio("p99Ms"),
    p999Ms: ratio("p999Ms"),
    cpuUsPerRequest: ratio("cpuUsPerRequest"),
    peakMiB: ratio("peakMiB"),
  };
}
