/**
 * Staff and keys write at random, whatever comes of it. After each write the audit log has told of exactly the records that are shown
 * differently since the one before, with the fields that differ: so who follows it misses nothing, and is told of nothing that stayed as it was.
 */
import type { ActionName } from "@lineup/api/dashboard/actions";
import { ALL_ROLES, GAMES } from "@lineup/api/roles";
import { afterAll, beforeAll, expect, it } from "vitest";
import { drillCount, SEED } from "../drill-count.ts";
import { ManualClock } from "../manual-clock.ts";
import { Random } from "../stale/random.ts";
import { CONTRADICTIONS } from "../store-contradictions.ts";
import { call, makeKey, makeOrg } from "../test-server.ts";
import { runSql } from "../test-store.ts";
import { findUntold, type Look } from "../told-changes.ts";
import { join, makeWorld, type World } from "./dashboard-world.ts";
import { Staff } from "./staff.ts";

const STEPS = drillCount("told-writes", 250, 2_000);
const DAY_MS = 86_400_000;
const clock = new ManualClock(Date.now());
const random = new Random(SEED);
let world: World;
let staff: Staff;
let key: string;
let look: Look;

beforeAll(async () => {
  world = await makeWorld({ clock });
  const orgId = await makeOrg(world.server);
  await join(world.server, orgId, world.userIds.owner, "owner");
  staff = new Staff(world, world.visitors.owner, orgId, () => clock.wallMs());
});
afterAll(() => world?.stop());

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

function listOf(kind: string): Shown[] {
  return [...look.records.values()].filter(({ id }) => id.startsWith(`${kind}_`));
}

const idOf = (kind: string) => random.find(listOf(kind))?.id ?? null;
const moment = () => clock.wallMs() + random.between(-200, 200) * DAY_MS;
const name = () => random.pick(["Vex", "Nyx", "Orb", "Ash"]);
const maybe = <T>(value: T): T | undefined => (random.chance(0.5) ? value : undefined);
const ids = () => maybe({ board: String(random.between(1, 40)) });

const BODIES = {
  player: () => ({
    ign: name(),
    role: random.pick(random.chance(0.5) ? ["Coach", "Analyst", "Substitute"] : ALL_ROLES),
    teamId: maybe(idOf("team")),
    status: maybe(random.pick(["active", "benched"])),
    joinDate: maybe(moment()),
    contractStatus: maybe(random.pick(["unsigned", "active"])),
    externalIds: ids(),
  }),
  team: () => ({ name: name(), game: random.pick(GAMES), status: maybe("inactive"), externalIds: ids() }),
  event: () => ({ title: name(), startsAt: moment(), endsAt: maybe(moment()), teamId: maybe(idOf("team")) }),
  prospect: () => ({
    ign: name(),
    game: random.pick(GAMES),
    role: maybe(random.pick(["Coach", "Analyst"])),
    stage: maybe(random.pick(["trial", "offered"])),
    targetTeamId: maybe(idOf("team")),
    playerId: maybe(idOf("player")),
  }),
  contract: () => ({
    teamId: maybe(idOf("team")),
    status: random.pick(["draft", "pending", "active", "expired", "terminated"]),
    startDate: moment(),
    endDate: maybe(moment()),
    autoRenew: maybe(true),
  }),
} as const;

type Kind = keyof typeof BODIES;
const NOUNS: Readonly<Record<Kind, string>> = {
  player: "Player",
  team: "Team",
  event: "Event",
  prospect: "Prospect",
  contract: "Contract",
};

const SPECIAL: Readonly<Partial<Record<ActionName, readonly [kind: string, body: () => object]>>> = {
  moveEvent: ["event", () => ({ startsAt: moment() })],
  postponeEvent: ["event", () => ({})],
  cancelEvent: ["event", () => ({})],
  completeEvent: ["event", () => ({ result: maybe({ own: 1, opponent: 0 }) ?? null })],
  signContract: ["contract", () => ({})],
  renewContract: ["contract", () => ({ endDate: maybe(moment()) ?? null, status: maybe("active") })],
  terminateContract: ["contract", () => ({})],
  updateAssignment: ["assignment", () => ({ isStarter: random.chance(0.5), isCaptain: random.chance(0.5) })],
  signProspect: [
    "prospect",
    () => ({
      teamId: maybe(idOf("team")),
      role: "Coach",
      contract: maybe({ ...BODIES.contract(), teamId: undefined }),
    }),
  ],
};

function versionOf(record: Shown | undefined): unknown {
  const open = listOf("assignment").find((one) => one.playerId === record?.id && one.leftAt === null);
  return (open ?? record)?.updatedAt;
}

async function act(action: ActionName, recordId: string | undefined, body: object): Promise<boolean> {
  const path = { orgId: staff.orgId, ...(recordId === undefined ? {} : { recordId }) };
  const { status } = await staff.visitor.try(action, { path, body });
  expect([200, 400, 404, 409]).toContain(status);
  return status === 200;
}

const WRITES = {
  async make() {
    const kind = random.pick(Object.keys(BODIES) as Kind[]);
    const owner = kind === "contract" ? { playerId: idOf("player") } : {};
    return act(`create${NOUNS[kind]}` as ActionName, undefined, { ...BODIES[kind](), ...owner });
  },
  async change() {
    const kind = random.pick(Object.keys(BODIES) as Kind[]);
    const record = random.find(listOf(kind));
    const some = Object.entries(BODIES[kind]()).filter(() => random.chance(0.5));
    const body = { ...Object.fromEntries(some), updatedAt: record?.updatedAt };
    return act(`update${NOUNS[kind]}` as ActionName, record?.id ?? "none", body);
  },
  async remove() {
    const kind = random.pick(Object.keys(BODIES) as Kind[]);
    const record = random.find(listOf(kind));
    return act(`delete${NOUNS[kind]}` as ActionName, record?.id ?? "none", { updatedAt: record?.updatedAt });
  },
  async step() {
    const [action, [kind, body]] = random.pick(Object.entries(SPECIAL)) as [ActionName, [string, () => object]];
    const record = random.find(listOf(kind));
    return act(action, record?.id ?? "none", { ...body(), updatedAt: record?.updatedAt });
  },
  async move() {
    const record = random.find(listOf("player"));
    const action = random.pick(["movePlayer", "movePlayer", "undoMove"] as const);
    const flags = { isStarter: maybe(random.chance(0.5)), isCaptain: maybe(random.chance(0.5)) };
    const place = {
      teamId: maybe(idOf("team")),
      role: maybe(random.pick(["Coach", "Analyst", "Substitute"])),
      ...flags,
    };
    return act(action, record?.id ?? "none", { ...(action === "undoMove" ? {} : place), updatedAt: versionOf(record) });
  },
  async api() {
    const kind = random.pick(["player", "prospect"] as const);
    const record = random.chance(0.7) ? random.find(listOf(kind)) : undefined;
    const { playerId: _, ...body } = { playerId: null, ...BODIES[kind]() };
    const path = `/${kind}s${record === undefined ? "" : `/${record.id}`}`;
    const { status } = await call(world.server, record === undefined ? "POST" : "PATCH", path, { key, body });
    expect([200, 201, 400]).toContain(status);
    return status < 300;
  },
};
const WEIGHTS = { make: 3, change: 4, remove: 1, step: 4, move: 4, api: 3 };

it(`after each of ${STEPS} writes, the log has told of what is shown differently`, async () => {
  const succeeded: Record<string, number> = {};
  for (let step = 0; step < STEPS; step++) {
    if (step % 500 === 0) ({ key } = await makeKey(world.server, staff.orgId));
    // Time ends contracts, which nobody writes; and often none passes between two writes.
    if (random.chance(0.5)) clock.advance(random.between(1, 3) * DAY_MS);
    look = await staff.look();
    const kind = random.weighted(WEIGHTS);
    const isDone = await WRITES[kind]();
    if (isDone) succeeded[kind] = (succeeded[kind] ?? 0) + 1;
    const after = await staff.look();
    expect([step, kind, await findUntold(world.server.store, staff.orgId, look, after)]).toEqual([step, kind, []]);
    if (!isDone) expect(after.records).toEqual(look.records);
  }
  // A walk that is refused everywhere would show nothing.
  for (const kind of Object.keys(WEIGHTS)) expect([kind, succeeded[kind] ?? 0]).not.toEqual([kind, 0]);
  for (const [what, statement] of Object.entries(CONTRADICTIONS)) {
    expect([what, await runSql(world.server.dataDir, statement)]).toEqual([what, []]);
  }
});
