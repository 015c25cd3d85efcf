/** `--grow`: what an answer costs when the store is large, beside a small one, in one run; and how such a store starts and what it takes. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { REQUESTS_FILE, STORE_FILE } from "@lineup/server/store/data-folder";
import { type Cores, pinLoad } from "./contender.ts";
import { withDataFolder } from "./data-folder.ts";
import { goRound, SETTLING_MS } from "./entrant.ts";
import { GROWTH_KINDS, GROWTH_TITLES, type GrowthKind, makeGrowthRequests } from "./growth-load.ts";
import { type GrownStore, growStore } from "./growth-store.ts";
import { type Connections, type LoadRequest, openConnections } from "./load.ts";
import { describeMachine } from "./machine.ts";
import type { Growing } from "./options.ts";
import { onePlayer } from "./player-questions.ts";
import { startBar } from "./progress-bar.ts";
import { isBrief, isKept, type Promised, renderCaution, renderPromises } from "./promises.ts";
import { type Calm, inTurn, renderCalm, takeQuietRounds } from "./quiet-rounds.ts";
import { renderMachine } from "./report.ts";
import { toFigures, writeResult } from "./results-file.ts";
import { SpawnedServer } from "./spawned-server.ts";
import { median, pairedRatio, percentile, type Spread, transpose } from "./statistics.ts";
import { openStolenClock, type StolenClock } from "./stolen-time.ts";
import { alignRows, formatCount, formatMs, formatRounds, formatSpread } from "./text-table.ts";

const SMALL = { players: 1_000, organizations: 5, keys: 6_800, logRows: 0 };
const WARM_UP_MS = 1_500;
/** Until the code of both servers is compiled, as far as it is going to be; a slower one has as many of them. */
const WARM_UP_ANSWERS: Readonly<Record<GrowthKind, number>> = {
  player: 20_000,
  playerUnkept: 12_000,
  list: 10_000,
  listUnkept: 1_000,
};
const STARTS = 3;
const COMMAND = fileURLToPath(new URL("../../server/bin/lineup.mjs", import.meta.url));

interface GrowthRound {
  readonly cpuUsPerRequest: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

interface GrowthFigures {
  readonly kind: GrowthKind;
  readonly small: readonly GrowthRound[];
  readonly large: readonly GrowthRound[];
  readonly cpuRatio: Spread;
  /** The most memory that each server had meanwhile. */
  readonly peakBytes: { readonly small: number; readonly large: number };
  readonly calm: Calm;
}

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

interface Loaded {
  readonly server: SpawnedServer;
  readonly store: GrownStore;
}

export async function grow(wanted: Growing): Promise<string[]> {
  const machine = describeMachine();
  const result = await withDataFolder(wanted.dataRoot, async (runDir) => {
    const { players, organizations, keys, logRows } = wanted;
    const largeDir = join(wanted.keeps ? wanted.dataRoot : runDir, "grown");
    const grownAt = performance.now();
    const large = await growStore(largeDir, { players, organizations, keys, logRows });
    const grownMs = performance.now() - grownAt;
    const small = await growStore(join(runDir, "small"), SMALL);
    const audit = verifyAudit(largeDir);
    // Only now, so that making the stores may use all cores.
    const cores = pinLoad();
    const measured = await measureBoth(wanted, cores, { runDir, largeDir, large, small });
    const bytes = { store: sizeOf(largeDir, STORE_FILE), requestLog: sizeOf(largeDir, REQUESTS_FILE) };
    return { at: new Date().toISOString(), machine, cores, wanted, grownMs, audit, bytes, ...measured };
  });
  const promises = judge(result);
  process.stdout.write(`${render(result, promises).join("\n")}\n`);
  if (wanted.jsonFile !== undefined) writeResult(wanted.jsonFile, toFigures({ ...result, promises }));
  const broken = wanted.requiresPromises ? promises.filter((one) => !isKept(one)) : [];
  return broken.map(({ what }) => `What is promised of ${what} does not hold.`);
}

interface Stores {
  readonly runDir: string;
  readonly largeDir: string;
  readonly large: GrownStore;
  readonly small: GrownStore;
}

async function measureBoth(wanted: Growing, cores: Cores | undefined, { runDir, largeDir, large, small }: Stores) {
  const running = new Set<SpawnedServer>();
  const start = async (name: string, dataDir: string, store: GrownStore): Promise<Loaded> => {
    const org = store.organizations[0];
    const first = { question: onePlayer(org?.players[0]?.id), key: org?.keys[0] ?? "" };
    const logFile = join(runDir, `${name}.log`);
    const server = await SpawnedServer.start({ dataDir, core: cores?.server, logFile, first });
    running.add(server);
    return { server, store };
  };
  const clock = openStolenClock(cores);
  const bar = startBar("growth");
  try {
    const smallServer = await start("small", join(runDir, "small"), small);
    let largeServer = await start("large", largeDir, large);
    const firstStart = startOf(largeServer);
    const startPeakBytes = largeServer.server.readPeakBytes();
    const figures: GrowthFigures[] = [];
    for (const [index, kind] of GROWTH_KINDS.entries()) {
      bar.update(index, GROWTH_KINDS.length, GROWTH_TITLES[kind]);
      figures.push(await measureKind(kind, { wanted, clock, small: smallServer, large: largeServer }));
    }
    // After a load there is more to take up again: what the keys have used of their limits.
    const later = await takeQuietRounds(clock, STARTS - 1, async () => {
      await largeServer.server.stop();
      largeServer = await start("large", largeDir, large);
      return startOf(largeServer);
    });
    return { figures, startPeakBytes, starts: [firstStart, ...later.rounds], startsCalm: later.calm };
  } finally {
    bar.end();
    await Promise.all([...running].map((server) => server.stop()));
  }
}

function startOf({ server }: Loaded): Start {
  return { ms: server.startMs, cpuMs: server.startCpuMs };
}

interface Stage {
  readonly wanted: Growing;
  readonly clock: StolenClock | undefined;
  readonly small: Loaded;
  readonly large: Loaded;
}

async function measureKind(kind: GrowthKind, { wanted, clock, small, large }: Stage): Promise<GrowthFigures> {
  const { rounds, roundMs, connections } = wanted;
  const warmUp = { durationMs: WARM_UP_MS, minAnswers: WARM_UP_ANSWERS[kind] };
  const sides: { server: SpawnedServer; open: Connections; nextRequest: () => LoadRequest; perMs: number }[] = [];
  for (const { server, store } of [small, large]) {
    server.resetPeak();
    const nextRequest = goRound(await makeGrowthRequests(kind, store, server.port));
    const open = await openConnections(server.port, connections);
    const { answers, elapsedMs } = await open.drive(warmUp, nextRequest);
    sides.push({ server, open, nextRequest, perMs: answers / elapsedMs });
  }
  // As many of both, so that what a server does once a second is shared by as many answers.
  const requests = Math.ceil(Math.min(...sides.map(({ perMs }) => perMs)) * roundMs);
  const taken = await takeQuietRounds(clock, rounds, (turn) =>
    inTurn(sides, turn, ({ server, open, nextRequest }) => measureRound(server, open, nextRequest, requests)),
  );
  for (const { open } of sides) open.close();
  const [smallRounds = [], largeRounds = []] = transpose(taken.rounds);
  const cpuOf = (some: readonly GrowthRound[]) => some.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
  return {
    kind,
    small: smallRounds,
    large: largeRounds,
    cpuRatio: pairedRatio(cpuOf(largeRounds), cpuOf(smallRounds)),
    peakBytes: { small: small.server.readPeakBytes(), large: large.server.readPeakBytes() },
    calm: taken.calm,
  };
}

async function measureRound(
  server: SpawnedServer,
  connections: Connections,
  nextRequest: () => LoadRequest,
  requests: number,
): Promise<GrowthRound> {
  const before = server.readCpuUs();
  const span = { durationMs: 0, minAnswers: requests, maxRequests: requests };
  const { answers, elapsedMs, latenciesMs } = await connections.drive(span, nextRequest);
  await sleep(SETTLING_MS);
  return {
    cpuUsPerRequest: (server.readCpuUs() - before) / answers,
    requestsPerSecond: (answers / elapsedMs) * 1_000,
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

/** What the store's own command says of its audit log, before anybody serves it. */
function verifyAudit(dataDir: string): { readonly isContent: boolean; readonly said: string; readonly ms: number } {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, "audit", "verify"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LINEUP_DATA_DIR: dataDir },
  });
  const said = (status === 0 ? stdout : stderr).trim().split("\n").at(-1) ?? "";
  return { isContent: status === 0, said, ms: performance.now() - startedAt };
}

function sizeOf(dataDir: string, file: string): number {
  return statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0;
}

type Measured = Awaited<ReturnType<typeof measureBoth>>;
type GrowthResult = Measured & {
  readonly machine: ReturnType<typeof describeMachine>;
  readonly cores: Cores | undefined;
  readonly wanted: Growing;
  readonly grownMs: number;
  readonly audit: ReturnType<typeof verifyAudit>;
  readonly bytes: { readonly store: number; readonly requestLog: number };
};

function judge({ figures, startPeakBytes, starts }: GrowthResult): Promised[] {
  const peakBytes = Math.max(startPeakBytes, ...figures.map((one) => one.peakBytes.large));
  return [
    ...figures.map(({ kind, cpuRatio }) => ({
      what: `${GROWTH_TITLES[kind]}, processor time`,
      measured: cpuRatio.median,
      bound: 1.2,
      sense: "at most" as const,
      unit: "times that of the small store",
    })),
    { what: "memory under load", measured: peakBytes / 1e6, bound: 300, sense: "at most", unit: "MB" },
    {
      what: "start to first answer",
      measured: median(starts.map(({ ms }) => ms)) / 1_000,
      bound: 1.5,
      sense: "at most",
      unit: "s",
    },
  ];
}

function render(result: GrowthResult, promises: readonly Promised[]): string[] {
  const { wanted, figures, bytes, starts, audit } = result;
  const middle = (some: readonly GrowthRound[], figure: keyof GrowthRound) => median(some.map((one) => one[figure]));
  const rows = figures.map(({ kind, small, large, cpuRatio, peakBytes }) => [
    `  ${GROWTH_TITLES[kind]}`,
    middle(small, "cpuUsPerRequest").toFixed(1),
    middle(large, "cpuUsPerRequest").toFixed(1),
    formatSpread(cpuRatio),
    formatCount(middle(small, "requestsPerSecond")),
    formatCount(middle(large, "requestsPerSecond")),
    formatMs(middle(small, "p99Ms")),
    formatMs(middle(large, "p99Ms")),
    formatCount(peakBytes.small / 1e6),
    formatCount(peakBytes.large / 1e6),
  ]);
  const head = [
    "CPU µs/request",
    "small",
    "large",
    "ratio",
    "requests/s small",
    "large",
    "p99 ms small",
    "large",
    "peak MB small",
    "large",
  ];
  const [commit, machine, pinned] = renderMachine(result);
  return [
    `${formatCount(wanted.players)} players of ${formatCount(wanted.organizations)} organizations, ${formatCount(wanted.keys)} keys, ` +
      `${formatCount(wanted.logRows)} requests in the log, beside ${formatCount(SMALL.players)} players; ${commit}`,
    `${machine}`,
    `${formatRounds(wanted.rounds)} of ${wanted.roundMs / 1_000} s, ${wanted.connections} connections, ${pinned}`,
    `made in ${(result.grownMs / 1_000).toFixed(0)} s: a store of ${formatCount(bytes.store / 1e6)} MB, a request log of ` +
      `${formatCount(bytes.requestLog / 1e6)} MB; audit verify in ${(audit.ms / 1_000).toFixed(1)} s: ${audit.said}`,
    "",
    ...alignRows([head, ...rows]),
    "",
    `  start to first answer: ${starts.map(({ ms, cpuMs }) => `${(ms / 1_000).toFixed(2)} s (CPU ${(cpuMs / 1_000).toFixed(2)} s)`).join(", ")}; the first before the load`,
    `  peak memory at the start: ${formatCount(result.startPeakBytes / 1e6)} MB`,
    "",
    "What is promised",
    ...renderPromises(promises),
    ...renderCalm([
      ...figures.map(({ kind, calm }) => ({ title: GROWTH_TITLES[kind], calm })),
      { title: "the starts", calm: result.startsCalm },
    ]),
    ...renderCaution(isBrief(wanted)),
    ...(audit.isContent ? [] : ["  The audit log of the large store is NOT WHOLE."]),
  ];
}
