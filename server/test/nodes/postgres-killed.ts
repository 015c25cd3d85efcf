/**
 * Kills PostgreSQL in the middle of writes, again and again, and looks each time at what the server finds when it is back. The
 * server itself goes on: writes under way are answered INTERNAL_ERROR, and it serves again by itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createOrganization } from "../../src/access/organizations.ts";
import { makeId } from "../../src/store/ids.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import { startOwnPostgres } from "../services/postgres.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, startTestServer, type TestServer } from "../test-server.ts";
import { waitUntil } from "./wait-until.ts";

export interface PostgresKillReport {
  rounds: number;
  /** Writes that were answered with success. */
  acknowledged: number;
  /** Of them, those that are gone or differ. */
  lost: number;
  /** Writes that were answered INTERNAL_ERROR, and how many of them are there all the same. */
  failed: number;
  keptThoughFailed: number;
  /** From the moment PostgreSQL accepts connections to the first answer of success, the longest. */
  slowestReturnMs: number;
}

const WRITERS = 6;
const KILLED_AFTER_MAX_MS = 250;
const RETURN_WITHIN_MS = 15_000;
/** Before a kill, in every round: on a busy machine they take their time. */
export const ACKNOWLEDGED_MIN = 5;
/** A round's keys are its own: even the largest tier's minute is short here. */
const ENTERPRISE = "Enterprise";

export async function runPostgresKillRounds(
  rounds: number,
  onRound?: (report: PostgresKillReport) => void,
): Promise<PostgresKillReport> {
  const report = { rounds: 0, acknowledged: 0, lost: 0, failed: 0, keptThoughFailed: 0, slowestReturnMs: 0 };
  // As a server that was told to be quick rather than safe: anyone who answers "done" must not go by that.
  const postgres = await startOwnPostgres({ fsync: true, settings: { synchronous_commit: "off" } });
  try {
    const databaseUrl = postgres.url("postgres");
    await (await openPostgresStore({ url: databaseUrl })).store.close();
    const server = await startTestServer({ config: { databaseUrl } });
    try {
      const { id: orgId } = await createOrganization(
        server.store,
        { name: "Killed often", tier: ENTERPRISE },
        TEST_ORIGIN,
      );
      const written = new Map<string, string>();
      for (let round = 0; round < rounds; round++) {
        const key = (await makeKey(server, orgId)).key;
        const { failed, areAcknowledged, writing } = startWriters(server, key, written);
        await areAcknowledged;
        await sleep(Math.random() * KILLED_AFTER_MAX_MS);
        await postgres.kill();
        await writing;
        await postgres.start();
        const returnMs = await waitUntil(
          "the server serves again",
          async () => (await call(server, "GET", `/players/${makeId("player")}`, { key })).status === 404,
          RETURN_WITHIN_MS,
        );
        report.slowestReturnMs = Math.max(report.slowestReturnMs, returnMs);
        await compare(server, key, written, failed, report);
        report.rounds++;
        onRound?.(report);
      }
    } finally {
      await server.stop();
    }
  } finally {
    await postgres.remove();
  }
  return report;
}

function startWriters(server: TestServer, key: string, written: Map<string, string>) {
  const { promise: areAcknowledged, resolve } = Promise.withResolvers<void>();
  let acknowledged = 0;
  const failed = new Set<string>();
  const write = async (): Promise<void> => {
    for (;;) {
      const ign = `w${makeId("player").slice(-20)}`;
      const { status, body } = await call(server, "POST", "/players", { key, body: { ign, role: "Player" } });
      if (status === 201) {
        written.set(body.data.id, ign);
        if (++acknowledged === ACKNOWLEDGED_MIN) resolve();
        continue;
      }
      if (body.error.code !== "INTERNAL_ERROR") throw new Error(`A write was answered ${status}: ${body.error.code}`);
      failed.add(ign);
      return;
    }
  };
  return { failed, areAcknowledged, writing: Promise.all(Array.from({ length: WRITERS }, write)) };
}

async function compare(
  server: TestServer,
  key: string,
  written: Map<string, string>,
  failed: ReadonlySet<string>,
  report: PostgresKillReport,
): Promise<void> {
  const { body } = await call(server, "GET", "/players", { key });
  const shown = new Map<string, string>(body.data.map(({ id, ign }: { id: string; ign: string }) => [id, ign]));
  report.acknowledged = written.size;
  report.failed += failed.size;
  report.lost += [...written].filter(([id, ign]) => shown.get(id) !== ign).length;
  for (const [id, ign] of shown) {
    if (written.has(id)) continue;
    if (!failed.has(ign)) throw new Error(`${id} is there, and nobody wrote it.`);
    report.keptThoughFailed++;
    // Anyone who was told of a fault looks, and finds it; from here on it counts like the others.
    written.set(id, ign);
  }
}
