import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClientGone, readJsonObject } from "./json-body.ts";

describe("a body whose client has gone", () => {
  it.each([
    ["before it was whole", "Content-Length: 99\r\n\r\n{"],
    ["after it was whole", "Content-Length: 2\r\n\r\n{}"],
  ])("%s is given up at once, even if it is looked at only then", async (_, rest) => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    const server = createServer((request) => arrived.resolve(request)).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${rest}`);
    const request = await arrived.promise;
    socket.destroy();
    await new Promise<void>((resolve) => request.socket.once("close", () => resolve()));
    await expect(readJsonObject(request)).rejects.toThrow(ClientGone);
  });
});
