/** A made-up run, for tests of what is made of one. */
import { CASE_NAMES, CASES, type CaseName } from "./cases.ts";
import type { Round } from "./entrant.ts";
import { makeReport, type Report } from "./report.ts";
import type { CaseResult } from "./run.ts";

/** Each server by how many requests a second it answers; all else follows. */
function roundsOf(requestsPerSecond: number): Round[] {
  return [0.96, 1, 1.05].map((factor) => ({
    requests: requestsPerSecond * factor,
    requestsPerSecond: requestsPerSecond * factor,
    p50Ms: 32_000 / requestsPerSecond,
    p99Ms: 64_000 / requestsPerSecond,
    p999Ms: 96_000 / requestsPerSecond,
    cpuUsPerRequest: 1_000_000 / requestsPerSecond,
    peakMiB: 100,
    serverCores: 1,
    loadCores: 0.5,
  }));
}

const SHARES: Readonly<Record<CaseName, number>> = {
  player: 0.82,
  list: 0.85,
  page: 0.8,
  "large-list": 0.97,
  schedule: 0.7,
  expiring: 0.75,
  "304": 0.86,
  "401": 0.9,
  "429": 0.95,
  patch: 0.2,
  create: 0.22,
  mix: 0.4,
};

export function makeSampleReport(names: readonly CaseName[] = CASE_NAMES): Report {
  const results = names.map((name): CaseResult => {
    const bare = 20_000;
    const lineup = roundsOf(bare * SHARES[name]);
    const isRefusal = CASES[name].kind === "refusal";
    return {
      name,
      title: CASES[name].title,
      bodyBytes: 575,
      roundMs: 2_000,
      rounds: {
        bare: roundsOf(bare),
        lineup,
        together: roundsOf(bare * SHARES[name] * 0.6),
        ...(isRefusal ? { reference: roundsOf(bare * SHARES.player) } : {}),
      },
      commitLoop:
        name === "create"
          ? lineup.map(() => ({ transactions: 3_500, elapsedMs: 1_000, p50Ms: 0.2, p99Ms: 0.6 }))
          : undefined,
      calm: { stolenMs: 0, coreMs: 18_000, putAside: 0 },
    };
  });
  const machine = {
    cpu: "Sample <Processor>",
    cores: 2,
    memoryGiB: 8,
    platform: "linux x64",
    node: "v26.10.0",
    commit: "0123456789",
    isModified: false,
    loadAverage: 0.1,
  };
  const facts = { at: "2026-01-02T03:04:05.000Z", machine, cores: { server: 0, load: 1 } };
  return makeReport({ ...facts, connections: 32, rounds: 3, roundMs: 2_000 }, results);
}
