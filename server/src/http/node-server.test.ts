import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openRaw, type RawConnection } from "../../test/hostile/raw-connection.ts";
import type { ExchangeTools } from "./exchange.ts";
import { allowFile, makeNodeServer } from "./node-server.ts";

const ASK = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const LIMITS = { headersMs: 10_000, requestMs: 10_000, standstillMs: 300 };
/** More than the buffers of both ends together. */
const LARGE_BYTES = 32 * 1024 * 1024;

async function serve(route: RequestListener, limits: typeof LIMITS = LIMITS): Promise<[Server, string]> {
  // What the tools are for is not well-formed HTTP, which is not sent here.
  const options = { tls: undefined, arrival: limits, stopping: new AbortController().signal };
  const server = makeNodeServer(undefined as unknown as ExchangeTools, options, route);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

async function open(origin: string): Promise<RawConnection> {
  const connection = await openRaw(origin);
  onTestFinished(() => connection.close());
  return connection;
}

it("gives up an answer that does not come", async () => {
  const [, origin] = await serve(() => undefined);
  const connection = await open(origin);
  connection.send(ASK);
  await connection.readToEnd();
});

it("gives up an answer that nobody takes", async () => {
  const closed = Promise.withResolvers<boolean>();
  const [, origin] = await serve((_request, response) => {
    response.once("close", () => closed.resolve(response.writableFinished));
    response.end(Buffer.alloc(LARGE_BYTES));
  });
  const connection = await open(origin);
  connection.socket.pause();
  connection.send(ASK);
  expect(await closed.promise).toBe(false);
});

it("leaves an answer the shorter time that it was given", async () => {
  const closed = Promise.withResolvers<void>();
  const [, origin] = await serve(
    (_request, response) => {
      response.once("close", () => closed.resolve());
      response.setTimeout(100);
    },
    { ...LIMITS, standstillMs: 600_000 },
  );
  (await open(origin)).send(ASK);
  await closed.promise;
});

it("reads a file for as long as it keeps coming", async () => {
  const parts = 50;
  const part = Buffer.alloc(64 * 1024);
  const [, origin] = await serve(
    (request, response) => {
      allowFile(request);
      let size = 0;
      request.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on("end", () => response.end(String(size)));
    },
    { ...LIMITS, headersMs: 1_000, requestMs: 1_000, standstillMs: 600_000 },
  );
  const connection = await open(origin);
  connection.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${parts * part.length}\r\n\r\n`);
  // Three of its terms.
  for (let sent = 0; sent < parts; sent++) {
    connection.socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect((await connection.readAnswer()).body).toBe(String(parts * part.length));
});

it("keeps a connection whose answers came at once, or came in time, for the next request", async () => {
  let asked = 0;
  const [, origin] = await serve((_request, response) => {
    if (asked++ % 2 === 0) response.end("at once");
    else setImmediate(() => response.end("in time"));
  });
  const connection = await open(origin);
  for (let sent = 0; sent < 4; sent++) {
    connection.send(ASK);
    expect((await connection.readAnswer()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, LIMITS.standstillMs * 1.5));
  }
});

it("cuts off a client that connects and asks for nothing", async () => {
  const [server, origin] = await serve(() => undefined, { headersMs: 200, requestMs: 600_000, standstillMs: 600_000 });
  const connection = await open(origin);
  await once(server, "clientError");
  connection.close();
});
