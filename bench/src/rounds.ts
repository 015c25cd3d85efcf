/** A server under load: what it is asked with, and what one round of that says about it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Case, type CaseName, captureAnswer, expectationOf, makeRequests } from "./cases.ts";
import type { Contender } from "./contender.ts";
import { type Connections, openConnections } from "./load.ts";
import type { Services } from "./services.ts";
import { percentile } from "./statistics.ts";

/** Journals and logs are written down within this time. */
const SETTLING_MS = 700;

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

/** One server that is loaded, with what belongs to it alone. */
export interface Subject {
  readonly contender: Contender;
  readonly port: number;
  readonly keys: readonly string[];
  readonly cases: readonly Case[];
  readonly services?: Services | undefined;
  /** Goes round the keys for as long as the run lasts. */
  nextKey: number;
}

/** A subject in one case: its connections, and where its rounds go. */
export interface Entrant {
  readonly subject: Subject;
  readonly connections: Connections;
  readonly rounds: Round[];
  nextRequest(): Buffer;
}

export async function enter(subject: Subject, name: CaseName, connections: number): Promise<Entrant> {
  const one = caseOf(subject, name);
  const expected = expectationOf(one, await captureAnswer(one, subject.port, nextKey(subject)));
  const requests = makeRequests(one, subject.keys);
  return {
    subject,
    connections: await openConnections(subject.port, connections, expected),
    rounds: [],
    nextRequest: () => requests[nextKeyIndex(subject)] as Buffer,
  };
}

export function caseOf(subject: Subject, name: CaseName): Case {
  const found = subject.cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}

export async function measure({ subject, connections, nextRequest }: Entrant, roundMs: number): Promise<Round> {
  const { contender, services } = subject;
  const before = await contender.usage();
  const ownBefore = process.cpuUsage();
  const servicesBefore = services?.readCpuUs();
  const until = { durationMs: roundMs, minAnswers: 1 };
  const { answers, elapsedMs, latenciesMs } = await connections.drive(until, nextRequest);
  const own = process.cpuUsage(ownBefore);
  // What a server puts off is its own expense, and not that of whoever comes next.
  await sleep(SETTLING_MS);
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

function nextKeyIndex(subject: Subject): number {
  subject.nextKey = subject.nextKey + 1 < subject.keys.length ? subject.nextKey + 1 : 0;
  return subject.nextKey;
}

export function nextKey(subject: Subject): string {
  return subject.keys[nextKeyIndex(subject)] ?? "";
}
