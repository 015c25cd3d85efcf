import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openRaw } from "../../test/hostile/raw-connection.ts";
import { bareSite, NO_DASHBOARD } from "../../test/test-site.ts";
import { openTestStore } from "../../test/test-store.ts";
import { Authenticator } from "../access/authenticator.ts";
import { systemClock } from "../limits/clock.ts";
import { MemoryLimiter } from "../limits/memory-limiter.ts";
import { writerOf } from "../resources/verbs.ts";
import { AnswerCache, AnswerSpans } from "./answer-cache.ts";
import { makeClientResolver } from "./client-address.ts";
import { Metrics } from "./metrics.ts";
import { buildServer } from "./server.ts";

const lines: string[] = [];
/** What is to fail next, of all that runs before, beside and after the pipeline. */
let failing: "address" | "metrics" | "log" | undefined;
let origin: string;
let stop: () => Promise<void>;

function failWhere(place: typeof failing): void {
  if (failing === place) throw new Error(`the ${place} is broken`);
}

function writeLine(line: string): void {
  failWhere("log");
  lines.push(line);
}

class FailingMetrics extends Metrics {
  override countRequest(...facts: Parameters<Metrics["countRequest"]>): void {
    failWhere("metrics");
    super.countRequest(...facts);
  }
  override countMalformed(): void {
    failWhere("metrics");
    super.countMalformed();
  }
}

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "lineup-test-"));
  const store = await openTestStore(dataDir, "alone");
  const limiter = new MemoryLimiter({ file: join(dataDir, "limits"), clock: systemClock, onError: () => undefined });
  const cache = new AnswerCache();
  const resolveClient = makeClientResolver([]);
  const { app, close } = await buildServer(
    {
      pipeline: {
        store,
        authenticator: new Authenticator(store),
        limiter,
        cache,
        spans: new AnswerSpans(),
        now: Date.now,
        makeWrite: writerOf(store, Date.now),
        changesDays: 30,
      },
      resolveClient: (request) => {
        failWhere("address");
        return resolveClient(request);
      },
      log: pino({}, { write: writeLine }),
      requestLines: { write: writeLine },
      metrics: new FailingMetrics(cache),
      answerAssistant: async () => undefined,
      actions: NO_DASHBOARD,
    },
    bareSite(dataDir),
  );
  origin = await app.listen({ host: "127.0.0.1", port: 0 });
  stop = async () => {
    await close();
    await limiter.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  };
});
afterAll(() => stop());

const REQUESTS = {
  "a request": "GET /api/public/v1/players HTTP/1.1\r\nHost: x\r\n\r\n",
  "a request with a method that nobody knows": "BREW /api/public/v1/players HTTP/1.1\r\nHost: x\r\n\r\n",
  "a request that HTTP forbids": "GET /api/public/v1/players HTTP/1.1\r\n\r\n",
  "what is no HTTP": "nonsense\r\n\r\n",
};

it("reads a header of nothing but spaces about as quickly as one of letters", async () => {
  const ask = async (filling: string) => {
    const startedAt = performance.now();
    const connection = await openRaw(origin);
    connection.send(`BREW /api/public/v1/players HTTP/1.1\r\nHost: x\r\na: b${filling.repeat(60_000)}c\r\n\r\n`);
    await connection.readToEnd();
    return performance.now() - startedAt;
  };
  const letters = await ask("x");
  expect(await ask(" ")).toBeLessThan(letters * 20 + 1_000);
});

it.each(
  Object.entries(REQUESTS).flatMap(([what, text]) =>
    (["address", "metrics", "log"] as const).map((broken) => [what, broken, text] as const),
  ),
)("%s costs its own connection and nothing else when the %s fails", async (_, broken, text) => {
  lines.length = 0;
  failing = broken;
  const connection = await openRaw(origin);
  connection.send(text);
  await connection.readToEnd();
  failing = undefined;
  if (broken === "metrics") expect(lines.join("")).toMatch(/the metrics is broken.*its connection was cut off/);
  const next = await openRaw(origin);
  next.send(REQUESTS["a request"]);
  expect((await next.readAnswer()).status).toBe(401);
  next.close();
});
