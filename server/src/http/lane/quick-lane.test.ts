import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:tls";
import { BASE_PATH } from "@lineup/api/endpoint";
import { expect, it, onTestFinished } from "vitest";
import { openHeld } from "../../../test/hostile/held-connection.ts";
import { openRaw, RawConnection } from "../../../test/hostile/raw-connection.ts";
import { makeSelfSigned } from "../../../test/hostile/self-signed.ts";
import type { Authentication } from "../../access/authenticator.ts";
import { addressVerdict } from "../../limits/windows.ts";
import { makeClientResolver } from "../client-address.ts";
import type { ExchangeTools } from "../exchange.ts";
import { openQuickLane, type QuickLane } from "./quick-lane.ts";

const ASK = `GET ${BASE_PATH}/players HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer lineup_live_${"a".repeat(38)}\r\n\r\n`;
const OTHERWISE = "GET /other HTTP/1.1\r\nHost: x\r\n\r\n";

interface Lane {
  readonly origin: string;
  readonly server: Server;
  readonly opened: QuickLane;
  /** Whoever asks waits until this is called; each call is for one of them, in order. */
  answerNext(): void;
  /** How many wait. */
  readonly waiting: number;
  isDraining: boolean;
  readonly silent: Socket[];
}

/** A lane before a server that says 204 to all it is given. Every key is unknown, which is told when the test says so. */
async function openLane(
  limits: { firstMs?: number; keepAliveMs?: number; standstillMs?: number } = {},
  isTls = false,
): Promise<Lane> {
  const asking: ((found: Authentication) => void)[] = [];
  const verdict = addressVerdict(true, { count: 1, decisiveAgeMs: 0 }, Date.now());
  const tools = {
    pipeline: {
      authenticator: { authenticate: () => new Promise<Authentication>((resolve) => asking.push(resolve)) },
      limiter: { takeAddress: () => verdict, peekAddress: () => verdict },
      now: Date.now,
    },
    resolveClient: makeClientResolver([]),
    log: { error: () => undefined },
    metrics: { countRequest: () => undefined },
  } as unknown as ExchangeTools;
  const respond: RequestListener = (_request, response) => response.writeHead(204, { "Content-Length": 0 }).end();
  const server: Server = isTls ? createTlsServer(makeSelfSigned(4_711), respond) : createServer(respond);
  Object.assign(server, { httpAllowHalfOpen: true });
  const lane = {
    server,
    opened: undefined as unknown as QuickLane,
    origin: "",
    silent: [] as Socket[],
    isDraining: false,
    answerNext: () => asking.shift()?.({ outcome: "unknown" }),
    get waiting() {
      return asking.length;
    },
  };
  lane.opened = openQuickLane(server, isTls ? "secureConnection" : "connection", {
    tools,
    firstMs: 60_000,
    keepAliveMs: 60_000,
    standstillMs: 60_000,
    ...limits,
    isDraining: () => lane.isDraining,
    onSilence: (socket) => {
      lane.silent.push(socket);
      socket.destroy();
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    lane.opened.closeAllConnections();
    server.closeAllConnections();
    server.close();
  });
  lane.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return lane;
}

async function open(lane: Lane): Promise<RawConnection> {
  const connection = await openRaw(lane.origin);
  onTestFinished(() => connection.close());
  return connection;
}

/** Until as many wait for their answer. */
const untilWaiting = (lane: Lane, count: number) => expect.poll(() => lane.waiting).toBe(count);

it("answers one request after the other, and says that the connection stays", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  for (let round = 0; round < 3; round++) {
    connection.send(ASK);
    await untilWaiting(lane, 1);
    lane.answerNext();
    const { status, headers, body } = await connection.readAnswer();
    expect([status, headers.get("connection"), headers.get("keep-alive")]).toEqual([401, "keep-alive", "timeout=60"]);
    expect(JSON.parse(body).error.code).toBe("INVALID_API_KEY");
  }
});

it("lets what comes before an answer wait for it", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  connection.send(ASK);
  // A whole round trip over another connection: what was sent before it has arrived.
  const other = await open(lane);
  other.send(OTHERWISE);
  expect((await other.readAnswer()).status).toBe(204);
  expect([lane.waiting, connection.unread]).toEqual([1, ""]);
  lane.answerNext();
  expect((await connection.readAnswer()).status).toBe(401);
  await untilWaiting(lane, 1);
  lane.answerNext();
  expect((await connection.readAnswer()).status).toBe(401);
});

it("gives a connection away for good with the first that is not plain, whole or not", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  lane.answerNext();
  await connection.readAnswer();
  connection.send(OTHERWISE.slice(0, 7));
  const other = await open(lane);
  other.send(OTHERWISE);
  await other.readAnswer();
  connection.send(OTHERWISE.slice(7));
  expect((await connection.readAnswer()).status).toBe(204);
  // What would be plain is now Node's to answer.
  connection.send(ASK);
  expect((await connection.readAnswer()).status).toBe(204);
  expect(lane.waiting).toBe(0);
});

it("answers whoever has closed its own side after asking, and then closes", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  connection.send(ASK);
  connection.socket.end();
  await untilWaiting(lane, 1);
  const other = await open(lane);
  other.send(OTHERWISE);
  await other.readAnswer();
  lane.answerNext();
  const { status, headers } = await connection.readAnswer();
  expect([status, headers.get("connection")]).toEqual([401, "close"]);
  expect(await connection.readToEnd()).toBe("");
});

it("answers all that was asked before a client closed its own side", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  connection.send(ASK);
  connection.socket.end();
  const other = await open(lane);
  other.send(OTHERWISE);
  await other.readAnswer();
  lane.answerNext();
  expect((await connection.readAnswer()).headers.get("connection")).toBe("keep-alive");
  await untilWaiting(lane, 1);
  // By the time this is answered, the end was read that had come before.
  other.send(OTHERWISE);
  await other.readAnswer();
  lane.answerNext();
  expect((await connection.readAnswer()).headers.get("connection")).toBe("close");
  expect(await connection.readToEnd()).toBe("");
});

it("has all answered that came before the end of a connection, also where it is not plain", async () => {
  const lane = await openLane();
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  connection.send(OTHERWISE);
  connection.socket.end();
  const other = await open(lane);
  other.send(OTHERWISE);
  await other.readAnswer();
  lane.answerNext();
  expect((await connection.readAnswer()).status).toBe(401);
  expect(await connection.readToEnd()).toMatch(/^HTTP\/1\.1 204 /);
});

it("cuts off whoever asks nothing at first, and whoever asks nothing more", async () => {
  const lane = await openLane({ firstMs: 50, keepAliveMs: 10 });
  const silent = await open(lane);
  await silent.readToEnd();
  expect(lane.silent).toHaveLength(1);
  const idle = await open(lane);
  idle.send(ASK);
  await untilWaiting(lane, 1);
  lane.answerNext();
  await idle.readAnswer();
  expect(await idle.readToEnd()).toBe("");
  expect(lane.silent).toHaveLength(1);
});

it("gives up an answer that does not come", async () => {
  const lane = await openLane({ standstillMs: 50 });
  const connection = await open(lane);
  connection.send(ASK);
  expect(await connection.readToEnd()).toBe("");
});

it("gives up an answer over TLS that does not come, whatever the client goes on sending", async () => {
  const lane = await openLane({ standstillMs: 500 }, true);
  const held = openHeld(Number(new URL(lane.origin).port));
  const socket = connect({ socket: held.stream, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const connection = new RawConnection(socket);
  onTestFinished(() => connection.close());
  // All three arrive at once, each in a record of its own.
  held.hold();
  for (let record = 0; record < 3; record++) await new Promise((resolve) => socket.write(ASK, resolve));
  held.release();
  const dripping = setInterval(() => connection.send(" "), 50);
  onTestFinished(() => clearInterval(dripping));
  expect(await connection.readToEnd()).toBe("");
  expect(lane.waiting).toBe(1);
});

it("waits longer for an answer than for a request, where it may", async () => {
  const lane = await openLane({ keepAliveMs: 1, standstillMs: 60_000 });
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  // Past the time that it may be idle.
  const idle = await open(lane);
  idle.send(ASK);
  await untilWaiting(lane, 2);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(connection.isEnded).toBe(false);
  lane.answerNext();
  expect((await connection.readAnswer()).status).toBe(401);
});

it("has no say any more in how long a connection stays that it has given away", async () => {
  const lane = await openLane({ keepAliveMs: 1 });
  const connection = await open(lane);
  connection.send(ASK);
  await untilWaiting(lane, 1);
  lane.answerNext();
  await connection.readAnswer();
  const notPlain = "GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n";
  connection.send(notPlain);
  expect((await connection.readAnswer()).status).toBe(204);
  // Longer than anybody may be quiet on the lane, and less than on Node's server.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  connection.send(notPlain);
  expect((await connection.readAnswer()).status).toBe(204);
});

it("closes idle connections when told to, and those that wait when all are to go", async () => {
  const lane = await openLane();
  const [idle, waiting] = [await open(lane), await open(lane)];
  idle.send(ASK);
  await untilWaiting(lane, 1);
  lane.answerNext();
  await idle.readAnswer();
  waiting.send(ASK);
  await untilWaiting(lane, 1);
  lane.opened.closeIdleConnections();
  expect(await idle.readToEnd()).toBe("");
  expect(waiting.isEnded).toBe(false);
  lane.opened.closeAllConnections();
  expect(await waiting.readToEnd()).toBe("");
});

it("leaves everything to Node's server once it is to stop", async () => {
  const lane = await openLane();
  const [begun, waiting] = [await open(lane), await open(lane)];
  begun.send(ASK);
  await untilWaiting(lane, 1);
  lane.answerNext();
  await begun.readAnswer();
  waiting.send(ASK);
  await untilWaiting(lane, 1);
  lane.isDraining = true;
  begun.send(ASK);
  expect((await begun.readAnswer()).status).toBe(204);
  lane.answerNext();
  expect((await waiting.readAnswer()).headers.get("connection")).toBe("close");
  expect(await waiting.readToEnd()).toBe("");
  const late = await open(lane);
  late.send(ASK);
  expect((await late.readAnswer()).status).toBe(204);
});
