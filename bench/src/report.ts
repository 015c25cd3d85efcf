/** A run in words and figures. */
import type { Cores } from "./contender.ts";
import type { Round } from "./entrant.ts";
import type { Machine } from "./machine.ts";
import { isBrief, isKept, judgeCases, type Promised, renderCaution, renderPromises } from "./promises.ts";
import { renderCalm } from "./quiet-rounds.ts";
import { type CaseRatios, caseRatiosOf, FIGURES, type Figure, type Ratios } from "./ratios.ts";
import type { CaseResult } from "./run.ts";
import { median } from "./statistics.ts";
import { alignRows, formatCount, formatMs, formatRounds, formatSpread } from "./text-table.ts";

export interface ReportedCase extends CaseResult {
  readonly ratios: CaseRatios;
}

export interface Report {
  readonly at: string;
  readonly machine: Machine;
  readonly cores: Cores | undefined;
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly cases: readonly ReportedCase[];
  readonly promises: readonly (Promised & { readonly holds: boolean })[];
}

export type RunFacts = Omit<Report, "cases" | "promises">;

export function makeReport(facts: RunFacts, results: readonly CaseResult[]): Report {
  const cases = results.map((result) => ({ ...result, ratios: caseRatiosOf(result) }));
  const promises = judgeCases(cases).map((one) => ({ ...one, holds: isKept(one) }));
  return { ...facts, cases, promises };
}

/** Where and how, which every run says first. */
export function renderMachine({ machine, cores }: Pick<Report, "machine" | "cores">): string[] {
  return [
    `commit ${machine.commit ?? "unknown"}${machine.isModified ? ", modified" : ""}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}, ` +
      `load average before the run ${machine.loadAverage}`,
    cores === undefined ? "nothing pinned" : `servers on core ${cores.server}, load on core ${cores.load}`,
  ];
}

export function renderReport(report: Report): string {
  const [commit, machine, pinned] = renderMachine(report);
  const lines = [
    `Lineup beside bare node:http, ${commit}`,
    machine,
    `${formatRounds(report.rounds)} of up to ${report.roundMs / 1_000} s each, ${report.connections} connections, ${pinned}`,
  ];
  for (const one of report.cases) lines.push("", ...renderCase(one));
  lines.push("", ...renderSummary(report), "");
  if (report.promises.length > 0) lines.push("What is promised", ...renderPromises(report.promises), "");
  lines.push("Figures are medians of the rounds; ratios are taken round by round: median (least to most).");
  lines.push(...renderCalm(report.cases), ...renderCaution(isBrief(report)));
  return lines.join("\n");
}

const COLUMNS = [
  "requests/s",
  "p50 ms",
  "p99 ms",
  "p99.9 ms",
  "CPU µs/request",
  "peak MiB",
  "server core",
  "load core",
];

function renderCase(one: ReportedCase): string[] {
  const { rounds, ratios } = one;
  const rows = [
    [`${one.title} (${one.bodyBytes.toLocaleString("en")} bytes)`, ...COLUMNS],
    ["  bare node:http", ...renderRounds(rounds.bare ?? [])],
  ];
  const add = (title: string, some: readonly Round[] | undefined, name = "", ratio?: Ratios) => {
    if (some !== undefined) rows.push([title, ...renderRounds(some)]);
    if (some !== undefined && ratio !== undefined) rows.push([name, ...renderRatios(ratio)]);
  };
  add("  Lineup", rounds.lineup, "  ratio", ratios.lineup);
  add("  Lineup answering one player", rounds.reference, "  the refusal to that", ratios.toOnePlayer);
  add("  Lineup without request log", rounds.unlogged, "  left with it", ratios.withLog);
  add("  Lineup, PostgreSQL + Redis", rounds.together, "  ratio", ratios.together);
  add("  the same without request log", rounds.togetherUnlogged, "  left with it", ratios.togetherWithLog);
  return [...alignRows(rows), ...renderServices(rounds.together), ...renderCommitLoop(one)];
}

function renderServices(together: readonly Round[] | undefined): string[] {
  if (together === undefined) return [];
  const [postgresUs, redisUs] = (["postgresUsPerRequest", "redisUsPerRequest"] as const).map((figure) =>
    median(together.map((round) => round[figure] ?? 0)).toFixed(1),
  );
  return [`  Beside it a request costs PostgreSQL ${postgresUs} µs and Redis ${redisUs} µs, on the load's core.`];
}

function renderCommitLoop({ commitLoop, ratios }: ReportedCase): string[] {
  if (commitLoop === undefined || ratios.toCommitLoop === undefined) return [];
  const perSecond = median(commitLoop.map(({ transactions, elapsedMs }) => (transactions / elapsedMs) * 1_000));
  const p50Ms = median(commitLoop.map((round) => round.p50Ms));
  return [
    `  A plain SQLite loop of one-row transactions on the same disk: ${formatCount(perSecond)}/s, p50 ${formatMs(p50Ms)} ms; ` +
      `Lineup's creates reach ${formatSpread(ratios.toCommitLoop)} of it.`,
  ];
}

function renderSummary({ cases }: Report): string[] {
  const withTogether = cases.some(({ ratios }) => ratios.together !== undefined);
  const head = ["Lineup to bare", "requests/s", "p50", "p99", "p99.9", "CPU", "peak memory"];
  if (withTogether) head.push("PostgreSQL + Redis, requests/s", "CPU");
  const rows = cases.map(({ title, ratios: { lineup, together } }) => [
    `  ${title}`,
    ...FIGURES.map((figure) => lineup[figure].median.toFixed(2)),
    ...(together === undefined
      ? []
      : [together.requestsPerSecond.median.toFixed(2), together.cpuUsPerRequest.median.toFixed(2)]),
  ]);
  return alignRows([head, ...rows]);
}

function renderRatios(ratios: Ratios): string[] {
  const middle = (figure: Figure) => ratios[figure].median.toFixed(2);
  return [
    formatSpread(ratios.requestsPerSecond),
    middle("p50Ms"),
    middle("p99Ms"),
    middle("p999Ms"),
    formatSpread(ratios.cpuUsPerRequest),
    middle("peakMiB"),
    "",
    "",
  ];
}

function renderRounds(rounds: readonly Round[]): string[] {
  const middle = (figure: Figure | "serverCores" | "loadCores") => median(rounds.map((round) => round[figure]));
  return [
    formatCount(middle("requestsPerSecond")),
    formatMs(middle("p50Ms")),
    formatMs(middle("p99Ms")),
    formatMs(middle("p999Ms")),
    middle("cpuUsPerRequest").toFixed(1),
    formatCount(middle("peakMiB")),
    `${Math.round(middle("serverCores") * 100)} %`,
    `${Math.round(middle("loadCores") * 100)} %`,
  ];
}
