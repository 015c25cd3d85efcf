/** A server under load: what it is asked with, and what one round of that says about it. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Expectation } from "./answer-reader.ts";
import type { CannedAnswer } from "./bare-server.ts";
import type { Usage } from "./child.ts";
import type { Contender } from "./contender.ts";
import type { Fixture } from "./fixture.ts";
import { type Connections, type LoadRequest, openConnections } from "./load.ts";
import { type Asking, type Case, captureAnswer, expectationOf, requestBytes } from "./question.ts";
import type { Services } from "./services.ts";
import { percentile } from "./statistics.ts";

/** Journals and logs are written down within this time. */
export const SETTLING_MS = 1_000;
/** Who was halted does first what was due meanwhile. */
const RESUMING_MS = 250;

export interface Round {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuUsPerRequest: number;
  /** The most memory that the process had in the round. */
  readonly peakMiB: number;
  /** How busy the contender was, in cores; about 1 when the server is what limits. */
  readonly serverCores: number;
  /** How busy the load was; well under 1, else it is the load that was measured. */
  readonly loadCores: number;
  /** Of the services that the contender stands on, which have the load's core. */
  readonly postgresUsPerRequest?: number;
  readonly redisUsPerRequest?: number;
}

/** One server that is loaded, with what belongs to it alone. */
export interface Subject {
  readonly contender: Contender;
  readonly port: number;
  readonly fixture: Fixture;
  readonly services?: Services | undefined;
  /** Bare puts nothing off. */
  readonly putsOff: boolean;
}

/** What is asked in a case, ready to be sent, and the answers that were given to each question once. */
export interface ReadyCase {
  readonly requests: readonly LoadRequest[];
  readonly captured: readonly CannedAnswer[];
}

/** A subject in one case, with its connections. */
export interface Entrant {
  readonly subject: Subject;
  readonly connections: Connections;
  nextRequest(): LoadRequest;
}

/** Asks every question once, and makes all requests. */
export async function readyCase(one: Case, port: number): Promise<ReadyCase> {
  const asked = Array.from({ length: one.requestCount }, (_, index) => one.ask(index));
  const captured: CannedAnswer[] = [];
  const expectations: Expectation[] = [];
  const firsts = new Map<number, Asking>();
  for (const { question, asking } of asked) if (!firsts.has(question)) firsts.set(question, asking);
  for (const [index, question] of one.questions.entries()) {
    const asking = firsts.get(index);
    if (asking === undefined) throw new Error(`Nobody asks ${question.method} ${question.path}.`);
    const answer = await captureAnswer(question, asking, port);
    captured.push(answer);
    expectations.push(expectationOf(question, answer));
  }
  const requests = asked.map(({ question, asking }) => ({
    bytes: requestBytes(one.questions[question] as Case["questions"][number], asking),
    expected: expectations[question] as Expectation,
  }));
  return { requests, captured };
}

export async function enter(subject: Subject, { requests }: ReadyCase, connections: number): Promise<Entrant> {
  return {
    subject,
    connections: await openConnections(subject.port, connections),
    nextRequest: goRound(requests),
  };
}

export function goRound<T>(all: readonly T[]): () => T {
  let next = -1;
  return () => {
    next = next + 1 < all.length ? next + 1 : 0;
    return all[next] as T;
  };
}

/** Has a halted one go on. `before` is what it had used when it was halted: what was due meanwhile is its own expense. */
export async function measure(entrant: Entrant, roundMs: number, before: Usage): Promise<Round> {
  const { subject, connections, nextRequest } = entrant;
  const { contender, services } = subject;
  const servicesBefore = services?.readCpuUs();
  contender.goOn();
  await contender.ask("resetPeak");
  if (subject.putsOff) await sleep(RESUMING_MS);
  const ownBefore = process.cpuUsage();
  const loadedFrom = await contender.usage();
  const until = { durationMs: roundMs, minAnswers: 1 };
  const { answers, elapsedMs, latenciesMs } = await connections.drive(until, nextRequest);
  const own = process.cpuUsage(ownBefore);
  const loaded = await contender.usage();
  // What a server puts off is its own expense, and not that of the next one.
  if (subject.putsOff) await sleep(SETTLING_MS);
  const after = await contender.usage();
  const servicesAfter = services?.readCpuUs();
  const cpuUs = after.cpuUs - before.cpuUs;
  return {
    requests: answers,
    requestsPerSecond: (answers / elapsedMs) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    p999Ms: percentile(latenciesMs, 0.999),
    cpuUsPerRequest: cpuUs / answers,
    peakMiB: after.peakBytes / 2 ** 20,
    serverCores: (loaded.cpuUs - loadedFrom.cpuUs) / 1_000 / elapsedMs,
    loadCores: (own.user + own.system) / 1_000 / elapsedMs,
    ...(servicesBefore === undefined || servicesAfter === undefined
      ? {}
      : {
          postgresUsPerRequest: (servicesAfter.postgresUs - servicesBefore.postgresUs) / answers,
          redisUsPerRequest: (servicesAfter.redisUs - servicesBefore.redisUs) / answers,
        }),
  };
}
