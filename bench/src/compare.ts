/** The comparison with bare `node:http`: runs it, and says where it falls short of what was required. */
import { fileURLToPath } from "node:url";
import { CASES } from "./cases.ts";
import { renderChart } from "./chart.ts";
import { pinLoad } from "./contender.ts";
import { withDataFolder } from "./data-folder.ts";
import { describeMachine } from "./machine.ts";
import type { Comparing } from "./options.ts";
import { startBar } from "./progress-bar.ts";
import { makeReport, type Report, renderReport } from "./report.ts";
import { toFigures, writeResult } from "./results-file.ts";
import { runBench } from "./run.ts";

/** Both are committed, and shown by the documents. */
const LATEST_FILE = fileURLToPath(new URL("../results/latest.json", import.meta.url));
const CHART_FILE = fileURLToPath(new URL("../../docs/images/bench.svg", import.meta.url));

/** Returns what falls short, in words. */
export async function compare(wanted: Comparing): Promise<string[]> {
  const report = await measureAll(wanted);
  process.stdout.write(`${renderReport(report)}\n`);
  if (wanted.jsonFile !== undefined) writeResult(wanted.jsonFile, toFigures(report));
  if (wanted.writes) {
    writeResult(LATEST_FILE, toFigures(report));
    writeResult(CHART_FILE, renderChart(report));
  }
  return listShortfalls(report, wanted);
}

async function measureAll(wanted: Comparing): Promise<Report> {
  const machine = describeMachine();
  const cores = pinLoad();
  const results = await withDataFolder(wanted.dataRoot, async (dataDir) => {
    const bar = startBar();
    try {
      return await runBench({ ...wanted, dataDir, cores, onProgress: bar.update });
    } finally {
      bar.end();
    }
  });
  const { connections, rounds, roundMs } = wanted;
  return makeReport({ at: new Date().toISOString(), machine, cores, connections, rounds, roundMs }, results);
}

export function listShortfalls(report: Report, wanted: Comparing): string[] {
  const { required = 0, requiredCpu = Number.POSITIVE_INFINITY, requiredWithLog = 0 } = wanted;
  const found = report.cases
    .filter(({ name }) => CASES[name].kind === "read")
    .flatMap(({ title, ratios }) => {
      const ofBare = ratios.lineup.requestsPerSecond.median;
      const cpu = ratios.lineup.cpuUsPerRequest.median;
      const ofUnlogged = ratios.withLog?.requestsPerSecond.median ?? requiredWithLog;
      return [
        ofBare < required ? `${title} reaches ${ofBare.toFixed(2)} of bare, not ${required}.` : "",
        cpu > requiredCpu ? `${title} takes ${cpu.toFixed(2)} times bare's processor time, not ${requiredCpu}.` : "",
        ofUnlogged < requiredWithLog
          ? `${title} with the request log reaches ${ofUnlogged.toFixed(2)} of what it does without, not ${requiredWithLog}.`
          : "",
      ];
    });
  const broken = wanted.requiresPromises ? report.promises.filter(({ holds }) => !holds) : [];
  return [...found, ...broken.map(({ what }) => `What is promised of ${what} does not hold.`)].filter(
    (shortfall) => shortfall !== "",
  );
}
