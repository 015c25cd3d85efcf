/**
 * Plays the same random requests against a server on the embedded store and one on PostgreSQL, one after another and with the same
 * clock, and holds every answer of one against the other's. Everything follows from the seed. The requests come in chapters:
 * each begins with new organizations, has a seed of its own, and can be played again without those before it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERMISSIONS } from "@lineup/api/permissions";
import fc from "fast-check";
import { DatabaseError } from "pg";
import { createKey } from "../../src/access/key-admin.ts";
import { makeKey as makeKeyText } from "../../src/access/key-format.ts";
import { createOrganization, setTier } from "../../src/access/organizations.ts";
import type { Store } from "../../src/store/store.ts";
import { type Seed, seedOrganization } from "../contract/seed.ts";
import { SEED_NOW } from "../contract/seed-records.ts";
import { ManualClock } from "../manual-clock.ts";
import type { TestDatabase, TestDatabaseOptions } from "../services/test-database.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { ask, cursorOf, endConnections, findDifference, IdPairs, type StepAnswer } from "./step-answers.ts";
import { PLACEHOLDER, type Step, steps } from "./step-requests.ts";

export interface InStepOptions {
  readonly databaseUrl: string;
  readonly requests: number;
  readonly seed: number;
  onProgress?(played: number): void;
}

export interface InStepReport {
  readonly played: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly pagesFollowed: number;
}

const CHAPTER = 1_000;
const CURSORS_KEPT = 40;
/** Of the small organization beside, whose tier changes as the steps go on. */
const NEIGHBOUR_TIERS = ["Free", "Basic", "Pro"] as const;

/** The embedded store's, then PostgreSQL's. */
type Pair<T> = readonly [T, T];

/** Throws at the first difference, with all that is needed to see it again. */
export async function playInStep(options: InStepOptions): Promise<InStepReport> {
  const clock = new ManualClock(SEED_NOW);
  const dataDirs: Pair<string> = [await makeFolder(), await makeFolder()];
  const servers: TestServer[] = [];
  try {
    for (const [index, databaseUrl] of [undefined, options.databaseUrl].entries()) {
      const dataDir = dataDirs[index] ?? "";
      servers.push(await startTestServer({ clock, dataDir, config: { databaseUrl, databasePoolSize: 4 } }));
    }
    return await playChapters(servers as unknown as Pair<TestServer>, clock, options);
  } finally {
    endConnections();
    for (const server of servers) await server.stop();
    for (const folder of dataDirs) await rm(folder, { recursive: true, force: true });
  }
}

function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "lineup-in-step-"));
}

async function playChapters(
  servers: Pair<TestServer>,
  clock: ManualClock,
  { requests, seed, onProgress }: InStepOptions,
): Promise<InStepReport> {
  const report = { played: 0, statuses: {} as Record<string, number>, pagesFollowed: 0 };
  for (let chapter = 0; report.played < requests; chapter++) {
    const numRuns = Math.min(CHAPTER, requests - report.played);
    const chapterSeed = seed + chapter;
    const [left, right] = [await Stage.open(servers[0], clock), await Stage.open(servers[1], clock)];
    const play = new Play([left, right], clock);
    for (const [index, step] of fc.sample(steps, { numRuns, seed: chapterSeed }).entries()) {
      const [answer, difference] = await play.take(step, index);
      report.played++;
      report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
      if (difference !== undefined) throw differ(chapterSeed, index, step, difference);
      if (report.played % 500 === 0) onProgress?.(report.played);
    }
    report.pagesFollowed += play.pagesFollowed;
  }
  return report;
}

function differ(seed: number, index: number, step: Step, difference: string): Error {
  return new Error(
    `${difference}\nThe request was: ${step.method} ${step.target} (as ${step.as}${step.cursor === undefined ? "" : `, by cursor ${step.cursor}`})\n` +
      `${step.body === undefined ? "" : `with the body ${JSON.stringify(step.body.toString())}\n`}` +
      `It was number ${index + 1} of the chapter. To play it again: npm run drills -- seed=${seed} in-step=${index + 1}`,
  );
}

/** One that by itself sorts as people do, where PostgreSQL can: what it thinks of order must not count. */
export function makeOddlySorted(make: (options: TestDatabaseOptions) => Promise<TestDatabase>): Promise<TestDatabase> {
  return make({ locale: "en-US" }).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code === SYNTAX_ERROR) return make({ empty: true });
    throw error;
  });
}

/** What version 14 says to it. */
const SYNTAX_ERROR = "42601";

type Ids = Record<string, string[]>;

/** One server's part of a chapter: its organizations, their keys, and the ids that it knows. */
class Stage {
  readonly server: TestServer;
  readonly keys: Readonly<Record<Step["as"], string | undefined>>;
  readonly neighbourId: string;
  /** By owner, then by kind. */
  readonly ids: Pair<Ids>;
  readonly cursors: { readonly path: string; readonly cursor: string }[] = [];

  private constructor(server: TestServer, keys: Stage["keys"], neighbourId: string, ids: Pair<Ids>) {
    this.server = server;
    this.keys = keys;
    this.neighbourId = neighbourId;
    this.ids = ids;
  }

  static async open(server: TestServer, clock: ManualClock): Promise<Stage> {
    const { store } = server;
    const [own, neighbour] = [await openOrg(store, "Enterprise", clock), await openOrg(store, "Free", clock)];
    const keyFor = async ({ orgId }: Seed, permissions: readonly string[]) =>
      (await createKey(store, { orgId, name: "Söme key", permissions }, TEST_ORIGIN, clock.wallMs())).key;
    const keys = {
      owner: await keyFor(own, PERMISSIONS),
      reader: await keyFor(own, ["teams:read", "contracts:read"]),
      neighbour: await keyFor(neighbour, PERMISSIONS),
      stranger: makeKeyText(),
      nobody: undefined,
    };
    return new Stage(server, keys, neighbour.orgId, [idsOf(own), idsOf(neighbour)]);
  }

  /** The step as this server is to be asked it. */
  ask(step: Step): Promise<StepAnswer> {
    const going = step.cursor === undefined ? undefined : this.cursors[step.cursor % this.cursors.length];
    const target = going === undefined ? this.#fill(step.target) : `${going.path}?cursor=${going.cursor}`;
    const key = this.keys[step.as];
    return ask({
      method: step.method,
      url: this.server.baseUrl + target,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(step.contentType === undefined ? {} : { "content-type": step.contentType }),
      },
      body: typeof step.body === "string" ? this.#fill(step.body) : step.body,
    });
  }

  /** Remembers what later steps may name. */
  learn(step: Step, answer: StepAnswer): void {
    const [created] = answer.status === 201 ? (/(?:player|prospect)_\w{26}/.exec(answer.text) ?? []) : [];
    if (created !== undefined) this.ids[step.as === "neighbour" ? 1 : 0][created.split("_")[0] ?? ""]?.push(created);
    const cursor = step.as === "owner" ? cursorOf(answer) : undefined;
    if (cursor === undefined) return;
    const link = answer.headers[answer.headers.indexOf("Link") + 1] ?? "";
    this.cursors.push({ path: /\/v1(\/[^?]+)/.exec(link)?.[1] ?? "", cursor });
    if (this.cursors.length > CURSORS_KEPT) this.cursors.shift();
  }

  #fill(text: string): string {
    return text.replaceAll(PLACEHOLDER, (whole, kind: string, owner: string, number: string) => {
      const known = this.ids[owner === "0" ? 0 : 1][kind] ?? [];
      return known[Number(number) % known.length] ?? whole;
    });
  }
}

async function openOrg(store: Store, tier: string, clock: ManualClock): Promise<Seed> {
  const { id } = await createOrganization(store, { name: `Ørg ${tier}`, tier }, TEST_ORIGIN, clock.wallMs());
  return seedOrganization(store, id);
}

function idsOf(seed: Seed): Ids {
  const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);
  return {
    player: ids(seed.players),
    team: ids(Object.values(seed.teams)),
    prospect: ids(seed.prospects),
    contract: ids(seed.contracts),
  };
}

class Play {
  readonly #stages: Pair<Stage>;
  readonly #clock: ManualClock;
  readonly #pairs = new IdPairs();
  pagesFollowed = 0;

  constructor(stages: Pair<Stage>, clock: ManualClock) {
    this.#stages = stages;
    this.#clock = clock;
  }

  async take(step: Step, index: number): Promise<readonly [StepAnswer, string | undefined]> {
    const [left, right] = this.#stages;
    this.#clock.advance(step.advanceMs);
    if (index % 100 === 99) await this.#changeTier(NEIGHBOUR_TIERS[((index / 100) % 3) | 0] ?? "Free");
    if (step.cursor !== undefined && left.cursors.length > 0) this.pagesFollowed++;
    const [ours, theirs] = await Promise.all([left.ask(step), right.ask(step)]);
    const difference = findDifference(this.#pairs, ours, theirs);
    left.learn(step, ours);
    right.learn(step, theirs);
    return [ours, difference];
  }

  async #changeTier(tier: string): Promise<void> {
    for (const { server, neighbourId } of this.#stages) {
      await setTier(server.store, neighbourId, tier, TEST_ORIGIN, this.#clock.wallMs());
    }
  }
}
