/** `npm run bench`: measures Lineup beside bare `node:http` on this machine. README.md beside this folder says how to read it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASE_NAMES, type CaseName } from "./cases.ts";
import { pinLoad } from "./contender.ts";
import { describeMachine } from "./machine.ts";
import { caseRatiosOf, type Report, renderReport } from "./report.ts";
import { runBench } from "./run.ts";

const HELP = `Usage: npm run bench -- [options]

Measures Lineup (key, limits, permission, store and log on) beside bare node:http
answering the same bytes, in one run: one player, a list of 200, a create. Once on the
embedded store, and once on a PostgreSQL and a Redis that it starts for the run.

  --quick            a first impression in about 20 seconds
  --seconds N        how long a round loads each server (default 2)
  --rounds N         rounds a case, of which medians are taken (default 5)
  --connections N    keep-alive connections, one request under way on each (default 32)
  --case NAME        only this case, repeatable: ${CASE_NAMES.join(", ")}
  --json FILE        also write every round and all ratios to this file
  --require RATIO    exit 1 unless the reads reach this share of bare's requests a second
  --request-log      also without the request log, to show what that costs
  --require-log SHARE  exit 1 unless with its log Lineup reads at this share of what it does without
  --embedded         only the embedded store, without PostgreSQL and Redis
  --data FOLDER      where the store is made, on the disk to be measured (default bench/data)
  --profile FOLDER   also write CPU profiles of Lineup into this folder; they slow it down
  --help             this text
`;

class UsageError extends Error {}

interface Wanted {
  readonly cases: readonly CaseName[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly connections: number;
  readonly jsonFile: string | undefined;
  readonly required: number | undefined;
  readonly dataRoot: string;
  readonly profileDir: string | undefined;
  readonly withServices: boolean;
  readonly withoutLog: boolean;
  readonly requiredWithLog: number | undefined;
}

function parseOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    quick: { type: "boolean" },
    seconds: text,
    rounds: text,
    connections: text,
    case: { type: "string", multiple: true },
    json: text,
    require: text,
    data: text,
    profile: text,
    "request-log": { type: "boolean" },
    "require-log": text,
    embedded: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readCommandLine(args: readonly string[]): Wanted | "help" {
  const given = parseOptions(args);
  if (given.help === true) return "help";
  const isQuick = given.quick === true;
  return {
    cases: (given.case ?? CASE_NAMES).map(requireCase),
    rounds: readNumber("--rounds", given.rounds, isQuick ? 3 : 5, 1, 1_000, true),
    roundMs: readNumber("--seconds", given.seconds, isQuick ? 0.7 : 2, 0.1, 600, false) * 1_000,
    warmUpMs: isQuick ? 700 : 1_500,
    connections: readNumber("--connections", given.connections, 32, 1, 1_000, true),
    jsonFile: given.json,
    required: readShare("--require", given.require),
    dataRoot: resolve(given.data ?? fileURLToPath(new URL("../data", import.meta.url))),
    profileDir: given.profile === undefined ? undefined : resolve(given.profile),
    withServices: given.embedded !== true,
    withoutLog: given["request-log"] === true || given["require-log"] !== undefined,
    requiredWithLog: readShare("--require-log", given["require-log"]),
  };
}

function requireCase(text: string): CaseName {
  const name = CASE_NAMES.find((one) => one === text);
  if (name !== undefined) return name;
  throw new UsageError(`There is no case "${text}". The cases are ${CASE_NAMES.join(", ")}.`);
}

function readNumber(
  option: string,
  text: string | undefined,
  preset: number,
  min: number,
  max: number,
  isWhole: boolean,
): number {
  if (text === undefined) return preset;
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw new UsageError(
    `${option} must be ${isWhole ? "a whole number" : "a number"} from ${min} to ${max}, not "${text}".`,
  );
}

function readShare(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(option, text, 0, 0, 10, false);
}

/** On a terminal one line that changes, elsewhere one line each. */
function showProgress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

async function bench(wanted: Wanted): Promise<Report> {
  const machine = describeMachine();
  const cores = pinLoad();
  mkdirSync(wanted.dataRoot, { recursive: true });
  if (wanted.profileDir !== undefined) mkdirSync(wanted.profileDir, { recursive: true });
  const dataDir = mkdtempSync(join(wanted.dataRoot, "run-"));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      removeData();
      process.exit(130);
    });
  }
  try {
    const results = await runBench({ ...wanted, dataDir, cores, onProgress: showProgress });
    const cases = results.map((result) => ({ ...result, ratios: caseRatiosOf(result) }));
    const { connections, rounds, roundMs } = wanted;
    return { at: new Date().toISOString(), machine, cores, connections, rounds, roundMs, cases };
  } finally {
    if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
    removeData();
  }
}

/** The reads that fall short of what was required, in words. */
function listShortfalls({ cases }: Report, { required = 0, requiredWithLog = 0 }: Wanted): string[] {
  return cases
    .filter(({ name }) => name !== "create")
    .flatMap(({ title, ratios }) => {
      const ofBare = ratios.lineup.requestsPerSecond.median;
      const ofUnlogged = ratios.withLog?.requestsPerSecond.median ?? 1;
      return [
        ofBare < required ? `${title} reaches ${ofBare.toFixed(2)} of bare, not ${required}.` : "",
        ofUnlogged < requiredWithLog
          ? `${title} with the request log reaches ${ofUnlogged.toFixed(2)} of what it does without, not ${requiredWithLog}.`
          : "",
      ];
    })
    .filter((shortfall) => shortfall !== "");
}

async function main(): Promise<number> {
  const wanted = readCommandLine(process.argv.slice(2));
  if (wanted === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const report = await bench(wanted);
  process.stdout.write(`${renderReport(report)}\n`);
  if (wanted.jsonFile !== undefined) writeFileSync(wanted.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`);
  const shortfalls = listShortfalls(report, wanted);
  for (const shortfall of shortfalls) process.stderr.write(`${shortfall}\n`);
  return shortfalls.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(`${isUsage ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  if (isUsage) process.stderr.write('"npm run bench -- --help" lists the options.\n');
  process.exitCode = isUsage ? 2 : 1;
}
