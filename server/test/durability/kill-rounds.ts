/**
 * Kills a server in the middle of writes, again and again, and looks each time at what the next one finds. Writers work on
 * players whose teams, assignments, counts and external ids change in the same transaction, so that a transaction cut
 * in two would show.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PERMISSIONS } from "@lineup/api/permissions";
import { fillIn } from "@lineup/api/resource";
import { teamResource } from "@lineup/api/teams";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { teamStore } from "../../src/resources/teams/team-store.ts";
import { makeId } from "../../src/store/ids.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { dropTestStore, openTestStore } from "../test-store.ts";
import { prepareServer, type ServerProcess } from "./server-process.ts";
import { countChanges, findAuditFaults, findContradictions } from "./store-consistency.ts";
import { type Kind, type Resource, WriteLedger } from "./write-ledger.ts";
import { type Team, writeUntilKilled } from "./writers.ts";

export interface KillReport {
  rounds: number;
  acknowledged: number;
  keptUnderWay: number;
  lostUnderWay: number;
}

/** Every folder sees this many kills; then a new one is begun, so that the checks do not grow without end. */
const ROUNDS_PER_FOLDER = 25;
const WRITERS = 6;
/** In every round, however slow the machine is. */
export const ACKNOWLEDGED_MIN = 5;
const KILLED_AFTER_MAX_MS = 250;

/** Throws at the first thing lost, half there or damaged, and then leaves the folder for anyone who wants to look. */
export async function runKillRounds(rounds: number, onRound?: (report: KillReport) => void): Promise<KillReport> {
  const total: KillReport = { rounds: 0, acknowledged: 0, keptUnderWay: 0, lostUnderWay: 0 };
  while (total.rounds < rounds) {
    const dataDir = await mkdtemp(join(tmpdir(), "lineup-kill-"));
    try {
      await killOneFolder(dataDir, Math.min(ROUNDS_PER_FOLDER, rounds - total.rounds), total, onRound);
    } catch (error) {
      throw new Error(`Round ${total.rounds + 1}, in ${dataDir}: ${error instanceof Error ? error.message : error}`);
    }
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
  return total;
}

async function killOneFolder(
  dataDir: string,
  rounds: number,
  total: KillReport,
  onRound: ((report: KillReport) => void) | undefined,
): Promise<void> {
  const env = { LINEUP_LOG_LEVEL: "warn" };
  const before = { ...total };
  let spare = await prepareServer(dataDir, env);
  try {
    const { orgId, teams, keys } = await seed(dataDir, rounds);
    const ledger = new WriteLedger();
    for (let round = 0; round <= rounds; round++) {
      const server = await spare.start();
      spare = await prepareServer(dataDir, env);
      try {
        requireNone(await findFaults(dataDir, orgId, server, keys[0]?.[0] ?? "", ledger));
        if (round > 0) {
          total.rounds++;
          total.acknowledged = before.acknowledged + ledger.acknowledged;
          total.keptUnderWay = before.keptUnderWay + ledger.keptUnderWay;
          total.lostUnderWay = before.lostUnderWay + ledger.lostUnderWay;
          onRound?.(total);
        }
        if (round < rounds) await killAmidWrites(server, keys[round] ?? [], teams, ledger);
      } finally {
        await server.kill();
      }
    }
  } finally {
    await spare.discard();
  }
}

/** Keys for each writer and round, for even the largest tier's minute is short here. */
async function seed(dataDir: string, rounds: number) {
  const store = await openTestStore(dataDir);
  const { id: orgId } = await createOrganization(store, { name: "Killed often", tier: "Enterprise" }, TEST_ORIGIN);
  const keys: string[][] = [];
  for (let round = 0; round < rounds; round++) {
    const made = Array.from({ length: WRITERS }, () =>
      createKey(store, { orgId, name: "Writer", permissions: PERMISSIONS }, TEST_ORIGIN),
    );
    keys.push((await Promise.all(made)).map(({ key }) => key));
  }
  const teams: Team[] = (["LoL", "Valorant", "CS2"] as const).map((game) => ({ id: makeId("team"), game }));
  await store.writeOrg(orgId, TEST_ORIGIN, async (org) => {
    for (const { id, game } of teams) await teamStore.insert(org, fillIn(teamResource, { id, game, name: game }, 1));
  });
  await store.close();
  return { orgId, teams, keys };
}

async function killAmidWrites(
  server: ServerProcess,
  keys: readonly string[],
  teams: readonly Team[],
  ledger: WriteLedger,
): Promise<void> {
  const before = ledger.acknowledged;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const onAcknowledged = () => {
    if (ledger.acknowledged - before >= ACKNOWLEDGED_MIN) resolve();
  };
  const writers = keys.map((key) => writeUntilKilled(server.baseUrl, key, teams, ledger, onAcknowledged));
  const written = Promise.all(writers);
  await Promise.race([enough, written]);
  await Promise.race([sleep(Math.random() * KILLED_AFTER_MAX_MS), written]);
  await server.kill();
  await written;
  if (ledger.acknowledged - before < ACKNOWLEDGED_MIN)
    throw new Error("Too few writes were acknowledged before the kill.");
}

async function findFaults(
  dataDir: string,
  orgId: string,
  server: ServerProcess,
  key: string,
  ledger: WriteLedger,
): Promise<string[]> {
  const [players = [], prospects = [], teams = [], roster = []] = await Promise.all(
    ["players", "prospects", "teams", "roster"].map((path) => readAll(server, key, path)),
  );
  const faults = [
    ...ledger.reconcile("players", players),
    ...ledger.reconcile("prospects", prospects),
    ...(await findContradictions(dataDir)),
    ...(await findAuditFaults(dataDir)),
  ];
  const assigned = new Map(roster.map((entry) => [entry.playerId, entry.teamId]));
  for (const { id, teamId } of players) {
    if ((assigned.get(id) ?? null) !== teamId) faults.push(`the roster shows ${id} in ${assigned.get(id)}`);
  }
  for (const { id, playerCount } of teams) {
    const counted = players.filter(({ teamId }) => teamId === id).length;
    if (playerCount !== counted) faults.push(`${id} shows ${playerCount} players and has ${counted}`);
  }
  // The teams were one write, which no record of changes mentions.
  const { byRevision, byRecord } = await countChanges(dataDir, orgId);
  if (byRevision !== byRecord + 2) faults.push(`revision ${byRevision} after ${byRecord} recorded changes`);
  return faults;
}

async function readAll(server: ServerProcess, key: string, path: Kind | string): Promise<Resource[]> {
  const response = await fetch(`${server.baseUrl}/${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 200) throw new Error(`GET /${path} answered ${response.status}: ${server.log()}`);
  return ((await response.json()) as { data: Resource[] }).data;
}

function requireNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.slice(0, 10).join("\n"));
}
