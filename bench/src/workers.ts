/**
 * `--workers`: two workers beside one, each on a store of its own with the same content, loaded in turn. On a machine on which the load
 * needs a core as well, throughput cannot double; what tells whether it would is the processor time that a request takes.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "@lineup/api/endpoint";
import { openStore } from "@lineup/server/store/open-store";
import { pinLoad } from "./contender.ts";
import { withDataFolder } from "./data-folder.ts";
import { goRound, readyCase, SETTLING_MS } from "./entrant.ts";
import { type FilledOrganization, makeFilledOrganization } from "./fill-organization.ts";
import { CLUB_PLAYERS } from "./fixture.ts";
import { type Connections, type LoadRequest, openConnections } from "./load.ts";
import { describeMachine } from "./machine.ts";
import type { Special } from "./options.ts";
import { onePlayer } from "./player-questions.ts";
import { startBar } from "./progress-bar.ts";
import { isBrief, isKept, type Promised, renderCaution, renderPromises } from "./promises.ts";
import { type Case, type Question, UP_TO_META } from "./question.ts";
import { type Calm, inTurn, renderCalm, takeQuietRounds } from "./quiet-rounds.ts";
import { renderMachine } from "./report.ts";
import { toFigures, writeResult } from "./results-file.ts";
import { SpawnedServer } from "./spawned-server.ts";
import { median, pairedRatio, percentile, type Spread, transpose } from "./statistics.ts";
import { openStolenClock, type StolenClock } from "./stolen-time.ts";
import { alignRows, formatCount, formatMs, formatRounds, formatSpread } from "./text-table.ts";

const KEYS = 2_400;
/** Of each worker: every one of them compiles the code for itself. */
const WARM_UP_ANSWERS = 30_000;
const QUICK_WARM_UP_ANSWERS = 2_000;
const COUNTS = [1, 2] as const;

interface WorkersRound {
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  /** How many cores the server had. */
  readonly cores: number;
}

interface WorkersFigures {
  readonly title: string;
  readonly one: readonly WorkersRound[];
  readonly two: readonly WorkersRound[];
  readonly cpuRatio: Spread;
  readonly calm: Calm;
}

interface Side {
  readonly workers: number;
  readonly server: SpawnedServer;
  readonly org: FilledOrganization;
}

export async function measureWorkers(wanted: Special): Promise<string[]> {
  const machine = describeMachine();
  const cores = pinLoad();
  const measured = await withDataFolder(wanted.dataRoot, async (runDir) => {
    const sides: Side[] = [];
    try {
      for (const count of COUNTS) {
        const dataDir = join(runDir, `workers-${count}`);
        const org = await fill(dataDir);
        const first = { question: onePlayer(org.players[0]?.id), key: org.keys[0] ?? "" };
        const logFile = join(runDir, `workers-${count}.log`);
        // Both may use all cores; else one worker would have a core to itself, and two would share theirs with the load.
        const core = cores === undefined ? undefined : `${cores.server},${cores.load}`;
        const args = ["--workers", String(count)];
        const server = await SpawnedServer.start({ dataDir, core, logFile, args, first });
        sides.push({ workers: count, server, org });
        await server.untilAllServe();
      }
      return await measureAll(wanted, sides, openStolenClock(cores));
    } finally {
      await Promise.all(sides.map(({ server }) => server.stop()));
    }
  });
  const promises = judge(measured.figures);
  const [commit, on] = renderMachine({ machine, cores });
  const lines = [
    `Two workers beside one, ${commit}`,
    on,
    ...render(measured, wanted),
    "What is promised",
    ...renderPromises(promises),
    ...renderCalm(measured.figures),
    ...renderCaution(isBrief(wanted)),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (wanted.jsonFile !== undefined) {
    writeResult(wanted.jsonFile, toFigures({ at: new Date().toISOString(), machine, cores, ...measured, promises }));
  }
  const broken = wanted.requiresPromises ? promises.filter((one) => !isKept(one)) : [];
  return broken.map(({ what }) => `What is promised of ${what} does not hold.`);
}

async function fill(dataDir: string): Promise<FilledOrganization> {
  const settings = { databaseUrl: undefined, databaseDirectUrl: undefined, databasePoolSize: 1, secret: undefined };
  const { store } = await openStore({ dataDir, ...settings });
  try {
    return await makeFilledOrganization(store, { name: "Club", players: CLUB_PLAYERS, keys: KEYS });
  } finally {
    await store.close();
  }
}

async function measureAll(wanted: Special, sides: readonly Side[], clock: StolenClock | undefined) {
  const list = {
    method: "GET",
    path: `${BASE_PATH}/players`,
    status: 200,
    count: CLUB_PLAYERS,
    sameUpTo: UP_TO_META,
  } as const;
  const figures: WorkersFigures[] = [];
  const bar = startBar("workers");
  try {
    for (const [index, title] of ["one player", `a list of ${CLUB_PLAYERS}`].entries()) {
      bar.update(index, 2, title);
      figures.push(
        await measureQuestion({ wanted, sides, clock }, title, ({ players }) =>
          index === 0 ? onePlayer(players[0]?.id) : list,
        ),
      );
    }
  } finally {
    bar.end();
  }
  const [oneMB, twoMB] = sides.map(({ server }) => server.readPeakBytes() / 1e6);
  return { figures, peakMB: { one: oneMB ?? 0, two: twoMB ?? 0 } };
}

interface Stage {
  readonly wanted: Special;
  readonly sides: readonly Side[];
  readonly clock: StolenClock | undefined;
}

async function measureQuestion(
  { wanted, sides, clock }: Stage,
  title: string,
  questionOf: (org: FilledOrganization) => Question,
): Promise<WorkersFigures> {
  const entrants: { server: SpawnedServer; open: Connections; next: () => LoadRequest }[] = [];
  for (const { workers, server, org } of sides) {
    const asked: Case = {
      questions: [questionOf(org)],
      requestCount: org.keys.length,
      ask: (index) => ({ question: 0, asking: { key: org.keys[index] ?? "" } }),
    };
    const next = goRound((await readyCase(asked, server.port)).requests);
    const open = await openConnections(server.port, wanted.connections);
    const answers = wanted.isQuick ? QUICK_WARM_UP_ANSWERS : WARM_UP_ANSWERS;
    await open.drive({ durationMs: 500, minAnswers: answers * workers }, next);
    entrants.push({ server, open, next });
  }
  const { rounds, calm } = await takeQuietRounds(clock, wanted.rounds, (turn) =>
    inTurn(entrants, turn, ({ server, open, next }) => measureRound(server, open, next, wanted.roundMs)),
  );
  for (const { open } of entrants) open.close();
  const [one = [], two = []] = transpose(rounds);
  const cpuOf = (some: readonly WorkersRound[]) => some.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
  return { title, one, two, cpuRatio: pairedRatio(cpuOf(two), cpuOf(one)), calm };
}

async function measureRound(
  server: SpawnedServer,
  connections: Connections,
  nextRequest: () => LoadRequest,
  roundMs: number,
): Promise<WorkersRound> {
  const before = server.readCpuUs();
  const { answers, elapsedMs, latenciesMs } = await connections.drive(
    { durationMs: roundMs, minAnswers: 1 },
    nextRequest,
  );
  const loadedCpuUs = server.readCpuUs() - before;
  await sleep(SETTLING_MS);
  return {
    cpuUsPerRequest: (server.readCpuUs() - before) / answers,
    requestsPerSecond: (answers / elapsedMs) * 1_000,
    p99Ms: percentile(latenciesMs, 0.99),
    cores: loadedCpuUs / 1_000 / elapsedMs,
  };
}

function judge(figures: readonly WorkersFigures[]): Promised[] {
  return figures.map(({ title, cpuRatio }) => ({
    what: `${title} by two workers, processor time`,
    measured: cpuRatio.median,
    bound: 1.15,
    sense: "at most",
    unit: "times that of one",
  }));
}

type Measured = Awaited<ReturnType<typeof measureAll>>;

function render({ figures, peakMB }: Measured, wanted: Special): string[] {
  const middle = (rounds: readonly WorkersRound[], figure: keyof WorkersRound) =>
    median(rounds.map((one) => one[figure]));
  const row = (title: string, rounds: readonly WorkersRound[], ratio = "") => [
    title,
    middle(rounds, "cpuUsPerRequest").toFixed(1),
    ratio,
    formatCount(middle(rounds, "requestsPerSecond")),
    formatMs(middle(rounds, "p99Ms")),
    middle(rounds, "cores").toFixed(2),
  ];
  const tables = figures.flatMap(({ title, one, two, cpuRatio }) => [
    ...alignRows([
      [title, "CPU µs/request", "to one worker", "requests/s", "p99 ms", "cores"],
      row("  one worker", one),
      row("  two workers", two, formatSpread(cpuRatio)),
    ]),
    "",
  ]);
  return [
    `${formatRounds(wanted.rounds)} of ${wanted.roundMs / 1_000} s, ${wanted.connections} connections; the servers may use the load's core as well`,
    "",
    ...tables,
    `Peak memory: one worker ${formatCount(peakMB.one)} MB, two ${formatCount(peakMB.two)} MB`,
    "",
  ];
}
