/**
 * One run: every case, in rounds. In a round each contender is loaded once, right after the other, and who goes first
 * changes from round to round; so what disturbs the machine disturbs all, and nobody profits from the order. All figures
 * of a round come from the very same requests: CPU time is read before the first and after the last of them.
 */
import { join } from "node:path";
import { CASE_NAMES, CASES, type CaseName, makeCase, makeReference } from "./cases.ts";
import type { Usage } from "./child.ts";
import type { CommitLoopResult } from "./commit-loop.ts";
import { Contender, type Cores } from "./contender.ts";
import { type Entrant, enter, measure, type ReadyCase, type Round, readyCase, type Subject } from "./entrant.ts";
import type { StorePlace } from "./fill-store.ts";
import type { Fixture, Place, WantedFixture } from "./fixture.ts";
import { countReadingKeys, countWritingKeys } from "./key-counts.ts";
import type { LineupStart } from "./lineup-server.ts";
import { passLimits } from "./past-limit.ts";
import type { Case } from "./question.ts";
import { type Calm, inTurn, mostRounds, type QuietRounds, takeQuietRounds } from "./quiet-rounds.ts";
import { type Services, startServices } from "./services.ts";
import { openStolenClock, type StolenClock } from "./stolen-time.ts";

export interface RunOptions {
  readonly cases: readonly CaseName[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** Of the answers that a case is warmed up with. */
  readonly warmUpShare: number;
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
  onProgress(done: number, total: number, what: string): void;
}

/** Who is measured: bare `node:http`, Lineup in up to four ways, and, beside a refusal, Lineup answering one player. */
export const ROLES = ["bare", "lineup", "reference", "unlogged", "together", "togetherUnlogged"] as const;
export type Role = (typeof ROLES)[number];

const NAMES: Readonly<Record<Role, string>> = {
  bare: "bare",
  lineup: "lineup",
  reference: "lineup answering one player",
  unlogged: "lineup without request log",
  together: "postgres+redis",
  togetherUnlogged: "postgres+redis without request log",
};

export interface CaseResult {
  readonly name: CaseName;
  readonly title: string;
  /** Of the first question's answer. */
  readonly bodyBytes: number;
  readonly roundMs: number;
  /** Of those who were measured. */
  readonly rounds: Readonly<Partial<Record<Role, readonly Round[]>>>;
  /** Beside the create alone: transactions a second of a plain loop, in the same rounds. */
  readonly commitLoop: readonly CommitLoopResult[] | undefined;
  readonly calm: Calm;
}

/** What was measured in one round, of everybody. */
interface TakenRound {
  readonly byRole: ReadonlyMap<Role, Round>;
  readonly commits: readonly CommitLoopResult[];
}

/** Shorter ones say nothing, whatever the share of a case. */
const ROUND_MIN_MS = 400;
/** Where each answer waits for a disk or a network, it is not the code that takes its time. */
const WARM_UP_MAX_MS = 15_000;

interface Stage {
  readonly options: RunOptions;
  /** In the order of `ROLES`. */
  readonly subjects: ReadonlyMap<Role, Subject>;
  readonly commitLoop: Contender;
  readonly clock: StolenClock | undefined;
  step(what: string): void;
}

export async function runBench(options: RunOptions): Promise<CaseResult[]> {
  const services = options.withServices ? await startServices() : undefined;
  const roles = ROLES.filter(
    (role) =>
      role !== "reference" &&
      (services !== undefined || !role.startsWith("together")) &&
      (options.withoutLog || !/unlogged$/i.test(role)),
  );
  const core = options.cores?.server;
  const contender = (name: string, script: string, isServed = false) =>
    new Contender({ name, script, core, isServed, logFile: join(options.dataDir, `${name}.log`) });
  const contenders = new Map(
    roles.map((role) => [
      role,
      role === "bare" ? contender(NAMES[role], "bare-server.ts") : contender(NAMES[role], "lineup-server.ts", true),
    ]),
  );
  const commitLoop = contender("commit-loop", "commit-loop.ts");
  const names = CASE_NAMES.filter((name) => options.cases.includes(name));
  try {
    const step = makeSteps(options, names, roles.length);
    const subjects = await startAll(options, contenders, services, step);
    const stage = { options, subjects, commitLoop, clock: openStolenClock(options.cores), step };
    const results: CaseResult[] = [];
    for (const name of names) results.push(await runCase(stage, name));
    const lineups = [...contenders].filter(([role]) => role !== "bare");
    await Promise.all(lineups.map(([, one]) => one.ask("stop")));
    return results;
  } finally {
    await Promise.all([...contenders.values(), commitLoop].map((one) => one.stop()));
    await services?.stop();
  }
}

/** A step is a server that was filled, a warm-up, or one server's part of a round. */
function makeSteps(options: RunOptions, names: readonly CaseName[], roleCount: number): (what: string) => void {
  const entrants = names.reduce((sum, name) => sum + roleCount + Number(CASES[name].kind === "refusal"), 0);
  const total = roleCount - 1 + entrants * (1 + options.rounds);
  let done = 0;
  // Rounds that are taken again were not reckoned with.
  return (what) => options.onProgress(Math.min(done++, total - 1), total, what);
}

async function startAll(
  options: RunOptions,
  contenders: ReadonlyMap<Role, Contender>,
  services: Services | undefined,
  step: (what: string) => void,
): Promise<Map<Role, Subject>> {
  const loadedMs = options.cases.length * (mostRounds(options.rounds) * options.roundMs + options.warmUpMs);
  const time = { loadedMs, roundMs: options.roundMs, contenders: contenders.size };
  const places = new Set<Place>(options.cases.map((name) => CASES[name].place));
  // A refusal is held against one player of the club.
  if (options.cases.some((name) => CASES[name].kind === "refusal")) places.add("club");
  const wanted: WantedFixture = {
    places: [...places],
    readingKeys: countReadingKeys(time),
    writingKeys: countWritingKeys(time),
  };
  const subjects = new Map<Role, Subject>();
  for (const [role, contender] of [...contenders].filter(([one]) => one !== "bare")) {
    step(`filling ${contender.name}`);
    const place = role.startsWith("together") ? services : undefined;
    const at = { dataDir: join(options.dataDir, contender.name), ...(await place?.makePlace(subjects.size)) };
    const fixture = await fill(options, { ...at, ...wanted });
    const recordsRequests = !/unlogged$/i.test(role);
    const port = await contender.ask<number>("start", { ...at, recordsRequests } satisfies LineupStart);
    subjects.set(role, { contender, port, fixture, services: place, putsOff: true });
  }
  const bare = requireOf(contenders, "bare");
  const port = await bare.ask<number>("listen");
  return new Map([["bare", { ...requireOf(subjects, "lineup"), contender: bare, port, putsOff: false }], ...subjects]);
}

async function fill({ cores, dataDir }: RunOptions, wanted: StorePlace & WantedFixture): Promise<Fixture> {
  const logFile = join(dataDir, "fill.log");
  const filler = new Contender({ name: "fill", script: "fill-store.ts", core: cores?.server, logFile });
  try {
    return await filler.ask<Fixture>("fill", wanted);
  } finally {
    await filler.stop();
  }
}

async function runCase(stage: Stage, name: CaseName): Promise<CaseResult> {
  const { options, subjects, step } = stage;
  const { title, warmUpAnswers, roundShare } = CASES[name];
  const ready = await readyAll(stage, name);
  const entrants = new Map<Role, Entrant>();
  const roundMs = Math.max(options.roundMs * roundShare, Math.min(options.roundMs, ROUND_MIN_MS));
  try {
    for (const [role, one] of ready) {
      step(`${title}: warming up ${NAMES[role]}`);
      const entrant = await enter(
        requireOf(subjects, role === "reference" ? "lineup" : role),
        one,
        options.connections,
      );
      entrants.set(role, entrant);
      const until = {
        durationMs: options.warmUpMs * roundShare,
        minAnswers: warmUpAnswers * options.warmUpShare,
        maxMs: WARM_UP_MAX_MS,
      };
      await entrant.connections.drive(until, entrant.nextRequest);
    }
    const { rounds: taken, calm } = await runRounds(stage, name, roundMs, entrants);
    const rounds = Object.fromEntries(
      [...entrants.keys()].map((role) => [role, taken.map(({ byRole }) => requireOf(byRole, role))]),
    );
    const commits = taken.flatMap((round) => round.commits);
    const commitLoop = commits.length === 0 ? undefined : commits;
    const bodyBytes = Buffer.byteLength(requireOf(ready, "lineup").captured[0]?.body ?? "");
    return { name, title, bodyBytes, roundMs, rounds, commitLoop, calm };
  } finally {
    for (const { connections } of entrants.values()) connections.close();
  }
}

/** What each is asked. Bare is asked what Lineup is, and answers what that has answered. */
async function readyAll({ subjects }: Stage, name: CaseName): Promise<Map<Role, ReadyCase>> {
  const ready = new Map<Role, ReadyCase>();
  const cases = new Map<Role, Case>();
  for (const [role, subject] of subjects) {
    if (role === "bare") continue;
    if (name === "429") await passLimits(subject);
    const one = await makeCase(name, subject.fixture, subject.port);
    cases.set(role, one);
    ready.set(role, await readyCase(one, subject.port));
  }
  const { fixture, port } = requireOf(subjects, "lineup");
  const reference = makeReference(name, fixture);
  if (reference !== undefined) ready.set("reference", await readyCase(reference, port));
  const bare = await readyBare(requireOf(subjects, "bare"), requireOf(cases, "lineup"), requireOf(ready, "lineup"));
  return new Map([["bare", bare], ...ready]);
}

/** The comparison stands on this: bare answers the same headers and the same body. */
async function readyBare(bare: Subject, one: Case, { captured }: ReadyCase): Promise<ReadyCase> {
  // Where several organizations ask for the same path, bare has one answer for all of them.
  const canned = new Map(captured.map((answer) => [`${answer.method} ${answer.path}`, answer]));
  await bare.contender.ask("answer", [...canned.values()]);
  const ready = await readyCase(one, bare.port);
  for (const answer of ready.captured) {
    if (JSON.stringify(canned.get(`${answer.method} ${answer.path}`)) === JSON.stringify(answer)) continue;
    throw new Error(`The bare server does not answer ${answer.method} ${answer.path} with Lineup's bytes.`);
  }
  return ready;
}

/**
 * A server that is not measured is halted: what a server does every few seconds, or has put off, would fall into the round of another, and where a
 * round of all takes a third of those seconds, always into the same one's.
 */
async function runRounds(
  stage: Stage,
  name: CaseName,
  roundMs: number,
  entrants: ReadonlyMap<Role, Entrant>,
): Promise<QuietRounds<TakenRound>> {
  const { options, clock, subjects } = stage;
  const { rounds, profileDir } = options;
  const profiled = requireOf(subjects, "lineup").contender;
  if (profileDir !== undefined) await profiled.ask("startProfile");
  const contenders = [...subjects.values()].map(({ contender }) => contender);
  let taken: QuietRounds<TakenRound>;
  try {
    const halted = new Map<Contender, Usage>();
    for (const contender of contenders) halted.set(contender, await contender.halt());
    taken = await takeQuietRounds(clock, rounds, (turn, isAgain) =>
      runRound(stage, { name, roundMs, entrants, halted }, turn, isAgain),
    );
  } finally {
    for (const contender of contenders) contender.goOn();
  }
  if (profileDir !== undefined) await profiled.ask("writeProfile", join(profileDir, `lineup-${name}.cpuprofile`));
  return taken;
}

interface Heat {
  readonly name: CaseName;
  readonly roundMs: number;
  readonly entrants: ReadonlyMap<Role, Entrant>;
  /** What each had used when it was halted. */
  readonly halted: Map<Contender, Usage>;
}

async function runRound(
  { options, commitLoop, step }: Stage,
  { name, roundMs, entrants, halted }: Heat,
  turn: number,
  isAgain: boolean,
): Promise<TakenRound> {
  const { rounds, dataDir } = options;
  const title = `round ${turn + 1} of ${rounds}${isAgain ? ", with some taken again" : ""}`;
  const measured = await inTurn([...entrants], turn, async ([role, entrant]) => {
    step(`${CASES[name].title}: ${title}, ${NAMES[role]}`);
    const { contender } = entrant.subject;
    const round = await measure(entrant, roundMs, halted.get(contender) as Usage);
    halted.set(contender, await contender.halt());
    return [role, round] as const;
  });
  const commits =
    name === "create" ? [await commitLoop.ask<CommitLoopResult>("run", { dataDir, durationMs: roundMs })] : [];
  return { byRole: new Map(measured), commits };
}

function requireOf<T>(all: ReadonlyMap<Role, T>, role: Role): T {
  const found = all.get(role);
  if (found === undefined) throw new Error(`There is no ${NAMES[role]} in this run.`);
  return found;
}
