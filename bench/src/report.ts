/** A run in words and figures. */
import type { Cores } from "./contender.ts";
import type { Machine } from "./machine.ts";
import type { Round } from "./rounds.ts";
import type { CaseResult } from "./run.ts";
import { median, pairedRatio, type Spread } from "./statistics.ts";

export interface Ratios {
  /** Lineup's share of what bare `node:http` does; more is better. */
  readonly requestsPerSecond: Spread;
  /** How many times bare's; less is better. */
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly cpuUsPerRequest: Spread;
}

export interface Report {
  readonly at: string;
  readonly machine: Machine;
  readonly cores: Cores | undefined;
  readonly connections: number;
  readonly rounds: number;
  readonly roundMs: number;
  readonly cases: readonly (CaseResult & { readonly ratios: CaseRatios })[];
}

/** Each to bare; and, where it was measured without its request log, what is left with it. */
export interface CaseRatios {
  readonly lineup: Ratios;
  readonly together: Ratios | undefined;
  readonly withLog: Ratios | undefined;
  readonly togetherWithLog: Ratios | undefined;
}

type Figure = Exclude<keyof Round, "postgresUsPerRequest" | "redisUsPerRequest">;

export function caseRatiosOf({ rounds }: CaseResult): CaseRatios {
  const { bare, lineup, unlogged, together, togetherUnlogged } = rounds;
  return {
    lineup: ratiosOf(lineup, bare),
    together: together && ratiosOf(together, bare),
    withLog: unlogged && ratiosOf(lineup, unlogged),
    togetherWithLog: together && togetherUnlogged && ratiosOf(together, togetherUnlogged),
  };
}

function ratiosOf(rounds: readonly Round[], bare: readonly Round[]): Ratios {
  const ratio = (figure: Figure) =>
    pairedRatio(
      rounds.map((round) => round[figure]),
      bare.map((round) => round[figure]),
    );
  return {
    requestsPerSecond: ratio("requestsPerSecond"),
    p50Ms: ratio("p50Ms"),
    p99Ms: ratio("p99Ms"),
    cpuUsPerRequest: ratio("cpuUsPerRequest"),
  };
}

const COLUMNS = ["", "requests/s", "p50 ms", "p99 ms", "CPU µs/request", "server core", "load core"];

export function renderReport(report: Report): string {
  const { machine, cores } = report;
  const state = machine.isModified ? ", modified" : "";
  const lines = [
    `Lineup beside bare node:http, commit ${machine.commit ?? "unknown"}${state}`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}, ` +
      `load average before the run ${machine.loadAverage}`,
    `${report.rounds} rounds of ${report.roundMs / 1_000} s each, ${report.connections} connections, ` +
      (cores === undefined ? "nothing pinned" : `servers on core ${cores.server}, load on core ${cores.load}`),
  ];
  for (const one of report.cases) lines.push("", ...renderCase(one));
  lines.push(
    "",
    "Figures are medians of the rounds; ratios are Lineup's to bare's, round by round: median (least to most).",
  );
  return lines.join("\n");
}

function renderCase(one: Report["cases"][number]): string[] {
  const { rounds, ratios } = one;
  const rows = [
    [`${one.title} (${one.bodyBytes.toLocaleString("en")} bytes)`, ...COLUMNS.slice(1)],
    ["  bare node:http", ...renderRounds(rounds.bare)],
  ];
  const add = (title: string, some: readonly Round[] | undefined, name = "", ratio?: Ratios) => {
    if (some !== undefined) rows.push([title, ...renderRounds(some)]);
    if (some !== undefined && ratio !== undefined) rows.push([name, ...renderRatios(ratio)]);
  };
  add("  Lineup", rounds.lineup, "  ratio", ratios.lineup);
  add("  Lineup without request log", rounds.unlogged, "  left with it", ratios.withLog);
  add("  Lineup, PostgreSQL + Redis", rounds.together, "  ratio", ratios.together);
  add("  the same without request log", rounds.togetherUnlogged, "  left with it", ratios.togetherWithLog);
  const lines = alignRows(rows);
  const { together } = rounds;
  if (together !== undefined) {
    const [postgresUs, redisUs] = (["postgresUsPerRequest", "redisUsPerRequest"] as const).map((figure) =>
      median(together.map((round) => round[figure] ?? 0)).toFixed(1),
    );
    lines.push(`  Beside it a request costs PostgreSQL ${postgresUs} µs and Redis ${redisUs} µs, on the load's core.`);
  }
  if (one.commitLoop !== undefined) {
    const perSecond = median(one.commitLoop.map(({ transactions, elapsedMs }) => (transactions / elapsedMs) * 1_000));
    const p50Ms = median(one.commitLoop.map((round) => round.p50Ms));
    const share = median(rounds.lineup.map((round) => round.requestsPerSecond)) / perSecond;
    lines.push(
      `  A plain SQLite loop of one-row transactions on the same disk: ${formatCount(perSecond)}/s, p50 ${formatMs(p50Ms)} ms; ` +
        `Lineup's creates reach ${share.toFixed(2)} of it.`,
    );
  }
  return lines;
}

function renderRatios(ratios: Ratios): string[] {
  return [
    renderSpread(ratios.requestsPerSecond),
    ratios.p50Ms.median.toFixed(2),
    ratios.p99Ms.median.toFixed(2),
    renderSpread(ratios.cpuUsPerRequest),
    "",
    "",
  ];
}

function renderRounds(rounds: readonly Round[]): string[] {
  const middle = (figure: Figure) => median(rounds.map((round) => round[figure]));
  return [
    formatCount(middle("requestsPerSecond")),
    formatMs(middle("p50Ms")),
    formatMs(middle("p99Ms")),
    middle("cpuUsPerRequest").toFixed(1),
    `${Math.round(middle("serverCores") * 100)} %`,
    `${Math.round(middle("loadCores") * 100)} %`,
  ];
}

function renderSpread({ median: middle, min, max }: Spread): string {
  return `${middle.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`;
}

/** The first column to the left, figures to the right. */
function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function formatMs(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1);
}
