/** `serve --workers`: several processes on one port, with PostgreSQL and Redis. */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { PERMISSIONS } from "@lineup/api/permissions";
import type { Tier } from "@lineup/api/tiers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../src/access/key-admin.ts";
import { createOrganization } from "../../src/access/organizations.ts";
import type { Store } from "../../src/store/store.ts";
import { type ServerProcess, startServeCommand } from "../durability/server-process.ts";
import { runStops } from "../durability/stop-under-load.ts";
import { makeSelfSigned } from "../hostile/self-signed.ts";
import { runLineup } from "../run-lineup.ts";
import { canStart, hasPostgres } from "../services/provided-services.ts";
import { type OwnRedis, startOwnRedis } from "../services/redis.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import type { LooseBody } from "../test-server.ts";
import { dropTestStore, openTestStore } from "../test-store.ts";
import { waitUntil } from "./wait-until.ts";

const WORKERS = 3;
/** So many that every worker has some, in as good as any run. */
const CALLERS = 24;
const PATIENCE_MS = 60_000;

describe.skipIf(!hasPostgres() || !canStart("redis"))("a server of several processes", () => {
  let redis: OwnRedis;
  let dataDir: string;
  let store: Store;
  let server: ServerProcess;
  let callers: Caller[];

  const startOn = (folder: string, env: Record<string, string> = {}) =>
    startServeCommand(folder, { LINEUP_WORKERS: String(WORKERS), LINEUP_REDIS_URL: redis.url, ...env });
  const makeKeyOf = async (tier: Tier) => {
    const { id: orgId } = await createOrganization(store, { name: "Several", tier }, TEST_ORIGIN);
    return (await createKey(store, { orgId, name: "Key", permissions: PERMISSIONS }, TEST_ORIGIN)).key;
  };
  const readMetrics = () => (callers[0] as Caller).readText("/metrics");

  beforeAll(async () => {
    redis = await startOwnRedis();
  });
  afterAll(() => redis?.stop());
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "lineup-cluster-"));
    store = await openTestStore(dataDir);
    server = await startOn(dataDir);
    callers = Array.from({ length: CALLERS }, () => new Caller(server.origin));
  });
  afterEach(async () => {
    for (const caller of callers) caller.close();
    server.signal("SIGTERM");
    await server.exited;
    await store.close();
    await dropTestStore(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });

  it("counts exactly over all of them, shows all in the metrics of any, and logs whole lines", async () => {
    const key = await makeKeyOf("Basic");
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, index) => callers[index % CALLERS]?.call(key, "GET", "/teams")),
    );
    const statuses = answers.map((answer) => answer?.status);
    expect([200, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([60, 36]);
    const metrics = await readMetrics();
    expect(listWorkersIn(metrics).size).toBe(WORKERS);
    expect(sumOf(metrics, "lineup_requests_total")).toBe(96);
    expect(sumOf(metrics, "lineup_request_duration_seconds_count")).toBe(96);
    expect(metrics.match(/^# TYPE lineup_requests_total /gm)).toHaveLength(1);
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const lines = server.log().trimEnd().split("\n");
    const parsed = lines.map((line) => JSON.parse(line) as { msg: string });
    expect(parsed.filter(({ msg }) => msg === "request")).toHaveLength(96);
    for (const once of ["listening", "stopping", "stopped"]) {
      expect(parsed.filter(({ msg }) => msg === once)).toHaveLength(1);
    }
  });

  it("replaces a worker that is killed while the others go on, and loses nothing that was answered", async () => {
    const key = await makeKeyOf("Enterprise");
    const made: string[] = [];
    for (const round of [1, 2]) {
      const died = async () => (server.log().match(/"msg":"a worker died and is replaced"/g) ?? []).length === round;
      const writing = Promise.all(
        callers.map(async (caller, which) => {
          for (let number = 0; number < 4; number++) {
            const answer = await caller
              .call(key, "POST", "/prospects", { ign: `${round}-${which}-${number}` })
              .catch(() => undefined);
            if (answer?.status === 201) made.push(answer.body.data.id);
          }
        }),
      );
      process.kill(await findChildOf(server.pid), "SIGKILL");
      await writing;
      await waitUntil("the death is told", died, PATIENCE_MS);
      await waitUntil(
        "all serve",
        async () => listWorkersIn(await readMetrics().catch(() => "")).size === WORKERS,
        PATIENCE_MS,
      );
    }
    expect(made.length).toBeGreaterThan(60);
    await waitUntil(
      "every node has heard of the writes",
      async () => {
        const { body } = await (callers[0] as Caller).call(key, "GET", "/prospects");
        const shown = new Set(body.data.map(({ id }: { id: string }) => id));
        return made.every((id) => shown.has(id));
      },
      PATIENCE_MS,
    );
  });

  it("answers an assistant whose every message comes to another of them", async () => {
    const key = await makeKeyOf("Enterprise");
    let sent = 0;
    const tell = async (method: string, params: object): Promise<LooseBody> => {
      const caller = callers[sent++ % CALLERS] as Caller;
      return (await caller.send(key, "POST", "/mcp", { jsonrpc: "2.0", id: sent, method, params })).body.result;
    };
    const use = async (name: string, args: object) =>
      JSON.parse((await tell("tools/call", { name, arguments: args })).content[0].text);
    const clientInfo = { name: "tests", version: "1.0.0" };
    await tell("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    expect((await tell("tools/list", {})).tools).not.toHaveLength(0);
    const made: string[] = [];
    for (let number = 0; number < 6; number++) {
      made.push((await use("createProspect", { ign: `Kite ${number}` })).data.id);
    }
    const seen: string[] = [];
    await waitUntil(
      "every node has heard of the writes",
      async () =>
        (await Promise.all(callers.map(() => use("listProspects", {})))).every(({ data }) => data.length === 6),
      PATIENCE_MS,
    );
    for (let page = await use("listProspects", { limit: 1 }); ; ) {
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (page.nextCursor === undefined) break;
      page = await use("listProspects", { limit: 1, cursor: page.nextCursor });
    }
    expect(seen).toEqual(made.toSorted());
    expect((await use("describeKey", {})).data.limits.day.remaining).toBe(100_000 - sent);
  });

  it("ends with the reason when workers cannot be started any more", async () => {
    server.signal("SIGTERM");
    await server.exited;
    const { cert, key } = makeSelfSigned(300);
    const files = { LINEUP_TLS_CERT: join(dataDir, "cert.pem"), LINEUP_TLS_KEY: join(dataDir, "key.pem") };
    await writeFile(files.LINEUP_TLS_CERT, cert);
    await writeFile(files.LINEUP_TLS_KEY, key);
    server = await startOn(dataDir, files);
    await rm(files.LINEUP_TLS_KEY);
    process.kill(await findChildOf(server.pid), "SIGKILL");
    expect((await server.exited).code).toBe(1);
    expect(server.log()).toContain("Workers keep dying as soon as they are started");
    expect(server.log()).toContain("key.pem");
  });

  it("answers what was sent before SIGTERM, writes included", async () => {
    expect(await runStops(2, startOn)).toBeGreaterThan(2);
  });

  it("does not answer on a port that another program has", async () => {
    const { port } = new URL(server.origin);
    const second = await runLineup(["serve", "--workers", "2"], {
      LINEUP_DATA_DIR: dataDir,
      LINEUP_PORT: port,
      LINEUP_DATABASE_URL: "postgres://127.0.0.1:1/none",
      LINEUP_REDIS_URL: redis.url,
    });
    expect([second.code, second.err]).toEqual([
      1,
      expect.stringContaining(`Another program listens on 127.0.0.1, port ${port}.`),
    ]);
  });
});

/** Keeps to one connection, and so to one worker, until that breaks. */
class Caller {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(origin: string) {
    this.#origin = origin;
  }

  call(key: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: LooseBody }> {
    return this.send(key, method, `/api/public/v1${path}`, body);
  }

  async send(key: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: LooseBody }> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = request(this.#origin + path, { method, headers, agent: this.#agent });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(sent, "response");
    return { status: response.statusCode, body: (await json(response)) as LooseBody };
  }

  async readText(path: string): Promise<string> {
    const [response] = await once(request(this.#origin + path, { agent: this.#agent }).end(), "response");
    return text(response);
  }

  close(): void {
    this.#agent.destroy();
  }
}

function listWorkersIn(metrics: string): Set<string> {
  return new Set([...metrics.matchAll(/^process_resident_memory_bytes\{worker="(\d+)"\}/gm)].map(([, id]) => id ?? ""));
}

function sumOf(metrics: string, name: string): number {
  const lines = metrics.split("\n").filter((line) => line.startsWith(`${name}{`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

async function findChildOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return Number(children.trim().split(" ")[0]);
}
