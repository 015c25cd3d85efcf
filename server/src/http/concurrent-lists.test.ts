/** Lists that are read for each request, or cached, over a real server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BASE_PATH } from "@lineup/api/endpoint";
import { PERMISSIONS } from "@lineup/api/permissions";
import pino from "pino";
import { expect, it, onTestFinished } from "vitest";
import { openRaw, type RawConnection } from "../../test/hostile/raw-connection.ts";
import { TEST_ORIGIN } from "../../test/test-origin.ts";
import { bareSite, NO_DASHBOARD } from "../../test/test-site.ts";
import { openTestStore } from "../../test/test-store.ts";
import { Authenticator } from "../access/authenticator.ts";
import { createKey } from "../access/key-admin.ts";
import { createOrganization } from "../access/organizations.ts";
import { systemClock } from "../limits/clock.ts";
import { MemoryLimiter } from "../limits/memory-limiter.ts";
import { writerOf } from "../resources/verbs.ts";
import { AnswerCache, AnswerSpans } from "./answer-cache.ts";
import { makeClientResolver } from "./client-address.ts";
import { Metrics } from "./metrics.ts";
import { buildServer } from "./server.ts";

const PLAYERS = 150;
const CLIENTS = 6;
const ROUNDS = 15;

interface Running {
  readonly origin: string;
  readonly key: string;
}

async function start(cache: AnswerCache): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-test-"));
  const store = await openTestStore(dataDir, "alone");
  const limiter = new MemoryLimiter({ file: join(dataDir, "limits"), clock: systemClock });
  const authenticator = new Authenticator(store);
  const spans = new AnswerSpans();
  const { app, close } = await buildServer(
    {
      pipeline: {
        store,
        authenticator,
        limiter,
        cache,
        spans,
        now: Date.now,
        makeWrite: writerOf(store, Date.now),
        changesDays: 30,
      },
      resolveClient: makeClientResolver([]),
      log: pino({ level: "silent" }),
      requestLines: undefined,
      metrics: new Metrics(cache),
      answerAssistant: async () => undefined,
      actions: NO_DASHBOARD,
    },
    bareSite(dataDir),
  );
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const { id: orgId } = await createOrganization(store, { name: "Club", tier: "Enterprise" }, TEST_ORIGIN);
  const { key } = await createKey(store, { orgId, name: "all", permissions: [...PERMISSIONS] }, TEST_ORIGIN);
  const stop = async () => {
    await close();
    limiter.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  onTestFinished(stop);
  return { origin, key };
}

async function ask(connection: RawConnection, key: string, line: string, body = ""): Promise<{ data: unknown }> {
  const length = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  connection.send(`${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${length}\r\n${body}`);
  return JSON.parse((await connection.readAnswer()).body);
}

it.each([
  ["with room for none", new AnswerCache(0)],
  ["with room for all", new AnswerCache()],
])("come whole to everybody who asks for them at once, however often, %s", async (_, cache) => {
  const { origin, key } = await start(cache);
  const connections = await Promise.all(Array.from({ length: CLIENTS }, () => openRaw(origin)));
  const [first] = connections as [RawConnection];
  for (let player = 0; player < PLAYERS; player++) {
    await ask(first, key, `POST ${BASE_PATH}/players`, `{"ign":"V\\u00ebx ${player}","role":"Player"}`);
  }
  const paths = ["/players", "/players?limit=100", "/players?sort=-ign"];
  const expected = new Map<string, unknown>();
  for (const path of paths) expected.set(path, (await ask(first, key, `GET ${BASE_PATH}${path}`)).data);
  expect(expected.get("/players")).toHaveLength(PLAYERS);
  await Promise.all(
    connections.map(async (connection, client) => {
      for (let round = 0; round < ROUNDS; round++) {
        const path = paths[(client + round) % paths.length] ?? "";
        expect((await ask(connection, key, `GET ${BASE_PATH}${path}`)).data).toEqual(expected.get(path));
      }
    }),
  );
  for (const connection of connections) connection.close();
});
