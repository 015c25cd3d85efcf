import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClientGone } from "./json-body.ts";
import { holdUntilClosed, LARGE_ANSWER_LIMITS, LargeAnswers, STALLED_MS } from "./large-answers.ts";

const LIMITS = { perOrg: 2, inAll: 3, waitingPerOrg: 3, waitMs: 5_000 };

/** What has settled after everything that could has had its turn. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

describe("large answers", () => {
  it("are at most two of an organization and eight in all, where nobody says otherwise", () => {
    expect(LARGE_ANSWER_LIMITS).toEqual({ perOrg: 2, inAll: 8, waitingPerOrg: 100, waitMs: 30_000 });
  });

  it("are waited for longer than a client that reads nothing can hold one", () => {
    expect(LARGE_ANSWER_LIMITS.waitMs).toBeGreaterThan(2 * STALLED_MS);
  });

  it("of one organization hold up no other's while slots are free", async () => {
    const slots = new LargeAnswers(LIMITS);
    await slots.take("a", new PassThrough());
    await slots.take("a", new PassThrough());
    const third = slots.take("a", new PassThrough());
    expect(await isSettled(third)).toBe(false);
    await slots.take("b", new PassThrough());
    expect(await isSettled(slots.take("c", new PassThrough()))).toBe(false);
  });

  it("are admitted in order, past those whose organization has no place left", async () => {
    const slots = new LargeAnswers(LIMITS);
    const releaseA = await slots.take("a", new PassThrough());
    await slots.take("a", new PassThrough());
    const releaseB = await slots.take("b", new PassThrough());
    const laterA = slots.take("a", new PassThrough());
    const firstC = slots.take("c", new PassThrough());
    const secondC = slots.take("c", new PassThrough());
    releaseB();
    await firstC;
    expect([await isSettled(laterA), await isSettled(secondC)]).toEqual([false, false]);
    releaseA();
    await laterA;
    expect(await isSettled(secondC)).toBe(false);
  });

  it("give back one place each, however often they are closed", async () => {
    const slots = new LargeAnswers(LIMITS);
    const connection = new PassThrough();
    const release = await slots.take("a", connection);
    await slots.take("a", new PassThrough());
    release();
    release();
    connection.destroy();
    await once(connection, "close");
    await slots.take("a", new PassThrough());
    expect(await isSettled(slots.take("a", new PassThrough()))).toBe(false);
  });

  it("give their place back when the connection goes, before any response was closed", async () => {
    const slots = new LargeAnswers(LIMITS);
    const connection = new PassThrough();
    await slots.take("a", connection);
    await slots.take("a", connection);
    const third = slots.take("a", new PassThrough());
    connection.destroy();
    await third;
  });

  it("are no longer waited for by clients that have gone", async () => {
    const slots = new LargeAnswers(LIMITS);
    const release = await slots.take("a", new PassThrough());
    await slots.take("a", new PassThrough());
    const connections = [new PassThrough(), new PassThrough(), new PassThrough()];
    const waiting = connections.map((connection) => slots.take("a", connection));
    for (const connection of connections) connection.destroy();
    for (const one of waiting) await expect(one).rejects.toThrow(ClientGone);
    await expect(slots.take("a", connections[0] as PassThrough)).rejects.toThrow(ClientGone);
    const present = slots.take("a", new PassThrough());
    release();
    await present;
  });

  it("fail past the longest queue and the longest wait, and the error says which", async () => {
    const slots = new LargeAnswers({ ...LIMITS, waitMs: 50 });
    await slots.take("a", new PassThrough());
    const release = await slots.take("a", new PassThrough());
    const waiting = Array.from({ length: 3 }, () => slots.take("a", new PassThrough()));
    const outcomes = Promise.allSettled(waiting);
    await expect(slots.take("a", new PassThrough())).rejects.toThrow("3 large answers of a are waited for already");
    for (const { status, reason } of (await outcomes) as PromiseRejectedResult[]) {
      expect([status, reason.message]).toEqual(["rejected", "No slot for a large answer of a came free within 50 ms."]);
    }
    release();
    await slots.take("a", new PassThrough());
  });

  it("that were kept are counted without waiting, and no new one is made beside too many of them", async () => {
    const slots = new LargeAnswers(LIMITS);
    const counted = Array.from({ length: 4 }, () => slots.count("a", new PassThrough()));
    const made = slots.take("a", new PassThrough());
    for (const release of counted.slice(0, 2)) release();
    expect(await isSettled(made)).toBe(false);
    for (const other of ["b", "c"]) await slots.take(other, new PassThrough());
    counted[2]?.();
    await made;
  });
});

describe("a response with a large answer", () => {
  const BYTES = Buffer.alloc(32 * 1024 * 1024, "a");

  async function serveOnce(answer: (response: ServerResponse) => void): Promise<number> {
    const server = createServer((_request, response) => answer(response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  it("is cut off when its client takes nothing, and gives its place back", async () => {
    const given = Promise.withResolvers<void>();
    const port = await serveOnce((response) => {
      holdUntilClosed(response, given.resolve, 200);
      response.end(BYTES);
    });
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    onTestFinished(() => void socket.destroy());
    await given.promise;
  });

  it("is not cut off while its client takes something now and then", async () => {
    const STANDSTILL_MS = 2_000;
    let isGiven = false;
    const port = await serveOnce((response) => {
      holdUntilClosed(
        response,
        () => {
          isGiven = true;
        },
        STANDSTILL_MS,
      );
      response.end(BYTES);
    });
    const response = await fetch(`http://127.0.0.1:${port}`);
    const reader = (response.body ?? expect.fail("no body")).getReader();
    const startedAt = performance.now();
    let bytes = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      bytes += value.length;
      // Slower than the limit in all, far from as slow as that between two looks.
      if (performance.now() - startedAt < STANDSTILL_MS + 100) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(bytes).toBe(BYTES.length);
    expect(performance.now() - startedAt).toBeGreaterThan(STANDSTILL_MS);
    await expect.poll(() => isGiven).toBe(true);
  });

  it("gives its place back at once when it was closed before", async () => {
    const given = Promise.withResolvers<void>();
    const port = await serveOnce((response) => {
      response.once("close", () => holdUntilClosed(response, given.resolve));
      socket.destroy();
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await given.promise;
  });
});
