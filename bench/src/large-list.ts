/**
 * `--large-list`: a thousand bare lists of 10,000 players, asked by two clients one after another, while others ask for one player at
 * a time. Now and then a player is changed, so that the list has to be read anew. What is measured is what people notice: the first byte
 * of the list, what the server's memory does, and how long the others wait.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BASE_PATH } from "@lineup/api/endpoint";
import { openStore } from "@lineup/server/store/open-store";
import { Caller, type Timing } from "./caller.ts";
import { pinLoad } from "./contender.ts";
import { withDataFolder } from "./data-folder.ts";
import { goRound } from "./entrant.ts";
import { type FilledOrganization, makeFilledOrganization } from "./fill-organization.ts";
import { LARGE_PLAYERS } from "./fixture.ts";
import { imageUrlOf } from "./fixture-rows.ts";
import type { LoadRequest } from "./load.ts";
import { describeMachine } from "./machine.ts";
import type { Special } from "./options.ts";
import { onePlayer, patchBody, patchOf } from "./player-questions.ts";
import { startBar } from "./progress-bar.ts";
import { isKept, type Promised, renderCaution, renderPromises } from "./promises.ts";
import { type Asking, captureAnswer, expectationOf, type Question, requestBytes } from "./question.ts";
import { type Calm, renderCalm, takeQuietRounds } from "./quiet-rounds.ts";
import { renderMachine } from "./report.ts";
import { toFigures, writeResult } from "./results-file.ts";
import { SpawnedServer } from "./spawned-server.ts";
import { median, percentile } from "./statistics.ts";
import { openStolenClock } from "./stolen-time.ts";
import { alignRows, formatCount, formatMs } from "./text-table.ts";

const LISTS = 1_000;
const QUICK_LISTS = 200;
const READERS = 2;
const OTHERS = 8;
/** Between an answer and the next request of one of the others. */
const OTHERS_REST_MS = 3;
/** The list is changed before every round of so many. */
const CHANGED_EVERY = 10;
const MEMORY_LOOKS = 10;
/** The first tenth brings memory to where it stays. */
const SETTLED_FROM = 1;

interface Stock {
  readonly large: FilledOrganization;
  readonly club: FilledOrganization;
}

export async function measureLargeLists(wanted: Special): Promise<string[]> {
  const machine = describeMachine();
  const cores = pinLoad();
  const lists = wanted.isQuick ? QUICK_LISTS : LISTS;
  const measured = await withDataFolder(wanted.dataRoot, async (runDir) => {
    const dataDir = join(runDir, "store");
    const stock = await fill(dataDir);
    const first = { question: onePlayer(stock.club.players[0]?.id), key: stock.club.keys[0] ?? "" };
    const logFile = join(runDir, "server.log");
    const { rounds, calm } = await takeQuietRounds(openStolenClock(cores), 1, async () => {
      const server = await SpawnedServer.start({ dataDir, core: cores?.server, logFile, first });
      try {
        return await askLists(server, stock, lists);
      } finally {
        await server.stop();
      }
    });
    return { ...(rounds[0] as Measured), calm };
  });
  const promises = judge(measured);
  const [commit, on, pinned] = renderMachine({ machine, cores });
  const lines = [
    `${formatCount(lists)} lists of 10,000 players, ${commit}`,
    on,
    pinned,
    "",
    ...render(measured, promises, wanted.isQuick),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (wanted.jsonFile !== undefined) {
    writeResult(wanted.jsonFile, toFigures({ at: new Date().toISOString(), machine, cores, ...measured, promises }));
  }
  const broken = wanted.requiresPromises ? promises.filter((one) => !isKept(one)) : [];
  return broken.map(({ what }) => `What is promised of ${what} does not hold.`);
}

async function fill(dataDir: string): Promise<Stock> {
  const settings = { databaseUrl: undefined, databaseDirectUrl: undefined, databasePoolSize: 1, secret: undefined };
  const { store } = await openStore({ dataDir, ...settings });
  try {
    const large = await makeFilledOrganization(store, { name: "Large", players: LARGE_PLAYERS, keys: 20 });
    const club = await makeFilledOrganization(store, { name: "Club", players: 200, keys: 400 });
    return { large, club };
  } finally {
    await store.close();
  }
}

interface Measured {
  /** Of lists that were kept, and of those that had to be read anew. */
  readonly kept: readonly Timing[];
  readonly renewed: readonly Timing[];
  readonly othersMs: readonly number[];
  /** The most memory in each tenth of the lists. */
  readonly peaksMB: readonly number[];
  readonly listBytes: number;
}

async function askLists(server: SpawnedServer, stock: Stock, count: number): Promise<Measured> {
  const { port } = server;
  const { large } = stock;
  // The first change makes the list as long as it stays.
  const change = patchOf(large.players.at(-1)?.id ?? "");
  const changes = await makeRequests(change, large.keys, port, (index) => patchBody(index));
  const path = `${BASE_PATH}/players`;
  const sameUpTo = imageUrlOf(LARGE_PLAYERS - 1);
  const list = await makeRequests(
    { method: "GET", path, status: 200, count: LARGE_PLAYERS, sameUpTo },
    large.keys,
    port,
  );
  const others = await startOthers(stock, port);
  const bar = startBar("lists");
  const kept: Timing[] = [];
  const renewed: Timing[] = [];
  const peaks: number[] = [];
  let asked = 0;
  const read = async (): Promise<void> => {
    const caller = await Caller.open(port);
    try {
      while (asked < count) {
        const number = asked++;
        if (number % Math.floor(count / MEMORY_LOOKS) === 0 && number > 0) {
          peaks.push(server.readPeakBytes() / 1e6);
          server.resetPeak();
        }
        const isChanged = number % CHANGED_EVERY === 0;
        if (isChanged) await caller.ask(changes());
        (isChanged ? renewed : kept).push(await caller.ask(list()));
        bar.update(number, count, "asked");
      }
    } finally {
      caller.close();
    }
  };
  try {
    await Promise.all(Array.from({ length: READERS }, read));
    peaks.push(server.readPeakBytes() / 1e6);
  } finally {
    bar.end();
  }
  const listBytes = list().expected.bodyLength;
  return { kept, renewed, othersMs: await others.stop(), peaksMB: peaks, listBytes };
}

/** No answer is looked at whole here: to parse a list would hold up the clients, and be counted as the server's. */
async function makeRequests(
  question: Question,
  keys: readonly string[],
  port: number,
  bodyOf?: (index: number) => string,
): Promise<() => LoadRequest> {
  const askings: Asking[] = keys.map((key, index) => ({ key, body: bodyOf?.(index + 1) }));
  const first: Asking = { key: keys[0] ?? "", body: bodyOf?.(0) };
  const expected = {
    ...expectationOf(question, await captureAnswer(question, first, port)),
    wholeOneIn: Number.POSITIVE_INFINITY,
  };
  return goRound(askings.map((asking) => ({ bytes: requestBytes(question, asking), expected })));
}

/** They ask for one player of another organization, at their leisure, until they are told to stop. */
async function startOthers({ club }: Stock, port: number): Promise<{ stop(): Promise<number[]> }> {
  const next = await makeRequests(onePlayer(club.players[0]?.id), club.keys, port);
  const latencies: number[] = [];
  let isOver = false;
  const ask = async (): Promise<void> => {
    const caller = await Caller.open(port);
    try {
      while (!isOver) {
        latencies.push((await caller.ask(next())).wholeMs);
        await sleep(OTHERS_REST_MS);
      }
    } finally {
      caller.close();
    }
  };
  const asking = Promise.all(Array.from({ length: OTHERS }, ask));
  // Who waits for them hears of it; until then it is nobody's.
  asking.catch(() => {});
  return {
    stop: async () => {
      isOver = true;
      await asking;
      return latencies.toSorted((a, b) => a - b);
    },
  };
}

/** What memory grew to after it had settled. */
function growthOf(peaks: readonly number[]): number {
  const settled = peaks.slice(SETTLED_FROM);
  const half = settled.length >> 1;
  return Math.max(...settled.slice(half)) / Math.max(...settled.slice(0, half));
}

function firstBytesOf(timings: readonly Timing[]): number[] {
  return timings.map(({ firstByteMs }) => firstByteMs).toSorted((a, b) => a - b);
}

function judge({ kept, renewed, othersMs, peaksMB }: Measured): Promised[] {
  const first = (title: string, timings: readonly Timing[]): Promised => ({
    what: `first byte of a list ${title}, p99`,
    measured: percentile(firstBytesOf(timings), 0.99),
    bound: 20,
    sense: "at most",
    unit: "ms",
  });
  return [
    first("that is kept", kept),
    first("that is read anew", renewed),
    {
      what: "one player meanwhile, p99",
      measured: percentile(othersMs, 0.99),
      bound: 25,
      sense: "at most",
      unit: "ms",
    },
    {
      what: "memory in the second half",
      measured: growthOf(peaksMB),
      bound: 1.05,
      sense: "at most",
      unit: "of the first",
    },
  ];
}

function render(
  { kept, renewed, othersMs, peaksMB, listBytes, calm }: Measured & { readonly calm: Calm },
  promises: readonly Promised[],
  isQuick: boolean,
): string[] {
  const row = (title: string, sorted: readonly number[]) => [
    `  ${title}`,
    formatCount(sorted.length),
    ...[0.5, 0.99, 0.999, 1].map((share) => formatMs(percentile(sorted, share))),
  ];
  const whole = (timings: readonly Timing[]) => timings.map(({ wholeMs }) => wholeMs).toSorted((a, b) => a - b);
  return [
    ...alignRows([
      ["ms", "times", "p50", "p99", "p99.9", "most"],
      row("a kept list, first byte", firstBytesOf(kept)),
      row(`a kept list, all ${formatCount(listBytes / 1e3)} kB`, whole(kept)),
      row("a list read anew, first byte", firstBytesOf(renewed)),
      row("a list read anew, all of it", whole(renewed)),
      row("one player meanwhile", othersMs),
    ]),
    "",
    `  peak memory in each tenth, MB: ${peaksMB.map((peak) => peak.toFixed(0)).join(", ")} (median ${median(peaksMB).toFixed(0)})`,
    "",
    "What is promised",
    ...renderPromises(promises),
    ...renderCalm([{ title: "the lists", calm }]),
    ...renderCaution(isQuick),
  ];
}
