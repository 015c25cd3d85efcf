/** What Lineup promises of its speed, beside what was measured. */
import type { CaseName } from "./cases.ts";
import type { CaseRatios } from "./ratios.ts";

/** Those of which anything is promised. */
export const PROMISED_CASES: readonly CaseName[] = ["player", "list", "304", "401", "429", "create"];

export interface Promised {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
  readonly sense: "at least" | "at most";
  readonly unit: string;
}

/** What fewer or shorter ones say is mostly about the machine at that moment. */
const TELLING_ROUNDS = 3;
const TELLING_ROUND_MS = 1_000;

export function isKept({ measured, bound, sense }: Promised): boolean {
  return sense === "at least" ? measured >= bound : measured <= bound;
}

export interface Judged {
  readonly name: CaseName;
  readonly ratios: CaseRatios;
}

/** Of the cases that were measured. */
export function judgeCases(cases: readonly Judged[]): Promised[] {
  const ratiosOf = (name: CaseName) => cases.find((one) => one.name === name)?.ratios;
  const promises: Promised[] = [];
  const add = (what: string, measured: number | undefined, sense: Promised["sense"], bound: number, unit: string) => {
    if (measured !== undefined) promises.push({ what, measured, bound, sense, unit });
  };
  for (const [name, title, share, cpu] of [
    ["player", "one player", 0.55, 1.8],
    ["list", "a list of 200", 0.7, 1.4],
  ] as const) {
    const ratios = ratiosOf(name);
    add(`${title}, requests a second`, ratios?.lineup.requestsPerSecond.median, "at least", share, "of bare");
    add(`${title}, processor time`, ratios?.lineup.cpuUsPerRequest.median, "at most", cpu, "times bare");
    add(`${title}, p99`, ratios?.lineup.p99Ms.median, "at most", 1.5, "times bare");
    const together = ratios?.together?.requestsPerSecond.median;
    add(`${title} on PostgreSQL and Redis, requests a second`, together, "at least", 0.45, "of bare");
  }
  const notModified = ratiosOf("304")?.lineup.requestsPerSecond.median;
  add("a 304, requests a second", notModified, "at least", 0.55, "of bare answering a 304");
  for (const name of ["401", "429"] as const) {
    const toOnePlayer = ratiosOf(name)?.toOnePlayer?.cpuUsPerRequest.median;
    add(`a ${name}, processor time`, toOnePlayer, "at most", 0.9, "of one player");
  }
  const creates = ratiosOf("create")?.toCommitLoop?.median;
  add("creates a second", creates, "at least", 1, "of a plain loop of transactions");
  return promises;
}

export function renderPromises(promises: readonly Promised[]): string[] {
  const width = Math.max(...promises.map(({ what }) => what.length));
  return promises.map((one) => {
    const { what, measured, bound, sense, unit } = one;
    const verdict = isKept(one) ? "holds" : "FALLS SHORT";
    return `  ${what.padEnd(width)}  ${format(measured)} ${unit} (${sense} ${format(bound)}): ${verdict}`;
  });
}

export function isBrief({ rounds, roundMs }: { readonly rounds: number; readonly roundMs: number }): boolean {
  return rounds < TELLING_ROUNDS || roundMs < TELLING_ROUND_MS;
}

/** For those who read what came of it. */
export function renderCaution(isBrief: boolean): string[] {
  return isBrief
    ? ["This run was brief and tells little. Let it have its own length before you believe any of it."]
    : [];
}

function format(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}
