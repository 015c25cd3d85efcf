/**
 * A random walk over a running server: several organizations at once, each with a walker and a model of its own, in rounds. Within a
 * round the clock stands still; between two rounds it moves, by milliseconds or by months, and often to just before, exactly at and
 * just after a moment at which something changes by itself. Everything follows from the seed.
 */
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import type { Store } from "../../src/store/store.ts";
import type { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { TestServer } from "../test-server.ts";
import type { Door, WalkerParts } from "./asker.ts";
import { KeyRing } from "./key-ring.ts";
import { Line } from "./line.ts";
import { Model } from "./model.ts";
import { Random } from "./random.ts";
import { Tally } from "./tally.ts";
import { Walker } from "./walker.ts";

export interface WalkOptions {
  readonly servers: readonly [TestServer, ...TestServer[]];
  /** The time of all servers. */
  readonly clock: ManualClock;
  /** A store that none of the servers has open, on the same data. */
  readonly elsewhere: Store;
  readonly seesAtOnce: boolean;
  /** Whether the servers count requests by the clock that is given them. */
  readonly countsHere: boolean;
  readonly tiers: Readonly<Partial<Record<Tier, number>>>;
  readonly seed: number;
  readonly steps: number;
  readonly organizations: number;
}

const LINES_A_DOOR = 5;
const ACTIONS_A_ROUND_MAX = 4;

export async function walk(options: WalkOptions): Promise<Tally> {
  const tally = new Tally();
  const lines: Line[] = [];
  try {
    const numbers = Array.from({ length: options.organizations }, (_, index) => index);
    const walkers = await Promise.all(numbers.map((index) => openWalker(options, index, tally, lines)));
    await Promise.all(walkers.map((walker) => walker.begin()));
    await walkOn(options, walkers, tally);
    return tally;
  } catch (error) {
    throw new Error(`To walk this way again, run the drill with seed=${options.seed}.`, { cause: error });
  } finally {
    for (const line of lines) line.end();
  }
}

async function walkOn({ seed, steps, clock }: WalkOptions, walkers: readonly Walker[], tally: Tally): Promise<void> {
  const random = new Random(seed);
  const mover = new TimeMover(random, clock, walkers, tally);
  const share = Math.ceil(steps / walkers.length);
  for (;;) {
    const going = walkers.filter((walker) => walker.steps < share);
    if (going.length === 0) return;
    const rounds = going.map((walker) => ({ walker, actions: random.between(1, ACTIONS_A_ROUND_MAX) }));
    await Promise.all(
      rounds.map(async ({ walker, actions }) => {
        for (let left = actions; left > 0; left--) await walker.act();
      }),
    );
    mover.move();
  }
}

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

class TimeMover {
  readonly #random: Random;
  readonly #clock: ManualClock;
  readonly #walkers: readonly Walker[];
  readonly #tally: Tally;
  /** Moments to stop at, the next one first. */
  #ahead: number[] = [];

  constructor(random: Random, clock: ManualClock, walkers: readonly Walker[], tally: Tally) {
    this.#random = random;
    this.#clock = clock;
    this.#walkers = walkers;
    this.#tally = tally;
  }

  move(): void {
    const now = this.#clock.wallMs();
    const next = this.#ahead.shift();
    if (next !== undefined) {
      this.#goTo(next, now);
      return;
    }
    const random = this.#random;
    const kind = random.weighted({ nothing: 10, boundary: 40, short: 20, hours: 20, days: 8, months: 1, back: 1 });
    this.#tally.count("time", kind);
    if (kind === "boundary") this.#goToBoundary(now);
    else if (kind === "short") this.#clock.advance(random.between(1, 90 * SECOND_MS));
    else if (kind === "hours") this.#clock.advance(random.between(1, 20 * HOUR_MS));
    else if (kind === "days") this.#clock.advance(random.between(1, 20 * DAY_MS));
    else if (kind === "months") this.#clock.advance(random.between(1, 100 * DAY_MS));
    else if (kind === "back") this.#goTo(now - random.between(1, random.pick([10, HOUR_MS, 2 * DAY_MS])), now);
  }

  /** Back, where somebody sets the clock right. */
  #goTo(moment: number, now: number): void {
    if (moment >= now) this.#clock.advance(moment - now);
    else this.#clock.jumpWall(moment - now);
  }

  /** One that is near; or whole days before it, where days are counted. */
  #goToBoundary(now: number): void {
    const moments = this.#random.pick(this.#walkers).moments();
    const daysBefore = this.#random.chance(0.5) ? 0 : this.#random.pick([1, 2, 7, 30]);
    const ahead = moments
      .map((moment) => moment - daysBefore * DAY_MS)
      .filter((moment) => moment > now + 1)
      .sort((a, b) => a - b);
    const moment = ahead[this.#random.between(0, 2)] ?? ahead[0];
    if (moment === undefined) return;
    this.#ahead = this.#random.chance(0.2) ? [moment, moment - 1, moment, moment + 1] : [moment, moment + 1];
    this.#clock.advance(moment - 1 - now);
  }
}

async function openWalker(options: WalkOptions, index: number, tally: Tally, lines: Line[]): Promise<Walker> {
  const { servers, clock, elsewhere, seed, seesAtOnce, countsHere, tiers } = options;
  const [{ store }] = servers;
  const now = clock.wallMs();
  const name = `Ørg ${index}`;
  const org = await createOrganization(store, { name, tier: "Enterprise" }, TEST_ORIGIN, now);
  const wanted = { orgId: org.id, name: "Main", permissions: PERMISSIONS };
  const made = await createKey(store, wanted, TEST_ORIGIN, now);
  const facts = { expiresAt: null, isRevoked: false, isRotated: false, counted: [] };
  const main = { id: made.id, secret: made.key, name: wanted.name, permissions: PERMISSIONS, ...facts };
  const doors = servers.map((server) => openDoor(server, lines));
  return new Walker({
    name: `Seed ${seed}, organization ${index}`,
    random: new Random(seed * 1_000 + index + 1),
    clock,
    model: new Model(),
    ring: new KeyRing(org.id, name, main, clock, countsHere),
    doors: doors as unknown as WalkerParts["doors"],
    elsewhere,
    seesAtOnce,
    tiers,
    tally,
  });
}

function openDoor({ origin, store }: TestServer, lines: Line[]): Door {
  const open = () => Array.from({ length: LINES_A_DOOR }, () => new Line(origin));
  const [plainLines, otherLines] = [open(), open()];
  lines.push(...plainLines, ...otherLines);
  return { plainLines, otherLines, store };
}
