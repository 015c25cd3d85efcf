import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { answerWith, LOOPBACK, RECEIVER_TLS, Receiver } from "../../test/webhooks/receiver.ts";
import { AddressGuard } from "./address-guard.ts";
import { WebhookRequester } from "./webhook-request.ts";
import { makeWebhookSecret } from "./webhook-secret.ts";

const ATTEMPT_MAX_MS = 1_000;
const message = { id: "change_1", body: '{"a":1}' };
const secrets = [makeWebhookSecret()];
const servers: Server[] = [];
let receiver: Receiver;
let requester: WebhookRequester;

beforeAll(async () => {
  receiver = await Receiver.start();
  const guard = new AddressGuard({ allow: LOOPBACK });
  requester = new WebhookRequester({
    guard,
    version: "9.9",
    ca: RECEIVER_TLS.cert,
    attemptMaxMs: ATTEMPT_MAX_MS,
    now: Date.now,
  });
});
afterAll(async () => {
  requester?.close();
  await receiver?.stop();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An endpoint that speaks no HTTP but what it is told to write. */
async function startRaw(talk: (socket: Socket) => void): Promise<string> {
  const server = createServer(RECEIVER_TLS, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => talk(socket));
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes the same again and again, for as long as anybody listens. Returns how much was taken. */
function pour(socket: Socket, head: string, piece: string, most = 1_073_741_824): { readonly written: () => number } {
  socket.write(head);
  const go = () => {
    while (!socket.destroyed && socket.bytesWritten < most) if (!socket.write(piece)) return;
  };
  socket.on("drain", go);
  go();
  return { written: () => socket.bytesWritten };
}

it("says who it is and what it sends", async () => {
  const result = await requester.send(`${receiver.url}?token=t`, secrets, message);
  expect(result).toMatchObject({ status: 200, fault: null });
  const { headers, body, path } = receiver.received.at(-1) ?? {};
  expect([path, body]).toEqual(["/hook?token=t", message.body]);
  expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Lineup-Webhooks/9.9" });
  expect(headers?.["webhook-id"]).toBe("change_1");
  expect(Math.abs(Number(headers?.["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(10);
});

it.each([200, 201, 204, 299])("takes %i for success", async (status) => {
  receiver.answering = answerWith(status);
  expect(await requester.send(receiver.url, secrets, message)).toMatchObject({ status, fault: null });
});

it.each([301, 302, 307, 308, 400, 404, 410, 500, 503])("takes %i for a fault, and follows nowhere", async (status) => {
  const other = await Receiver.start();
  receiver.answering = answerWith(status, { location: other.url });
  expect(await requester.send(receiver.url, secrets, message)).toMatchObject({
    status,
    fault: expect.stringContaining(`answered ${status}`),
  });
  expect(other.connections).toBe(0);
  await other.stop();
});

it("tells how long an endpoint asks to be left alone", async () => {
  receiver.answering = answerWith(503, { "retry-after": "120" });
  expect((await requester.send(receiver.url, secrets, message)).retryAfterMs).toBe(120_000);
  receiver.answering = answerWith(429, { "retry-after": new Date(Date.now() + 60_000).toUTCString() });
  const { retryAfterMs } = await requester.send(receiver.url, secrets, message);
  expect(retryAfterMs).toBeGreaterThan(50_000);
  receiver.answering = answerWith(429, { "retry-after": "9".repeat(400) });
  expect((await requester.send(receiver.url, secrets, message)).retryAfterMs).toBe(Number.POSITIVE_INFINITY);
  receiver.answering = answerWith(429, { "retry-after": "soon" });
  expect((await requester.send(receiver.url, secrets, message)).retryAfterMs).toBeUndefined();
});

it("takes a change of protocol for a fault, and gives up no place for it", async () => {
  const turning = await startRaw((socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  });
  expect(await requester.send(turning, secrets, message)).toMatchObject({ status: 101, fault: "answered 101" });
});

it("waits for an endpoint that hangs no longer than an attempt may take", async () => {
  const begun = performance.now();
  const hanging = await startRaw(() => undefined);
  expect((await requester.send(hanging, secrets, message)).fault).toContain("no answer within 1 seconds");
  const dripping = await startRaw((socket) => {
    const drip = setInterval(() => socket.write("H"), 50);
    socket.on("close", () => clearInterval(drip));
  });
  expect((await requester.send(dripping, secrets, message)).status).toBeNull();
  expect(performance.now() - begun).toBeLessThan(2 * ATTEMPT_MAX_MS + 1_000);
});

it("hears no more of endless headers, or of a gigabyte, than it has to", async () => {
  const taken: (() => number)[] = [];
  const headers = await startRaw((socket) => {
    taken.push(pour(socket, "HTTP/1.1 200 OK\r\n", `x-more: ${"a".repeat(1_000)}\r\n`).written);
  });
  expect((await requester.send(headers, secrets, message)).fault).toBe("answered with headers that are too large");
  const body = await startRaw((socket) => {
    const head = "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n";
    taken.push(pour(socket, head, "b".repeat(65_536)).written);
  });
  // The status is the answer, whatever follows.
  expect(await requester.send(body, secrets, message)).toMatchObject({ status: 200, fault: null });
  for (const written of taken) expect(written()).toBeLessThan(16 * 1_048_576);
  const hangs = await startRaw((socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"));
  expect(await requester.send(hangs, secrets, message)).toMatchObject({ status: 200, fault: null });
});

it("puts faults into words of its own", async () => {
  const closing = await startRaw((socket) => void socket.destroy());
  expect((await requester.send(closing, secrets, message)).fault).toBe("closed the connection without an answer");
  const rude = await startRaw((socket) => void socket.end("NOT HTTP <script>\r\n\r\n"));
  expect((await requester.send(rude, secrets, message)).fault).toBe("answered with something that is not HTTP");
  const gone = await startRaw(() => undefined);
  for (const server of servers.splice(0)) server.close();
  expect((await requester.send(gone, secrets, message)).fault).toBe("refused the connection");
  expect((await requester.send(receiver.url, [], message)).fault).toContain("rotate it");
});

it("trusts no certificate that Node does not", async () => {
  const strict = new WebhookRequester({ guard: new AddressGuard({ allow: LOOPBACK }), version: "1", now: Date.now });
  expect((await strict.send(receiver.url, secrets, message)).fault).toContain("certificate that is not trusted");
  strict.close();
});

it("tries again where the other side had closed an idle connection", async () => {
  receiver.answering = answerWith(200, { connection: "keep-alive" });
  await requester.send(receiver.url, secrets, message);
  receiver.hangUp();
  expect(await requester.send(receiver.url, secrets, message)).toMatchObject({ status: 200, fault: null });
});
