import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClientGone, readJsonObject } from "./json-body.ts";

/** Sends the end of a head, and what follows it, to a server that takes requests as ours does. */
async function receive(rest: string): Promise<{ request: IncomingMessage; socket: Socket }> {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const options = { optimizeEmptyRequests: true };
  const server = createServer(options, (request) => arrived.resolve(request)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest}`);
  return { request: await arrived.promise, socket };
}

describe("a body whose client has gone", () => {
  it.each([
    ["before it was whole", "Content-Length: 99\r\n\r\n{"],
    ["after it was whole", "Content-Length: 2\r\n\r\n{}"],
    ["without announcing one", "\r\n"],
  ])("%s is given up at once, even if it is looked at only then", async (_, rest) => {
    const { request, socket } = await receive(rest);
    socket.destroy();
    await new Promise<void>((resolve) => request.socket.once("close", () => resolve()));
    await expect(readJsonObject(request)).rejects.toThrow(ClientGone);
  });
});

it.each([
  ["of no bytes", "Content-Length: 0\r\n\r\n"],
  ["that is not announced", "\r\n"],
])("a body %s is empty, and nobody waits for it", async (_, rest) => {
  const { request } = await receive(rest);
  await expect(readJsonObject(request)).rejects.toThrow("The body is empty");
});
