/**
 * One run: every case, in rounds. In a round each contender is loaded once, right after the other, and who goes first
 * changes from round to round; so what disturbs the machine disturbs all, and nobody profits from the order. All figures
 * of a round come from the very same requests: CPU time is read before the first and after the last of them.
 */
import { join } from "node:path";
import type { CannedAnswer } from "./bare-server.ts";
import {
  CASE_NAMES,
  type Case,
  type CaseName,
  captureAnswer,
  expectationOf,
  makeCases,
  makeRequests,
  PLAYER_COUNT,
} from "./cases.ts";
import type { CommitLoopResult } from "./commit-loop.ts";
import { Contender, type Cores } from "./contender.ts";
import type { LineupStart, LineupStarted } from "./lineup-server.ts";
import { type Connections, openConnections } from "./load.ts";
import { type Services, startServices } from "./services.ts";
import { percentile } from "./statistics.ts";

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
  onProgress(text: string): void;
}

export interface Round {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUsPerRequest: number;
  /** How busy the contender was, in cores; about 1 when the server is what limits. */
  readonly serverCores: number;
  /** How busy the load was; well under 1, else it is the load that was measured. */
  readonly loadCores: number;
  readonly rssMiB: number;
  /** Of the services that the contender stands on, which have the load's core. */
  readonly postgresUsPerRequest?: number;
  readonly redisUsPerRequest?: number;
}

export interface CaseResult {
  readonly name: CaseName;
  readonly title: string;
  readonly bodyBytes: number;
  readonly bare: readonly Round[];
  readonly lineup: readonly Round[];
  /** Lineup on PostgreSQL and Redis; undefined where they could not be had. */
  readonly together: readonly Round[] | undefined;
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

/** One server that is loaded, with what belongs to it alone. */
interface Subject {
  readonly contender: Contender;
  readonly port: number;
  readonly keys: readonly string[];
  readonly cases: readonly Case[];
  readonly services?: Services | undefined;
  /** Goes round the keys for as long as the run lasts. */
  nextKey: number;
}

interface Stage {
  readonly options: RunOptions;
  readonly bare: Subject;
  readonly lineup: Subject;
  readonly together: Subject | undefined;
  readonly commitLoop: Contender;
}

export async function runBench(options: RunOptions): Promise<CaseResult[]> {
  const contender = (name: string, script: string) =>
    new Contender({
      name,
      script,
      core: options.cores?.server,
      logFile: join(options.dataDir, `${name}.log`),
    });
  const services = options.withServices ? await startServices() : undefined;
  const bare = contender("bare", "bare-server.ts");
  const lineup = contender("lineup", "lineup-server.ts");
  const together = services && contender("postgres+redis", "lineup-server.ts");
  const commitLoop = contender("commit-loop", "commit-loop.ts");
  try {
    const loadedMs = options.cases.length * (options.rounds * options.roundMs + options.warmUpMs);
    const keyCount = countKeys(loadedMs / 1_000);
    options.onProgress(`making ${PLAYER_COUNT} players and ${keyCount} keys`);
    const start = async (one: Contender, servers: Partial<LineupStart>, withServices?: Services): Promise<Subject> => {
      const dataDir = join(options.dataDir, one.name);
      const wanted: LineupStart = { dataDir, playerCount: PLAYER_COUNT, keyCount, ...servers };
      const started = await one.ask<LineupStarted>("start", wanted);
      const { port, keys } = started;
      return { contender: one, port, keys, cases: makeCases(started), services: withServices, nextKey: 0 };
    };
    const first = await start(lineup, {});
    const stage: Stage = {
      options,
      lineup: first,
      bare: { ...first, contender: bare, port: await bare.ask<number>("listen") },
      together:
        together &&
        (await start(together, { databaseUrl: services.databaseUrl, redisUrl: services.redisUrl }, services)),
      commitLoop,
    };
    const results: CaseResult[] = [];
    for (const name of CASE_NAMES) {
      if (options.cases.includes(name)) results.push(await runCase(stage, name));
    }
    await Promise.all([lineup.ask("stop"), together?.ask("stop")]);
    return results;
  } finally {
    await Promise.all([bare.stop(), lineup.stop(), together?.stop(), commitLoop.stop()]);
    await services?.stop();
  }
}

/** A subject in one case: its connections, and where its rounds go. */
interface Entrant {
  readonly subject: Subject;
  readonly connections: Connections;
  readonly rounds: Round[];
  nextRequest(): Buffer;
}

async function runCase(stage: Stage, name: CaseName): Promise<CaseResult> {
  const { options, bare, lineup, together } = stage;
  const { profileDir } = options;
  const one = caseOf(lineup, name);
  const captured = await captureAnswer(one, lineup.port, nextKey(lineup));
  await bare.contender.ask("answer", captured);
  await requireSameAnswer(stage, one, captured);
  const entrants: Entrant[] = [];
  const commits: CommitLoopResult[] = [];
  try {
    for (const subject of [bare, lineup, ...(together === undefined ? [] : [together])]) {
      const entrant = await enter(subject, name, options);
      entrants.push(entrant);
      options.onProgress(`${one.title}: warming up ${subject.contender.name}`);
      const until = { durationMs: options.warmUpMs, minAnswers: one.warmUpAnswers };
      await entrant.connections.drive(until, entrant.nextRequest);
    }
    if (profileDir !== undefined) await lineup.contender.ask("startProfile");
    for (let round = 0; round < options.rounds; round++) {
      for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
        const result = await measure(entrant, options.roundMs);
        entrant.rounds.push(result);
        const figure = `${entrant.subject.contender.name} ${Math.round(result.requestsPerSecond)} requests/s`;
        options.onProgress(`${one.title}: round ${round + 1} of ${options.rounds}, ${figure}`);
      }
      if (name === "create") commits.push(await runCommitLoop(stage));
    }
    if (profileDir !== undefined) {
      await lineup.contender.ask("writeProfile", join(profileDir, `lineup-${name}.cpuprofile`));
    }
  } finally {
    for (const { connections } of entrants) connections.close();
  }
  return {
    name,
    title: one.title,
    bodyBytes: Buffer.byteLength(captured.body),
    bare: entrants[0]?.rounds ?? [],
    lineup: entrants[1]?.rounds ?? [],
    together: entrants[2]?.rounds,
    commitLoop: commits.length === 0 ? undefined : commits,
  };
}

async function enter(subject: Subject, name: CaseName, options: RunOptions): Promise<Entrant> {
  const one = caseOf(subject, name);
  const expected = expectationOf(one, await captureAnswer(one, subject.port, nextKey(subject)));
  const requests = makeRequests(one, subject.keys);
  return {
    subject,
    connections: await openConnections(subject.port, options.connections, expected),
    rounds: [],
    nextRequest: () => requests[nextKeyIndex(subject)] as Buffer,
  };
}

function caseOf(subject: Subject, name: CaseName): Case {
  const found = subject.cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}

/** The comparison stands on this: both answer the same headers and the same body. */
async function requireSameAnswer(stage: Stage, one: Case, captured: CannedAnswer): Promise<void> {
  const canned = await captureAnswer(one, stage.bare.port, nextKey(stage.bare));
  if (JSON.stringify(canned) === JSON.stringify(captured)) return;
  throw new Error(`The bare server does not answer ${one.title} with Lineup's bytes.`);
}

async function measure({ subject, connections, nextRequest }: Entrant, roundMs: number): Promise<Round> {
  const { contender, services } = subject;
  const before = await contender.usage();
  const ownBefore = process.cpuUsage();
  const servicesBefore = services?.readCpuUs();
  const until = { durationMs: roundMs, minAnswers: 1 };
  const { answers, elapsedMs, latenciesMs } = await connections.drive(until, nextRequest);
  const own = process.cpuUsage(ownBefore);
  const after = await contender.usage();
  const servicesAfter = services?.readCpuUs();
  const cpuUs = after.cpuUs - before.cpuUs;
  return {
    requests: answers,
    requestsPerSecond: (answers / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuUsPerRequest: cpuUs / answers,
    serverCores: cpuUs / 1_000 / elapsedMs,
    loadCores: (own.user + own.system) / 1_000 / elapsedMs,
    rssMiB: after.rssBytes / 2 ** 20,
    ...(servicesBefore === undefined || servicesAfter === undefined
      ? {}
      : {
          postgresUsPerRequest: (servicesAfter.postgresUs - servicesBefore.postgresUs) / answers,
          redisUsPerRequest: (servicesAfter.redisUs - servicesBefore.redisUs) / answers,
        }),
  };
}

function runCommitLoop({ commitLoop, options }: Stage): Promise<CommitLoopResult> {
  return commitLoop.ask<CommitLoopResult>("run", { dataDir: options.dataDir, durationMs: options.roundMs / 2 });
}

function nextKeyIndex(subject: Subject): number {
  subject.nextKey = subject.nextKey + 1 < subject.keys.length ? subject.nextKey + 1 : 0;
  return subject.nextKey;
}

function nextKey(subject: Subject): string {
  return subject.keys[nextKeyIndex(subject)] ?? "";
}
