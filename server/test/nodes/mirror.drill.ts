/** A mirror that is kept by the change feed alone, while eight writers make, change and delete records over three nodes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Change } from "@lineup/api/changes";
import type { SomeResource } from "@lineup/api/endpoints";
import { expect, test } from "vitest";
import { readChanges } from "../../src/events/change-rows.ts";
import { contractRules } from "../../src/resources/contracts/contract-rules.ts";
import { playerRules } from "../../src/resources/players/player-rules.ts";
import { prospectRules } from "../../src/resources/prospects/prospect-rules.ts";
import { changeRecord, createRecord, deleteRecord, type RecordRules, tell } from "../../src/resources/record-writes.ts";
import { scheduleRules } from "../../src/resources/schedule/schedule-rules.ts";
import { teamRules } from "../../src/resources/teams/team-rules.ts";
import { makeId } from "../../src/store/ids.ts";
import { drillCount, SEED } from "../drill-count.ts";
import { hasRedis, makeTestDatabase, requireRedisUrl } from "../services/provided-services.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, type TestServer } from "../test-server.ts";
import { startNodes } from "./node-group.ts";

const WRITES = drillCount("mirror", 300, 10_000);
const NODES = 3;
const WRITERS = 8;
/** Below the minute of an Enterprise key. */
const CALLS_A_KEY = 900;

const LISTS: Readonly<Record<string, string>> = {
  player: "/players",
  team: "/teams",
  roster: "/roster",
  schedule: "/schedule?status=scheduled,live,completed,postponed,cancelled",
  prospect: "/prospects",
  contract: "/contracts",
};
/** Kinds of which one can be read by its id. */
const SINGLE: Readonly<Record<string, string>> = { player: "/players", prospect: "/prospects", contract: "/contracts" };

type Random = (below: number) => number;
type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

class World {
  readonly nodes: readonly TestServer[];
  readonly orgId: string;
  readonly ids: Record<"player" | "team" | "event" | "prospect" | "contract", string[]> = {
    player: [],
    team: [],
    event: [],
    prospect: [],
    contract: [],
  };
  #key = "";
  #calls = CALLS_A_KEY;

  constructor(nodes: readonly TestServer[], orgId: string) {
    this.nodes = nodes;
    this.orgId = orgId;
  }

  nodeAt(index: number): TestServer {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) throw new Error("There are no nodes.");
    return node;
  }

  async get(random: Random, path: string) {
    if (this.#calls >= CALLS_A_KEY) {
      this.#calls = 0;
      this.#key = (await makeKey(this.nodeAt(0), this.orgId)).key;
    }
    this.#calls++;
    return call(this.nodeAt(random(NODES)), "GET", path, { key: this.#key });
  }
}

/** Each is taken by one of the writers at a time, on any node. What has gone meanwhile is not found, and nothing is written. */
async function writeOne({ ids, nodes, orgId, nodeAt }: World, random: Random): Promise<void> {
  const node = nodes[random(nodes.length)] ?? nodeAt(0);
  const pick = (kind: keyof World["ids"]) => ids[kind][random(ids[kind].length)];
  const write = <T>(work: (context: Parameters<typeof createRecord>[0]) => Promise<T>) =>
    node.store.writeOrg(orgId, TEST_ORIGIN, (org) => work({ org, now: Date.now() }));
  const create = async <R extends SomeResource>(kind: keyof World["ids"], rules: RecordRules<R>, given: object) => {
    const made = await write(async (context) => tell(context, await createRecord(context, rules, { ...given })));
    ids[kind].push((made as Shown).id);
  };
  const change = <R extends SomeResource>(rules: RecordRules<R>, id: string | undefined, given: object) =>
    write(async (context) => tell(context, await changeRecord(context, rules, id ?? "", () => ({ ...given }))));
  const remove = async <R extends SomeResource>(kind: keyof World["ids"], rules: RecordRules<R>) => {
    const id = pick(kind);
    if (id === undefined) return;
    await write(async (context) => tell(context, await deleteRecord(context, rules, id)));
    ids[kind] = ids[kind].filter((one) => one !== id);
  };
  const name = `n${random(1_000_000)}`;
  const team = pick("team") ?? null;
  const choices: readonly (() => Promise<unknown>)[] = [
    () => create("player", playerRules, { ign: name, role: "Coach", teamId: team }),
    () => create("player", playerRules, { ign: name, role: "Coach" }),
    () => change(playerRules, pick("player"), { ign: name }),
    () => change(playerRules, pick("player"), { teamId: team }),
    () => change(playerRules, pick("player"), { status: ["active", "benched", "inactive"][random(3)] }),
    () => create("prospect", prospectRules, { ign: name }),
    () => change(prospectRules, pick("prospect"), { notes: name }),
    () => create("team", teamRules, { name, game: "Other" }),
    () => change(teamRules, pick("team"), { name }),
    () => create("event", scheduleRules, { title: name, startsAt: Date.now() + random(1_000_000) }),
    () => change(scheduleRules, pick("event"), { location: name }),
    () =>
      create("contract", contractRules, {
        playerId: pick("player") ?? makeId("player"),
        startDate: 0,
        status: "draft",
      }),
    () => change(contractRules, pick("contract"), { noticePeriodDays: random(90) }),
    () => remove("player", playerRules),
    () => remove("prospect", prospectRules),
    () => remove("event", scheduleRules),
    () => remove("contract", contractRules),
    () => remove("team", teamRules),
  ];
  // Refused is what has gone, or is referred to; both belong to it.
  await choices[random(choices.length)]?.().catch((error: { code?: string }) => {
    if (!["NOT_FOUND", "VALIDATION_ERROR", "CONFLICT", "INVALID_ROLE"].includes(error.code ?? "")) throw error;
  });
}

class Mirror {
  readonly records = new Map<string, Map<string, Shown>>();
  readonly seen: Change[] = [];
  readonly #world: World;
  readonly #random: Random;
  #cursor = "";

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async start(): Promise<void> {
    this.#cursor = (await this.#world.get(this.#random, "/changes")).body.meta.nextCursor;
    for (const kind of Object.keys(LISTS)) await this.#readList(kind);
  }

  /** One page; whether there may be more. */
  async follow(limit: number): Promise<boolean> {
    const path = `/changes?cursor=${this.#cursor}&limit=${limit}`;
    const { body } = await this.#world.get(this.#random, path);
    const changes: readonly Change[] = body.data;
    this.seen.push(...changes);
    for (const [kind, some] of Map.groupBy(changes, ({ type }) => type.split(".")[0] ?? "")) {
      const ids = new Set(some.map(({ resourceId }) => resourceId));
      if (SINGLE[kind] === undefined || ids.size > 5) await this.#readList(kind);
      else for (const id of ids) await this.#readOne(kind, id);
    }
    this.#cursor = body.meta.nextCursor;
    return changes.length === limit;
  }

  async #readList(kind: string): Promise<void> {
    const { body } = await this.#world.get(this.#random, LISTS[kind] ?? "");
    this.records.set(kind, new Map(body.data.map((record: Shown) => [record.id, record])));
  }

  async #readOne(kind: string, id: string): Promise<void> {
    const { status, body } = await this.#world.get(this.#random, `${SINGLE[kind]}/${id}`);
    if (status === 404) this.records.get(kind)?.delete(id);
    else this.records.get(kind)?.set(id, body.data);
  }
}

test.skipIf(!hasRedis())(`equals the lists after ${WRITES} random writes, with random pauses and pages`, async () => {
  const random = makeRandom(SEED);
  const database = await makeTestDatabase();
  const clocksMs = Array.from({ length: NODES }, () => 0);
  const group = await startNodes({ databaseUrl: database.url, redisUrl: requireRedisUrl(), clocksMs });
  const { nodes } = group;
  try {
    const world = new World(nodes, await makeOrg(nodes[0] as TestServer));
    for (let count = 0; count < 30; count++) await writeOne(world, random);
    const mirror = new Mirror(world, random);
    const from = (await world.nodeAt(0).store.org(world.orgId).readAuditEnd()).count;
    await mirror.start();
    let left = WRITES;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (left-- > 0) {
        await writeOne(world, random);
        if (random(20) === 0) await sleep(random(50));
      }
    });
    let isWriting = true;
    const following = (async () => {
      for (let more = true; more || isWriting; ) {
        more = await mirror.follow(1 + random(random(2) === 0 ? 5 : 500));
        if (random(5) === 0) await sleep(random(300));
      }
    })();
    await Promise.all(writers);
    isWriting = false;
    await following;
    while (await mirror.follow(500));
    const all: Change[] = [];
    const org = world.nodeAt(0).store.org(world.orgId);
    for (let at = from; ; ) {
      const { changes, lookedTo, end } = await readChanges(org, at, undefined, 5_000);
      all.push(...changes);
      at = lookedTo;
      if (at >= end) break;
    }
    expect(all.length).toBeGreaterThan(WRITES / 3);
    expect(mirror.seen).toEqual(all);
    for (const [kind, path] of Object.entries(LISTS)) {
      const { data } = (await world.get(random, path)).body;
      const shown = [...(mirror.records.get(kind)?.values() ?? [])];
      const byId = (a: Shown, b: Shown) => (a.id < b.id ? -1 : 1);
      expect(shown.sort(byId), kind).toEqual((data as Shown[]).sort(byId));
    }
  } finally {
    await group.stop();
    await database.drop();
  }
});
