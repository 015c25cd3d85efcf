import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeKey, rotateKey } from "../../src/access/key-admin.ts";
import { ManualClock } from "../manual-clock.ts";
import { TEST_ORIGIN } from "../test-origin.ts";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { readStored } from "../test-store.ts";
import { HOST, JSON_TYPE, PREFIX } from "./hostile-case.ts";
import { findKeyTraces, findKeyTracesIn } from "./key-traces.ts";
import { openRaw } from "./raw-connection.ts";

const clock = new ManualClock(Date.now());
const keys: string[] = [];
const answers: string[] = [];
let server: TestServer;
let orgId: string;
let key: string;
let keyId: string;

beforeAll(async () => {
  server = await startTestServer({ clock, config: { trustedProxies: ["127.0.0.1"] } });
  orgId = await makeOrg(server);
  ({ key, id: keyId } = await makeKey(server, orgId));
  const revoked = await makeKey(server, orgId);
  const expiring = await makeKey(server, orgId, ["teams:read"], clock.wallMs() + 60_000);
  await revokeKey(server.store, revoked.id, TEST_ORIGIN);
  const { successor } = await rotateKey(server.store, expiring.id, 0, TEST_ORIGIN);
  keys.push(key, revoked.key, expiring.key, successor.key);
  clock.advance(60_000);
});

afterAll(() => server.stop());

/** Sends the bytes and keeps whatever comes back. */
async function say(bytes: string): Promise<void> {
  clock.advance(60_000);
  const connection = await openRaw(server.origin);
  connection.send(bytes);
  connection.socket.end();
  answers.push(await connection.readToEnd());
}

/** Everything a person might do with a key instead of sending it rightly. */
function oddPlaces(secret: string): string[] {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const targets = [
    `${PREFIX}/players?key=${secret}`,
    `${PREFIX}/players?${secret}=1`,
    `${PREFIX}/players?limit=${secret}`,
    `${PREFIX}/players?cursor=${secret}`,
    `${PREFIX}/players?sort=${secret}`,
    `${PREFIX}/players?teamId=${secret}`,
    `${PREFIX}/players?%zz${secret}=1`,
    `${PREFIX}/players?a=1&${secret}&${secret}`,
    `${PREFIX}/players/${secret}`,
    `${PREFIX}/${secret}`,
    `/${secret}`,
    `/healthz?key=${secret}`,
    `/metrics?key=${secret}`,
    `/docs?key=${secret}`,
  ];
  const headers = [
    `Authorization: ${secret}\r\n`,
    `Authorization: Token ${secret}\r\n`,
    `Authorization: Bearer ${secret}x\r\n`,
    `Authorization: Bearer ${secret.slice(0, -1)}\r\n`,
    `Authorization: Bearer ${secret}, ${secret}\r\n`,
    `Authorization: Basic ${Buffer.from(`${secret}:`).toString("base64")}\r\n`,
    `Authorization: Basic ${Buffer.from(`user:${secret}`).toString("base64")}\r\n`,
    `Authorization: Bearer ${secret}\r\nX-Forwarded-For: 203.0.113.1\r\nX-Forwarded-Proto: http\r\n`,
    `X-Api-Key: ${secret}\r\nCookie: key=${secret}\r\nUser-Agent: ${secret}\r\nReferer: https://x.example/${secret}\r\n`,
    `${authorization}X-Request-Id: ${secret}\r\nTraceparent: ${secret}\r\n`,
    `X-Forwarded-For: ${secret}\r\n`,
    `Expect: ${secret}\r\n`,
    `Transfer-Encoding: ${secret}\r\n`,
    `${secret}\0: a\r\n`,
    `X-A: ${secret.repeat(400)}\r\n`,
  ];
  const bodies = [
    `{"${secret}":1}`,
    `{"${secret}":1,"${secret}":2}`,
    `{"ign":"${secret}${secret}","role":"Player"}`,
    `{"ign":"Vex","role":"${secret}"}`,
    `{"ign":"Vex","role":"Player","teamId":"${secret}","status":"${secret}","imageUrl":"${secret}"}`,
    `{"ign":"Vex","role":"Player","externalIds":{"${secret}":"a"}}`,
    `{"ign":"Vex","role":"Player","stats":{"${secret}":[]}}`,
    `{"ign":"${secret}`,
  ];
  return [
    ...targets.map((target) => `GET ${target} HTTP/1.1\r\n${HOST}${authorization}\r\n`),
    ...headers.map((lines) => `GET ${PREFIX}/players HTTP/1.1\r\n${HOST}${lines}\r\n`),
    ...bodies.map(
      (body) =>
        `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${authorization}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}`,
    ),
    `POST ${PREFIX}/players HTTP/1.1\r\n${HOST}${authorization}Content-Type: ${secret}\r\nContent-Length: 2\r\n\r\n{}`,
    `GET ${PREFIX}/players HTTP/1.1\r\nHost: ${secret}@x\r\n\r\n`,
    `${secret} ${PREFIX}/players HTTP/1.1\r\n${HOST}\r\n`,
    `GET ${PREFIX}/${secret} HTTP/9.9\r\n${HOST}\r\n`,
    `${secret}\r\n\r\n`,
  ];
}

describe("keys in odd places", () => {
  it("leave nothing beyond their shown prefix in data folder, store, log, metrics or any answer", async () => {
    for (const secret of keys) {
      await call(server, "GET", "/players", { key: secret });
      for (const bytes of oddPlaces(secret)) await say(bytes);
    }
    await call(server, "POST", "/players", { key, body: { ign: "Vex", role: "Player" } });
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(findKeyTraces(server.dataDir, server.logged(), keys)).toEqual([]);
    expect(findKeyTracesIn("metrics", metrics, keys)).toEqual([]);
    expect(findKeyTracesIn("store", await readStored(server.dataDir), keys)).toEqual([]);
    for (const answer of answers) expect(findKeyTracesIn("answer", answer, keys)).toEqual([]);
    expect(answers.filter((answer) => answer === "" || /^HTTP\/1\.1 5/.test(answer))).toEqual([]);
  });
});

describe("the log", () => {
  it("has one line a request: its id, key, organization, route, status, code and duration", async () => {
    const before = server.logged();
    const good = await call(server, "GET", "/players?search=secretive", { key });
    const bad = await call(server, "PATCH", "/players/secretive", { key, body: {} });
    const unknown = await call(server, "GET", "/secretive");
    const lines = server.logged().slice(before.length).trim().split("\n");
    const [first, second, third, ...rest] = lines.map((line) => JSON.parse(line));
    expect(rest).toEqual([]);
    const common = { level: 30, time: expect.any(String), durationMs: expect.any(Number), msg: "request" };
    const holder = { keyId, orgId };
    expect(first).toEqual({
      ...common,
      ...holder,
      requestId: good.headers.get("x-request-id"),
      route: "GET /players",
      status: 200,
    });
    expect(second).toEqual({
      ...common,
      ...holder,
      requestId: bad.headers.get("x-request-id"),
      route: "PATCH /players/{id}",
      status: 400,
      code: "VALIDATION_ERROR",
    });
    expect(third).toEqual({
      ...common,
      requestId: unknown.headers.get("x-request-id"),
      route: "unknown",
      status: 401,
      code: "INVALID_API_KEY",
    });
    expect(lines.join("")).not.toContain("secretive");
  });

  it("names whose key was refused", async () => {
    const revoked = await makeKey(server, orgId);
    await revokeKey(server.store, revoked.id, TEST_ORIGIN);
    await call(server, "GET", "/players", { key: revoked.key });
    const last = JSON.parse(server.logged().trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ keyId: revoked.id, orgId, status: 403, code: "KEY_REVOKED" });
  });
});

describe("the search for traces", () => {
  const secret = `lineup_live_${"AbCd"}${"0123456789abcdefghijklmnopqrstuvwx"}`;

  it.each([
    ["the whole key", secret],
    ["eight characters of it", "…89abcdef…"],
    ["UTF-16", Buffer.from(`x${secret}`, "utf16le")],
    ["base64 of it, at any place", Buffer.from(`a:${secret}`).toString("base64")],
    ["base64 of it, one further", Buffer.from(`ab:${secret}`).toString("base64")],
    ["base64 of it, two further", Buffer.from(`abc:${secret}`).toString("base64url")],
    ["hexadecimal", Buffer.from(secret).toString("hex")],
    ["a logged buffer", JSON.stringify(Buffer.from(`GET ${secret}`))],
  ])("finds %s, in the log and in a file of a folder", (_, content) => {
    expect(findKeyTracesIn("x", content, [secret])).not.toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), "lineup-traces-"));
    writeFileSync(join(folder, "some-wal"), content);
    const where = findKeyTraces(folder, content.toString("latin1"), [secret]).map((trace) => trace.where);
    rmSync(folder, { recursive: true });
    expect(new Set(where)).toEqual(new Set(["log", join(folder, "some-wal")]));
  });

  it("finds nothing in what may be shown", () => {
    expect(findKeyTracesIn("x", `${secret.slice(0, 16)}… 0123456 ${secret.slice(0, 16)}`, [secret])).toEqual([]);
  });
});
