import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ARRIVAL_LIMITS } from "../../src/http/node-server.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { expectAnswer, refusal } from "./answer-rules.ts";
import { HOST, JSON_TYPE, NO_KEY, OK, PREFIX } from "./hostile-case.ts";
import { openRaw, type RawConnection } from "./raw-connection.ts";

let server: TestServer;
let key: string;
let authorization: string;
const ARRIVAL = { headersMs: 300, requestMs: 4_000 };
const TOO_SLOW = refusal("VALIDATION_ERROR", /took too long to arrive/);

beforeAll(async () => {
  server = await startTestServer({ arrival: ARRIVAL });
  key = (await makeKey(server, await makeOrg(server))).key;
  authorization = `Authorization: Bearer ${key}\r\n`;
});

afterAll(() => server.stop());

/** Sends a byte now and then, as long as the connection lasts. */
function drip(connection: RawConnection, byte: string): void {
  const timer = setInterval(() => connection.send(byte), 60);
  connection.socket.once("close", () => clearInterval(timer));
}

async function openSlow(start: string, byte: string): Promise<RawConnection> {
  const connection = await openRaw(server.origin);
  connection.send(start);
  drip(connection, byte);
  return connection;
}

const slowHead = () => openSlow(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}${authorization}X-Slow: `, "a");
const slowBody = () =>
  openSlow(`POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${authorization}${JSON_TYPE}Content-Length: 9999\r\n\r\n{`, " ");
const slowChunks = () =>
  openSlow(
    `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${authorization}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`,
    "1\r\n \r\n",
  );
const slowSecond = async () => {
  const connection = await openRaw(server.origin);
  connection.send(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}${authorization}\r\n`);
  expectAnswer(await connection.readAnswer(), OK);
  connection.send("GET /");
  drip(connection, "a");
  return connection;
};

describe.concurrent("a client that is too slow", () => {
  it.each([
    ["a head that drips in", slowHead, ARRIVAL.headersMs],
    ["the second head on a connection that drips in", slowSecond, ARRIVAL.headersMs],
    ["a body that drips in", slowBody, ARRIVAL.requestMs],
    ["chunks that drip in", slowChunks, ARRIVAL.requestMs],
  ])("with %s is told so and let go in time", async (_, open, limitMs) => {
    const connection = await open();
    const startedAt = performance.now();
    expectAnswer(await connection.readAnswer(), TOO_SLOW);
    expect(await connection.readToEnd()).toBe("");
    // A head does not get the time of a body.
    if (limitMs === ARRIVAL.headersMs) expect(performance.now() - startedAt).toBeLessThan(ARRIVAL.requestMs);
  });

  it("with no bytes at all is let go without an answer, which would be taken for that of what it asks next", async () => {
    const connection = await openRaw(server.origin);
    const startedAt = performance.now();
    expect(await connection.readToEnd()).toBe("");
    expect(performance.now() - startedAt).toBeLessThan(ARRIVAL.requestMs);
  });

  it("with the body of a request that was refused already is let go without a second answer", async () => {
    const connection = await openSlow(`POST ${PREFIX}/players HTTP/1.1\r\n${HOST}Content-Length: 9999\r\n\r\n`, " ");
    expectAnswer(await connection.readAnswer(), NO_KEY);
    expect(await connection.readToEnd()).toBe("");
    connection.close();
  });

  it("is not one that merely waits between two requests", async () => {
    const connection = await openRaw(server.origin);
    for (const pauseMs of [ARRIVAL.requestMs + 2 * ARRIVAL.headersMs, 0]) {
      connection.send(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}${authorization}\r\n`);
      expectAnswer(await connection.readAnswer(), OK);
      await wait(pauseMs);
    }
    connection.close();
  });

  it("has ten seconds for a head and thirty for a body, where nobody says otherwise", () => {
    expect(ARRIVAL_LIMITS).toEqual({ headersMs: 10_000, requestMs: 30_000 });
  });
});

it("a request that came in time is answered, though the server was too busy to read it until then", async () => {
  const connection = await openRaw(server.origin);
  // Long enough for the server to have taken the connection, and far from what would be too long.
  await wait(ARRIVAL.headersMs / 10);
  // The server is in this process: after this turn it looks at its clocks, and only then at what has come.
  setImmediate(() => {
    connection.send(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}${authorization}\r\n`);
    const busyUntil = performance.now() + 2 * ARRIVAL.headersMs;
    while (performance.now() < busyUntil);
  });
  expectAnswer(await connection.readAnswer(), OK);
  connection.close();
});

/** Sends a large part now and then, as long as the connection lasts. */
function pour(connection: RawConnection): void {
  const part = " ".repeat(64 * 1024);
  const timer = setInterval(() => connection.send(part), 10);
  connection.socket.once("close", () => clearInterval(timer));
}

it("a body without end is not read for ever, however quickly it comes", async () => {
  const hasty = await startTestServer({ arrival: { headersMs: 200, requestMs: 200 } });
  onTestFinished(() => hasty.stop());
  const connection = await openRaw(hasty.origin);
  connection.send(`POST ${PREFIX}/players HTTP/1.1\r\n${HOST}Content-Length: 99999999999\r\n\r\n`);
  pour(connection);
  expectAnswer(await connection.readAnswer(), NO_KEY);
  expect(await connection.readToEnd()).toBe("");
});

describe("hundreds of slow clients", () => {
  it("leave the others served, and each is let go, told so where it asked for something", async () => {
    const slow = await Promise.all(Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? slowHead : slowBody)()));
    const silent = await Promise.all(Array.from({ length: 100 }, () => openRaw(server.origin)));
    const told = Promise.all(slow.map((connection) => connection.readAnswer()));
    let served = 0;
    let isOver = false;
    const others = async () => {
      while (!isOver && served < 800) {
        const reply = await call(server, "GET", "/players", { key });
        expect(reply.status).toBe(200);
        served++;
      }
    };
    const [answers] = await Promise.all([
      told.finally(() => {
        isOver = true;
      }),
      others(),
      others(),
    ]);
    for (const answer of answers) expectAnswer(answer, TOO_SLOW);
    expect(served).toBeGreaterThan(20);
    await Promise.all([...slow, ...silent].map((connection) => connection.readToEnd()));
  });
});
