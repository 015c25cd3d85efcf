/** The command line. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASE_NAMES, CASES, type CaseName } from "./cases.ts";
import { HOT_KEYS } from "./growth-shares.ts";
import { PROMISED_CASES } from "./promises.ts";

/** Of a run that the documents show. */
const SHOWN_ROUNDS_MIN = 5;
const SHOWN_ROUND_MIN_MS = 1_000;

export class UsageError extends Error {}

export interface Common {
  readonly dataRoot: string;
  readonly jsonFile: string | undefined;
  readonly connections: number;
  readonly requiresPromises: boolean;
}

export interface Comparing extends Common {
  readonly mode: "compare";
  readonly cases: readonly CaseName[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly warmUpShare: number;
  readonly profileDir: string | undefined;
  readonly withServices: boolean;
  readonly withoutLog: boolean;
  readonly writes: boolean;
  readonly required: number | undefined;
  readonly requiredCpu: number | undefined;
  readonly requiredWithLog: number | undefined;
}

export interface Growing extends Common {
  readonly mode: "grow";
  readonly rounds: number;
  readonly roundMs: number;
  readonly players: number;
  readonly organizations: number;
  readonly keys: number;
  readonly logRows: number;
  readonly keeps: boolean;
}

export interface Special<Mode = "large-list" | "postgres-creates"> extends Common {
  readonly mode: Mode;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly roundMs: number;
}

export type Wanted = Comparing | Growing | Special<"large-list"> | Special<"postgres-creates">;

function parseOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    quick: flag,
    seconds: text,
    rounds: text,
    connections: text,
    case: { type: "string", multiple: true },
    json: text,
    write: flag,
    data: text,
    profile: text,
    embedded: flag,
    "request-log": flag,
    require: text,
    "require-cpu": text,
    "require-log": text,
    "require-promises": flag,
    grow: flag,
    players: text,
    organizations: text,
    keys: text,
    "log-rows": text,
    keep: flag,
    "large-list": flag,
    "postgres-creates": flag,
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: joinNegatives(args), options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A number below zero is refused for its range, and not for what it looks like. */
function joinNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1) ?? "";
    const isValue = /^-\d/.test(arg) && last.startsWith("--") && !last.includes("=");
    if (isValue) joined.splice(-1, 1, `${last}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

type Given = ReturnType<typeof parseOptions>;

const MODES = ["grow", "large-list", "postgres-creates"] as const;
/** What each mode understands beside what all do; anything else was meant for another. */
const OWN_OPTIONS: Readonly<Record<Wanted["mode"], readonly (keyof Given)[]>> = {
  compare: [
    ...(["quick", "case", "embedded", "request-log", "write", "profile"] as const),
    ...(["require", "require-cpu", "require-log", "seconds", "rounds"] as const),
  ],
  grow: ["grow", "players", "organizations", "keys", "log-rows", "keep", "quick", "seconds", "rounds"],
  "large-list": ["large-list", "quick"],
  "postgres-creates": ["postgres-creates", "quick", "seconds", "rounds"],
};
const COMMON_OPTIONS: readonly (keyof Given)[] = ["json", "data", "connections", "require-promises", "help"];

export function readCommandLine(args: readonly string[]): Wanted | "help" {
  const given = parseOptions(args);
  if (given.help === true) return "help";
  const modes = MODES.filter((mode) => given[mode] === true);
  if (modes.length > 1)
    throw new UsageError(`--${modes.join(" and --")} are different measurements. Name one of them.`);
  const mode = modes[0] ?? "compare";
  const stray = (Object.keys(given) as (keyof Given)[]).find(
    (option) => ![...OWN_OPTIONS[mode], ...COMMON_OPTIONS].includes(option),
  );
  if (stray !== undefined) {
    const owner = MODES.find((one) => OWN_OPTIONS[one].includes(stray));
    throw new UsageError(
      mode === "compare" && owner !== undefined
        ? `--${stray} has no meaning by itself; it goes with --${owner}.`
        : `--${stray} has no meaning with --${mode}. Leave it out.`,
    );
  }
  const common: Common = {
    dataRoot: resolve(given.data ?? fileURLToPath(new URL("../data", import.meta.url))),
    jsonFile: given.json,
    connections: readNumber("--connections", given.connections, 32, 1, 1_000, true),
    requiresPromises: given["require-promises"] === true,
  };
  if (mode === "compare") return readComparing(given, common);
  if (mode === "grow") return readGrowing(given, common);
  return { ...common, mode, isQuick: given.quick === true, ...readRounds(given, 5) };
}

function readComparing(given: Given, common: Common): Comparing {
  const isQuick = given.quick === true;
  const cases = (given.case ?? CASE_NAMES).map(requireCase);
  const { rounds, roundMs } = readRounds(given, 5);
  if (given.write === true) requireWhole(given, rounds, roundMs);
  requireJudged(given, cases);
  return {
    ...common,
    mode: "compare",
    rounds,
    roundMs,
    cases,
    warmUpMs: isQuick ? 300 : 1_500,
    warmUpShare: isQuick ? 0.1 : 1,
    profileDir: given.profile === undefined ? undefined : resolve(given.profile),
    // A first impression leaves out what takes longest to start.
    withServices: given.embedded !== true && !isQuick,
    withoutLog: given["request-log"] === true || given["require-log"] !== undefined,
    writes: given.write === true,
    required: readShare("--require", given.require),
    requiredCpu: readShare("--require-cpu", given["require-cpu"]),
    requiredWithLog: readShare("--require-log", given["require-log"]),
  };
}

/** What everybody is shown has everything in it, and is not of a moment. */
function requireWhole(given: Given, rounds: number, roundMs: number): void {
  const partly = (["quick", "case", "profile", "embedded"] as const).find((option) => given[option] !== undefined);
  if (partly !== undefined) throw new UsageError(`--write shows a whole run to everybody; leave out --${partly}.`);
  if (rounds < SHOWN_ROUNDS_MIN || roundMs < SHOWN_ROUND_MIN_MS) {
    throw new UsageError(
      `--write shows a run to everybody; give it at least ${SHOWN_ROUNDS_MIN} rounds of ${SHOWN_ROUND_MIN_MS / 1_000} s.`,
    );
  }
}

/** What nothing is required of cannot fall short. */
function requireJudged(given: Given, cases: readonly CaseName[]): void {
  const ofReads = (["require", "require-cpu", "require-log"] as const).find((option) => given[option] !== undefined);
  const reads = CASE_NAMES.filter((name) => CASES[name].kind === "read");
  if (ofReads !== undefined && !cases.some((name) => reads.includes(name))) {
    throw new UsageError(`--${ofReads} is about reads, and none is measured. Add one of ${reads.join(", ")}.`);
  }
  if (given["require-promises"] === true && !cases.some((name) => PROMISED_CASES.includes(name))) {
    throw new UsageError(`Nothing is promised of these cases. Add one of ${PROMISED_CASES.join(", ")}.`);
  }
}

function readGrowing(given: Given, common: Common): Growing {
  const count = (option: "players" | "organizations" | "keys" | "log-rows", preset: number, min: number, where = "") =>
    readNumber(`--${option}`, given[option], preset, min, 100_000_000, true, where);
  const organizations = count("organizations", 1_000, 3);
  const forThem = ` for ${organizations} organizations`;
  return {
    ...common,
    mode: "grow",
    ...readRounds(given, 5),
    organizations,
    // Half of the organizations have 200 and one has 10,000; each of the others at least one.
    players: count("players", 1_000_000, 10_000 + organizations * 101 + 100, forThem),
    // Those that carry the load, and one for each organization.
    keys: count("keys", 10_000, organizations + HOT_KEYS, forThem),
    logRows: count("log-rows", 5_000_000, 0),
    keeps: given.keep === true,
  };
}

function readRounds(given: Given, rounds: number): { readonly rounds: number; readonly roundMs: number } {
  const isQuick = given.quick === true;
  return {
    rounds: readNumber("--rounds", given.rounds, isQuick ? 2 : rounds, 1, 1_000, true),
    roundMs: readNumber("--seconds", given.seconds, isQuick ? 0.4 : 2, 0.1, 600, false) * 1_000,
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
  where = "",
): number {
  if (text === undefined) return preset;
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  throw new UsageError(
    `${option} must be ${isWhole ? "a whole number" : "a number"} from ${min} to ${max}${where}, not "${text}".`,
  );
}

function readShare(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(option, text, 0, 0, 10, false);
}
