/**
 * One run: every case, in rounds. In a round each contender is loaded once, right after the other, and who goes first
 * changes from round to round; so what disturbs the machine disturbs all, and nobody profits from the order. All figures
 * of a round come from the very same requests: CPU time is read before the first and after the last of them.
 */
import { join } from "node:path";
import type { CannedAnswer } from "./bare-server.ts";
import { CASE_NAMES, type Case, type CaseName, captureAnswer, makeCases, PLAYER_COUNT } from "./cases.ts";
import type { CommitLoopResult } from "./commit-loop.ts";
import { Contender, type Cores } from "./contender.ts";
import type { LineupStart, LineupStarted } from "./lineup-server.ts";
import { caseOf, type Entrant, enter, measure, nextKey, type Round, type Subject } from "./rounds.ts";
import { type Services, startServices } from "./services.ts";

export interface RunOptions {
  readonly cases: readonly CaseName[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly connections: number;
  /** An empty folder on the disk to be measured. */
  readonly dataDir: string;
  /** Where CPU profiles of Lineup go, one a case, if they are wanted. */
  readonly profileDir: string | undefined;
  readonly cores: Cores | undefined;
  /** Whether Lineup is also measured on PostgreSQL and Redis. */
  readonly withServices: boolean;
  /** Whether Lineup is also measured without its request log. */
  readonly withoutLog: boolean;
  onProgress(text: string): void;
}

/** Who is measured: bare `node:http`, and Lineup in up to four ways. */
export const ROLES = ["bare", "lineup", "unlogged", "together", "togetherUnlogged"] as const;
export type Role = (typeof ROLES)[number];

const NAMES: Readonly<Record<Role, string>> = {
  bare: "bare",
  lineup: "lineup",
  unlogged: "lineup without request log",
  together: "postgres+redis",
  togetherUnlogged: "postgres+redis without request log",
};

export interface CaseResult {
  readonly name: CaseName;
  readonly title: string;
  readonly bodyBytes: number;
  /** Of those who were measured. */
  readonly rounds: {
    readonly bare: readonly Round[];
    readonly lineup: readonly Round[];
    readonly unlogged: readonly Round[] | undefined;
    readonly together: readonly Round[] | undefined;
    readonly togetherUnlogged: readonly Round[] | undefined;
  };
  /** Beside the create alone: transactions a second of a plain loop. */
  readonly commitLoop: readonly CommitLoopResult[] | undefined;
}

/** Lineup on one thread gets nowhere near this; keys are made for it, so that no window ever refuses. */
const RPS_CEILING = 40_000;
const ENTERPRISE_PER_MINUTE = 1_000;
const ENTERPRISE_PER_DAY = 100_000;

/** How many keys can carry the whole run: in no minute and on no day may one of them reach its limit. */
export function countKeys(loadedSeconds: number): number {
  const perMinute = (RPS_CEILING * Math.min(60, loadedSeconds)) / ENTERPRISE_PER_MINUTE;
  const perDay = (RPS_CEILING * loadedSeconds) / ENTERPRISE_PER_DAY;
  return Math.ceil(Math.max(perMinute, perDay, 100));
}

interface Stage {
  readonly options: RunOptions;
  /** In the order of `ROLES`. */
  readonly subjects: ReadonlyMap<Role, Subject>;
  readonly commitLoop: Contender;
}

export async function runBench(options: RunOptions): Promise<CaseResult[]> {
  const services = options.withServices ? await startServices() : undefined;
  const roles = ROLES.filter(
    (role) =>
      (services !== undefined || !role.startsWith("together")) && (options.withoutLog || !/unlogged$/i.test(role)),
  );
  const core = options.cores?.server;
  const contender = (name: string, script: string) =>
    new Contender({ name, script, core, logFile: join(options.dataDir, `${name}.log`) });
  const contenders = new Map(
    roles.map((role) => [role, contender(NAMES[role], role === "bare" ? "bare-server.ts" : "lineup-server.ts")]),
  );
  const commitLoop = contender("commit-loop", "commit-loop.ts");
  try {
    const subjects = await startAll(options, contenders, services);
    const results: CaseResult[] = [];
    for (const name of CASE_NAMES) {
      if (options.cases.includes(name)) results.push(await runCase({ options, subjects, commitLoop }, name));
    }
    const lineups = [...contenders].filter(([role]) => role !== "bare");
    await Promise.all(lineups.map(([, one]) => one.ask("stop")));
    return results;
  } finally {
    await Promise.all([...contenders.values(), commitLoop].map((one) => one.stop()));
    await services?.stop();
  }
}

async function startAll(
  options: RunOptions,
  contenders: ReadonlyMap<Role, Contender>,
  services: Services | undefined,
): Promise<Map<Role, Subject>> {
  const loadedMs = options.cases.length * (options.rounds * options.roundMs + options.warmUpMs);
  const keyCount = countKeys(loadedMs / 1_000);
  options.onProgress(`making ${PLAYER_COUNT} players and ${keyCount} keys`);
  const subjects = new Map<Role, Subject>();
  for (const [role, contender] of [...contenders].filter(([one]) => one !== "bare")) {
    const place = role.startsWith("together") ? services : undefined;
    const started = await contender.ask<LineupStarted>("start", {
      dataDir: join(options.dataDir, contender.name),
      playerCount: PLAYER_COUNT,
      keyCount,
      recordsRequests: !/unlogged$/i.test(role),
      ...(await place?.makePlace(subjects.size)),
    } satisfies LineupStart);
    const { port, keys } = started;
    subjects.set(role, { contender, port, keys, cases: makeCases(started), services: place, nextKey: 0 });
  }
  const bare = requireOf(contenders, "bare");
  const port = await bare.ask<number>("listen");
  return new Map([["bare", { ...requireOf(subjects, "lineup"), contender: bare, port }], ...subjects]);
}

async function runCase(stage: Stage, name: CaseName): Promise<CaseResult> {
  const { options, subjects } = stage;
  const lineup = requireOf(subjects, "lineup");
  const one = caseOf(lineup, name);
  const captured = await captureAnswer(one, lineup.port, nextKey(lineup));
  await requireOf(subjects, "bare").contender.ask("answer", captured);
  await requireSameAnswer(stage, one, captured);
  const entrants = new Map<Role, Entrant>();
  const roundsOf = (role: Role) => entrants.get(role)?.rounds;
  let commits: CommitLoopResult[] | undefined;
  try {
    for (const [role, subject] of subjects) {
      const entrant = await enter(subject, name, options.connections);
      entrants.set(role, entrant);
      options.onProgress(`${one.title}: warming up ${subject.contender.name}`);
      const until = { durationMs: options.warmUpMs, minAnswers: one.warmUpAnswers };
      await entrant.connections.drive(until, entrant.nextRequest);
    }
    commits = await runRounds(stage, one, [...entrants.values()], lineup.contender);
  } finally {
    for (const { connections } of entrants.values()) connections.close();
  }
  return {
    name,
    title: one.title,
    bodyBytes: Buffer.byteLength(captured.body),
    rounds: {
      bare: roundsOf("bare") ?? [],
      lineup: roundsOf("lineup") ?? [],
      unlogged: roundsOf("unlogged"),
      together: roundsOf("together"),
      togetherUnlogged: roundsOf("togetherUnlogged"),
    },
    commitLoop: commits.length === 0 ? undefined : commits,
  };
}

async function runRounds(
  stage: Stage,
  one: Case,
  entrants: readonly Entrant[],
  profiled: Contender,
): Promise<CommitLoopResult[]> {
  const { rounds, roundMs, profileDir, onProgress } = stage.options;
  const commits: CommitLoopResult[] = [];
  if (profileDir !== undefined) await profiled.ask("startProfile");
  for (let round = 0; round < rounds; round++) {
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      const result = await measure(entrant, roundMs);
      entrant.rounds.push(result);
      const figure = `${entrant.subject.contender.name} ${Math.round(result.requestsPerSecond)} requests/s`;
      onProgress(`${one.title}: round ${round + 1} of ${rounds}, ${figure}`);
    }
    if (one.name === "create") commits.push(await runCommitLoop(stage));
  }
  if (profileDir !== undefined) {
    await profiled.ask("writeProfile", join(profileDir, `lineup-${one.name}.cpuprofile`));
  }
  return commits;
}

function requireOf<T>(all: ReadonlyMap<Role, T>, role: Role): T {
  const found = all.get(role);
  if (found === undefined) throw new Error(`There is no ${NAMES[role]} in this run.`);
  return found;
}

/** The comparison stands on this: both answer the same headers and the same body. */
async function requireSameAnswer({ subjects }: Stage, one: Case, captured: CannedAnswer): Promise<void> {
  const bare = requireOf(subjects, "bare");
  const canned = await captureAnswer(one, bare.port, nextKey(bare));
  if (JSON.stringify(canned) === JSON.stringify(captured)) return;
  throw new Error(`The bare server does not answer ${one.title} with Lineup's bytes.`);
}

function runCommitLoop({ commitLoop, options }: Stage): Promise<CommitLoopResult> {
  return commitLoop.ask<CommitLoopResult>("run", { dataDir: options.dataDir, durationMs: options.roundMs / 2 });
}
