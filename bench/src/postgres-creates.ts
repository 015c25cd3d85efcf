/**
 * `--postgres-creates`: creates on PostgreSQL beside a plain loop of one-row transactions on the same server, in the same rounds; all of one
 * organization, whose writers wait for each other, and spread over 32.
 */
import { join } from "node:path";
import { makeCreates } from "./cases.ts";
import { Contender, pinLoad } from "./contender.ts";
import { withDataFolder } from "./data-folder.ts";
import { type Entrant, enter, measure, type Round, readyCase, type Subject } from "./entrant.ts";
import type { StorePlace } from "./fill-store.ts";
import { type Fixture, type Place, type WantedFixture, WRITTEN_ORGANIZATIONS } from "./fixture.ts";
import { countWritingKeys } from "./key-counts.ts";
import type { LineupStart } from "./lineup-server.ts";
import { describeMachine } from "./machine.ts";
import { type Special, UsageError } from "./options.ts";
import type { PostgresLoopResult } from "./postgres-loop.ts";
import { startBar } from "./progress-bar.ts";
import { isBrief, isKept, type Promised, renderCaution, renderPromises } from "./promises.ts";
import { type Calm, inTurn, mostRounds, renderCalm, takeQuietRounds } from "./quiet-rounds.ts";
import { renderMachine } from "./report.ts";
import { toFigures, writeResult } from "./results-file.ts";
import { type Services, startServices } from "./services.ts";
import { median, pairedRatio, type Spread, transpose } from "./statistics.ts";
import { openStolenClock } from "./stolen-time.ts";
import { alignRows, formatCount, formatMs, formatRounds, formatSpread } from "./text-table.ts";

const SIDES = [
  { place: "written", title: "creates in one organization", bound: 0.4 },
  { place: "manyWritten", title: `creates over ${WRITTEN_ORGANIZATIONS} organizations`, bound: 0.5 },
] as const satisfies readonly { place: Place; title: string; bound: number }[];

const WARM_UP_ANSWERS = 5_000;
const QUICK_WARM_UP_ANSWERS = 500;
const WARM_UP_MAX_MS = 15_000;

interface Figures {
  readonly title: string;
  readonly bound: number;
  readonly rounds: readonly Round[];
  readonly toLoop: Spread;
}

interface Measured {
  readonly figures: readonly Figures[];
  readonly loop: readonly PostgresLoopResult[];
  readonly calm: Calm;
}

export async function measurePostgresCreates(wanted: Special): Promise<string[]> {
  const machine = describeMachine();
  const cores = pinLoad();
  const services = await startServices();
  if (services === undefined) throw new UsageError("--postgres-creates needs PostgreSQL and Redis.");
  const measured = await withDataFolder(wanted.dataRoot, async (runDir) => {
    const contender = (name: string, script: string, isServed = false) =>
      new Contender({ name, script, isServed, core: cores?.server, logFile: join(runDir, `${name}.log`) });
    const [lineup, loop] = [contender("lineup", "lineup-server.ts", true), contender("loop", "postgres-loop.ts")];
    const filler = contender("fill", "fill-store.ts");
    try {
      const at = { dataDir: join(runDir, "data"), ...(await services.makePlace(0)) };
      const fixture = await filler.ask<Fixture>("fill", { ...at, ...wantedFixture(wanted) });
      const port = await lineup.ask<number>("start", at satisfies LineupStart);
      const subject = { contender: lineup, port, fixture, services, putsOff: true };
      const taken = await takeRounds(wanted, subject, loop, at.databaseUrl, openStolenClock(cores));
      await lineup.ask("stop");
      return taken;
    } finally {
      await Promise.all([lineup, loop, filler].map((one) => one.stop()));
      await services.stop();
    }
  });
  const promises = measured.figures.map(judge);
  const [commit, on] = renderMachine({ machine, cores });
  const lines = [
    `Creates on PostgreSQL beside a plain loop, ${commit}`,
    on,
    ...render(measured, wanted),
    "What is promised",
    ...renderPromises(promises),
    ...renderCalm([{ title: "creates", calm: measured.calm }]),
    ...renderCaution(isBrief(wanted)),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (wanted.jsonFile !== undefined) {
    writeResult(wanted.jsonFile, toFigures({ at: new Date().toISOString(), machine, cores, ...measured, promises }));
  }
  const broken = wanted.requiresPromises ? promises.filter((one) => !isKept(one)) : [];
  return broken.map(({ what }) => `What is promised of ${what} does not hold.`);
}

function wantedFixture({ rounds, roundMs }: Special): WantedFixture {
  const loadedMs = SIDES.length * (WARM_UP_MAX_MS + mostRounds(rounds) * roundMs);
  const writingKeys = countWritingKeys({ loadedMs, roundMs, contenders: SIDES.length });
  return { places: SIDES.map(({ place }) => place), readingKeys: 0, writingKeys };
}

async function takeRounds(
  wanted: Special,
  subject: Subject & { readonly services: Services },
  loop: Contender,
  databaseUrl: StorePlace["databaseUrl"],
  clock: ReturnType<typeof openStolenClock>,
): Promise<Measured> {
  const { contender } = subject;
  const bar = startBar("creates");
  const entrants: Entrant[] = [];
  try {
    for (const { place } of SIDES) {
      const ready = await readyCase(makeCreates(subject.fixture[place]), subject.port);
      const entrant = await enter(subject, ready, wanted.connections);
      entrants.push(entrant);
      const minAnswers = wanted.isQuick ? QUICK_WARM_UP_ANSWERS : WARM_UP_ANSWERS;
      await entrant.connections.drive({ durationMs: 500, minAnswers, maxMs: WARM_UP_MAX_MS }, entrant.nextRequest);
    }
    let halted = await contender.halt();
    const { rounds: taken, calm } = await takeQuietRounds(clock, wanted.rounds, async (turn) => {
      bar.update(turn, wanted.rounds, `round ${turn + 1}`);
      const sides = await inTurn(entrants, turn, async (entrant) => {
        const round = await measure(entrant, wanted.roundMs, halted);
        halted = await contender.halt();
        return round;
      });
      const looped = await loop.ask<PostgresLoopResult>("run", { databaseUrl, durationMs: wanted.roundMs });
      return { sides, looped };
    });
    const loops = taken.map(({ looped }) => looped);
    const bySide = transpose(taken.map(({ sides }) => sides));
    const figures = SIDES.map(({ title, bound }, index) => {
      const rounds = bySide[index] ?? [];
      const perSecond = rounds.map((round) => round.requestsPerSecond);
      return { title, bound, rounds, toLoop: pairedRatio(perSecond, loops.map(perSecondOf)) };
    });
    return { figures, loop: loops, calm };
  } finally {
    contender.goOn();
    for (const { connections } of entrants) connections.close();
    bar.end();
  }
}

function perSecondOf({ transactions, elapsedMs }: PostgresLoopResult): number {
  return (transactions / elapsedMs) * 1_000;
}

function judge({ title, bound, toLoop }: Figures): Promised {
  return { what: title, measured: toLoop.median, bound, sense: "at least", unit: "of the plain loop" };
}

function render({ figures, loop }: Measured, wanted: Special): string[] {
  const middle = (rounds: readonly Round[], figure: keyof Round) => median(rounds.map((one) => one[figure] ?? 0));
  const rows = figures.map(({ title, rounds, toLoop }) => [
    `  ${title}`,
    formatCount(middle(rounds, "requestsPerSecond")),
    formatSpread(toLoop),
    formatMs(middle(rounds, "p50Ms")),
    formatMs(middle(rounds, "p99Ms")),
    middle(rounds, "cpuUsPerRequest").toFixed(0),
    middle(rounds, "postgresUsPerRequest").toFixed(0),
    middle(rounds, "redisUsPerRequest").toFixed(0),
  ]);
  return [
    `${formatRounds(wanted.rounds)} of ${wanted.roundMs / 1_000} s, ${wanted.connections} connections`,
    "",
    ...alignRows([
      ["", "a second", "to the loop", "p50 ms", "p99 ms", "CPU µs/create", "PostgreSQL µs", "Redis µs"],
      ["  a plain loop of one-row transactions", formatCount(median(loop.map(perSecondOf)))],
      ...rows,
    ]),
    "",
  ];
}
