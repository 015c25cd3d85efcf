import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { expectAnswer, expectNoCors } from "./answer-rules.ts";
import { openHeld } from "./held-connection.ts";
import { CREATED, HOST, OK, PREFIX, REFUSED } from "./hostile-case.ts";
import { openRaw, RawConnection } from "./raw-connection.ts";
import { makeSelfSigned } from "./self-signed.ts";

const folder = mkdtempSync(join(tmpdir(), "lineup-tls-"));
const certFile = join(folder, "cert.pem");
const keyFile = join(folder, "key.pem");
let server: TestServer;
let key: string;

function install(pair: { readonly cert: string; readonly key: string }): void {
  writeFileSync(certFile, pair.cert);
  writeFileSync(keyFile, pair.key);
}

async function openTls(): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(server.origin).port), host: "127.0.0.1", rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  return socket;
}

async function servedSerial(): Promise<number> {
  const socket = await openTls();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return Number.parseInt(serialNumber, 16);
}

async function waitForSerial(serial: number): Promise<void> {
  const deadline = performance.now() + 25_000;
  while ((await servedSerial()) !== serial) {
    if (performance.now() > deadline) throw new Error(`The certificate ${serial} was not taken up.`);
    await wait(100);
  }
}

async function waitForLog(text: string, times = 1): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (server.logged().split(text).length <= times) {
    if (performance.now() > deadline) throw new Error(`This was not logged ${times} times: ${text}`);
    await wait(50);
  }
}

beforeAll(async () => {
  install(makeSelfSigned(1001));
  server = await startTestServer({
    config: { tls: { certFile, keyFile } },
    arrival: { headersMs: 1_500, requestMs: 5_000 },
  });
  key = (await makeKey(server, await makeOrg(server))).key;
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function get(path: string): Promise<{ status: number | undefined; body: string; headers: Record<string, unknown> }> {
  const agent = new Agent({ rejectUnauthorized: false });
  const options = { agent, headers: { authorization: `Bearer ${key}` } };
  return new Promise((resolve, reject) => {
    request(server.origin + path, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.on("end", () => {
        agent.destroy();
        resolve({ status: response.statusCode, body, headers: response.headers });
      });
    })
      .once("error", reject)
      .end();
  });
}

describe("HTTPS", () => {
  it("is served with the certificate of the settings, and says so in its address", async () => {
    expect(server.origin).toMatch(/^https:/);
    const reply = await get(`${PREFIX}/me`);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body).success).toBe(true);
    expectNoCors(new Map(Object.entries(reply.headers)));
    expect(await servedSerial()).toBe(1001);
  });

  it("gives what is not HTTP the same refusal inside TLS", async () => {
    const connection = new RawConnection(await openTls());
    connection.send(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n\r\n`);
    expectAnswer(await connection.readAnswer(), OK);
    connection.send("garbage\r\n\r\n");
    expectAnswer(await connection.readAnswer(), REFUSED);
    expect(await connection.readToEnd()).toBe("");
  });

  const ask = (path: string, headers = "") => `GET ${PREFIX}${path} HTTP/1.1\r\n${HOST}${headers}`;
  const BODY = '{"ign":"Vex","role":"Player"}';
  const TYPE = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
  it.each<[string, readonly number[], (authorized: string) => readonly string[]]>([
    [
      "the head and the body of a write",
      [201],
      (by) => [`POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${TYPE}${by}`, BODY],
    ],
    ["the halves of a head", [200], (by) => [ask("/me"), by]],
    ["what Node reads, and what is plain", [200, 200], (by) => [ask("/me", "Expect: x\r\n") + by, ask("/me") + by]],
    ["what is plain, half a request, and its rest", [200, 200], (by) => [ask("/me") + by, ask("/me"), by]],
    ["many, each alone", Array(9).fill(200), (by) => Array(9).fill(ask("/players") + by)],
  ])("reads in their order %s that come together, each in a record of its own", async (_, statuses, piecesBy) => {
    const held = openHeld(Number(new URL(server.origin).port));
    const socket = connect({ socket: held.stream, rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    const connection = new RawConnection(socket);
    held.hold();
    for (const piece of piecesBy(`Authorization: Bearer ${key}\r\n\r\n`)) {
      await new Promise((resolve) => socket.write(piece, resolve));
    }
    held.release();
    for (const status of statuses) expectAnswer(await connection.readAnswer(), { ...OK, status });
    connection.close();
  });

  it.each<[string, number, (post: string) => readonly string[]]>([
    ["a write", 1, (post) => [post]],
    ["a write in two pieces", 1, (post) => [post.slice(0, -BODY.length), BODY]],
    ["two writes at once", 2, (post) => [post + post]],
    ["a write, and two at once behind it", 3, (post) => [post, post + post]],
    [
      "a write, and two and a half and the rest behind it",
      4,
      (post) => [post, post + post + post.slice(0, 9), post.slice(9)],
    ],
  ])("answers %s to who closes its own side after it, and then closes", async (_, answers, piecesOf) => {
    const head = `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${TYPE}Authorization: Bearer ${key}\r\n\r\n`;
    // Whether the end is read before the answer is there differs from time to time.
    for (let round = 0; round < 20; round++) {
      const connection = new RawConnection(await openTls());
      for (const piece of piecesOf(head + BODY)) connection.send(piece);
      connection.socket.end();
      for (let answer = 0; answer < answers; answer++) expectAnswer(await connection.readAnswer(), CREATED);
      expect(await connection.readToEnd()).toBe("");
    }
  });

  it.each([
    ["plain HTTP", `GET ${PREFIX}/me HTTP/1.1\r\n${HOST}\r\n`],
    ["garbage", "\x16\x03garbage"],
  ])("refuses %s on its port by closing, and goes on", async (_, bytes) => {
    const before = server.logged();
    const connection = await openRaw(server.origin.replace("https:", "http:"));
    connection.send(bytes);
    const leftover = await connection.readToEnd();
    // At most a TLS alert comes back, never an answer in the clear.
    expect(leftover).not.toContain("HTTP");
    expect(server.logged()).toBe(before);
    expect((await get("/healthz")).status).toBe(200);
  });

  it("lets go of who does not come to the point of the handshake", async () => {
    const connection = await openRaw(server.origin.replace("https:", "http:"));
    const startedAt = performance.now();
    expect(await connection.readToEnd()).toBe("");
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it("refuses TLS older than 1.2", async () => {
    const socket = connect({
      port: Number(new URL(server.origin).port),
      host: "127.0.0.1",
      rejectUnauthorized: false,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const outcome = await new Promise((resolve) => {
      socket.once("secureConnect", () => resolve("connected")).once("error", () => resolve("refused"));
    });
    socket.destroy();
    expect(outcome).toBe("refused");
  });

  it("takes up a changed certificate without a restart, and open connections stay", async () => {
    const open = new RawConnection(await openTls());
    const askAgain = async () => {
      open.send(`GET ${PREFIX}/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n\r\n`);
      expectAnswer(await open.readAnswer(), OK);
    };
    await askAgain();
    install(makeSelfSigned(2002));
    await waitForSerial(2002);
    await askAgain();
    open.close();
  });

  it("keeps its certificate while the files do not fit together, and takes up the pair once they do", async () => {
    const third = makeSelfSigned(3003);
    writeFileSync(certFile, third.cert);
    await waitForLog("cannot be used yet");
    expect((await get("/healthz")).status).toBe(200);
    expect(await servedSerial()).not.toBe(3003);
    writeFileSync(keyFile, "not a key");
    await waitForLog("cannot be used yet", 2);
    expect((await get("/healthz")).status).toBe(200);
    install(third);
    await waitForSerial(3003);
  });
});
