/**
 * One run: every case, in rounds. In a round each contender is loaded once, right after the other, and who goes first
 * changes from round to round; so what disturbs the machine disturbs both, and nobody profits from the order. All figures
 * of a round come from the very same requests: CPU time is read before the first and after the last of them.
 */
import { join } from "node:path";
import type { CannedAnswer } from "./bare-server.ts";
import {
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
}

export interface CaseResult {
  readonly name: CaseName;
  readonly title: string;
  readonly bodyBytes: number;
  readonly bare: readonly Round[];
  readonly lineup: readonly Round[];
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
  readonly bare: Contender;
  readonly lineup: Contender;
  readonly commitLoop: Contender;
  readonly ports: ReadonlyMap<Contender, number>;
  readonly keys: readonly string[];
  /** Goes round the keys for as long as the run lasts. */
  nextKey: number;
}

export async function runBench(options: RunOptions): Promise<CaseResult[]> {
  const contender = (name: string, script: string) =>
    new Contender({
      name,
      script,
      core: options.cores?.server,
      logFile: join(options.dataDir, `${name}.log`),
    });
  const bare = contender("bare", "bare-server.ts");
  const lineup = contender("lineup", "lineup-server.ts");
  const commitLoop = contender("commit-loop", "commit-loop.ts");
  try {
    const loadedMs = options.cases.length * (options.rounds * options.roundMs + options.warmUpMs);
    const keyCount = countKeys(loadedMs / 1_000);
    options.onProgress(`making ${PLAYER_COUNT} players and ${keyCount} keys`);
    const start: LineupStart = { dataDir: join(options.dataDir, "store"), playerCount: PLAYER_COUNT, keyCount };
    const started = await lineup.ask<LineupStarted>("start", start);
    const ports = new Map([
      [lineup, started.port],
      [bare, await bare.ask<number>("listen")],
    ]);
    const stage: Stage = { options, bare, lineup, commitLoop, ports, keys: started.keys, nextKey: 0 };
    const results: CaseResult[] = [];
    for (const one of makeCases(started)) {
      if (options.cases.includes(one.name)) results.push(await runCase(stage, one));
    }
    await lineup.ask("stop");
    return results;
  } finally {
    await Promise.all([bare.stop(), lineup.stop(), commitLoop.stop()]);
  }
}

async function runCase(stage: Stage, one: Case): Promise<CaseResult> {
  const { options, bare, lineup } = stage;
  const { profileDir } = options;
  const captured = await captureAnswer(one, portOf(stage, lineup), nextKey(stage));
  await bare.ask("answer", captured);
  await requireSameAnswer(stage, one, captured);
  const expected = expectationOf(one, captured);
  const requests = makeRequests(one, stage.keys);
  const nextRequest = () => requests[nextKeyIndex(stage)] as Buffer;
  const connections = new Map<Contender, Connections>();
  const rounds = new Map<Contender, Round[]>([bare, lineup].map((contender) => [contender, []]));
  const commits: CommitLoopResult[] = [];
  try {
    for (const contender of [bare, lineup]) {
      const opened = await openConnections(portOf(stage, contender), options.connections, expected);
      connections.set(contender, opened);
      options.onProgress(`${one.title}: warming up ${contender.name}`);
      await opened.drive({ durationMs: options.warmUpMs, minAnswers: one.warmUpAnswers }, nextRequest);
    }
    if (profileDir !== undefined) await lineup.ask("startProfile");
    for (let round = 0; round < options.rounds; round++) {
      for (const contender of round % 2 === 0 ? [bare, lineup] : [lineup, bare]) {
        const opened = connections.get(contender);
        if (opened === undefined) continue;
        const result = await measure(contender, opened, options.roundMs, nextRequest);
        rounds.get(contender)?.push(result);
        const figure = `${Math.round(result.requestsPerSecond)} requests/s`;
        options.onProgress(`${one.title}: round ${round + 1} of ${options.rounds}, ${contender.name} ${figure}`);
      }
      if (one.name === "create") commits.push(await runCommitLoop(stage));
    }
    if (profileDir !== undefined) await lineup.ask("writeProfile", join(profileDir, `lineup-${one.name}.cpuprofile`));
  } finally {
    for (const opened of connections.values()) opened.close();
  }
  return {
    name: one.name,
    title: one.title,
    bodyBytes: expected.bodyLength,
    bare: rounds.get(bare) ?? [],
    lineup: rounds.get(lineup) ?? [],
    commitLoop: commits.length === 0 ? undefined : commits,
  };
}

/** The comparison stands on this: both answer the same headers and the same body. */
async function requireSameAnswer(stage: Stage, one: Case, captured: CannedAnswer): Promise<void> {
  const canned = await captureAnswer(one, portOf(stage, stage.bare), nextKey(stage));
  if (JSON.stringify(canned) === JSON.stringify(captured)) return;
  throw new Error(`The bare server does not answer ${one.title} with Lineup's bytes.`);
}

async function measure(
  contender: Contender,
  connections: Connections,
  roundMs: number,
  nextRequest: () => Buffer,
): Promise<Round> {
  const before = await contender.usage();
  const ownBefore = process.cpuUsage();
  const { answers, elapsedMs, latenciesMs } = await connections.drive(
    { durationMs: roundMs, minAnswers: 1 },
    nextRequest,
  );
  const own = process.cpuUsage(ownBefore);
  const after = await contender.usage();
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
  };
}

function runCommitLoop({ commitLoop, options }: Stage): Promise<CommitLoopResult> {
  return commitLoop.ask<CommitLoopResult>("run", { dataDir: options.dataDir, durationMs: options.roundMs / 2 });
}

function portOf(stage: Stage, contender: Contender): number {
  const port = stage.ports.get(contender);
  if (port === undefined) throw new Error(`${contender.name} does not listen.`);
  return port;
}

function nextKeyIndex(stage: Stage): number {
  stage.nextKey = stage.nextKey + 1 < stage.keys.length ? stage.nextKey + 1 : 0;
  return stage.nextKey;
}

function nextKey(stage: Stage): string {
  return stage.keys[nextKeyIndex(stage)] ?? "";
}
