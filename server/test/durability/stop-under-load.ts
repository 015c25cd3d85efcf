/** A server that is told to stop while clients ask over connections that they keep: what they sent before that must be answered. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERMISSIONS } from "@lineup/api/permissions";
import { expect } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import { openRaw, type RawConnection } from "../hostile/raw-connection.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { dropTestStore, openTestStore, runSql } from "../test-store.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

const CLIENTS = 32;
/** Of each client, before the server is told. */
const ANSWERS_BEFORE = 5;

interface StopReport {
  /** Under way when the server was told to stop. */
  readonly sentBefore: number;
  /** Those of them that got no answer, with why. */
  readonly unanswered: readonly string[];
  /** Names of the players whose making was confirmed. */
  readonly made: readonly string[];
  /** Statuses other than 200 and 201. */
  readonly refused: readonly number[];
}

/** Starts, loads and stops a server so many times on one store, and throws unless every stop was clean. Returns how much was under way. */
export async function runStops(stops: number, start = startServerProcess): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-stops-"));
  try {
    const keys = await makeKeys(dataDir);
    let sentBefore = 0;
    for (let stop = 0; stop < stops; stop++) {
      const server = await start(dataDir);
      const report = await stopUnderLoad(server, keys, `stop${stop}-`);
      const stored = await runSql(dataDir, "SELECT ign FROM players WHERE ign LIKE ?", `stop${stop}-%`);
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect([report.unanswered, report.refused]).toEqual([[], []]);
      expect(stored.map(({ ign }) => ign).sort()).toEqual(report.made.toSorted());
      sentBefore += report.sentBefore;
    }
    return sentBefore;
  } finally {
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function makeKeys(dataDir: string): Promise<string[]> {
  const store = await openTestStore(dataDir);
  const { id: orgId } = await createOrganization(store, { name: "Stopped", tier: "Enterprise" }, TEST_ORIGIN);
  const keys: string[] = [];
  while (keys.length < CLIENTS) {
    keys.push((await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN)).key);
  }
  await store.close();
  return keys;
}

/** Each key is used by one client; names begin as said. */
async function stopUnderLoad(server: ServerProcess, keys: readonly string[], prefix: string): Promise<StopReport> {
  const [unanswered, made, refused]: [string[], string[], number[]] = [[], [], []];
  let sentBefore = 0;
  let isTold = false;
  const underWay = new Set<RawConnection>();
  const { promise: busy, resolve: areBusy } = Promise.withResolvers<void>();
  let answers = 0;

  const ask = async (connection: RawConnection, key: string, ign: string, isWrite: boolean): Promise<boolean> => {
    const wasTold = isTold;
    underWay.add(connection);
    connection.send(isWrite ? writeOf(key, ign) : `${head("GET", "/players?limit=1", key)}\r\n`);
    try {
      const { status, headers } = await connection.readAnswer({ timeoutMs: 60_000 });
      if (status === 201) made.push(ign);
      else if (status !== 200) refused.push(status);
      if (++answers === CLIENTS * ANSWERS_BEFORE) areBusy();
      return headers.get("connection") !== "close";
    } catch (error) {
      if (!wasTold) unanswered.push(`${isWrite ? "POST" : "GET"}: ${(error as Error).message}`);
      return false;
    } finally {
      underWay.delete(connection);
    }
  };
  const clients = Array.from({ length: CLIENTS }, async (_, which) => {
    const connection = await openRaw(server.origin);
    const key = keys[which % keys.length] ?? "";
    for (let turn = 0; await ask(connection, key, `${prefix}${which}-${turn}`, (which + turn) % 3 === 0); turn++);
    connection.close();
  });
  await busy;
  server.signal("SIGTERM");
  isTold = true;
  sentBefore = underWay.size;
  await Promise.all(clients);
  return { sentBefore, unanswered, made, refused };
}

function head(method: string, path: string, key: string): string {
  return `${method} /api/public/v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
}

function writeOf(key: string, ign: string): string {
  const body = JSON.stringify({ ign, role: "Player" });
  return `${head("POST", "/players", key)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
