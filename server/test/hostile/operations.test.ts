import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, makeKey, makeOrg, startTestServer, type TestServer } from "../test-server.ts";
import { expectNoCors } from "./answer-rules.ts";
import { HOST } from "./hostile-case.ts";
import { openRaw } from "./raw-connection.ts";

const TOKEN = "a-token-for-metrics-0123456789";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ config: { metricsToken: TOKEN, trustedProxies: ["127.0.0.2"] } });
});
afterAll(() => server.stop());

async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const response = await fetch(server.origin + path, { method, headers });
  expectNoCors(response.headers);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("/healthz and /readyz", () => {
  it.each([
    ["/healthz", '{"status":"alive"}'],
    ["/readyz", '{"status":"ready"}'],
  ])("%s answers without a key and is not to be stored", async (path, body) => {
    const reply = await get(path);
    expect([reply.status, reply.text]).toEqual([200, body]);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  it.each(["/healthz", "/readyz", "/metrics"])("%s answers HEAD without a body", async (path) => {
    const reply = await get(path, {}, "HEAD");
    expect([reply.status, reply.text]).toEqual([200, ""]);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("have no %s", async (method) => {
    expect((await get("/healthz", {}, method)).status).toBe(404);
    expect((await get("/metrics", {}, method)).status).toBe(404);
  });

  it("stand beside paths that cannot be decoded, which lead nowhere and count for nothing", async () => {
    const { status, headers, text } = await get("/%zz");
    expect([status, text]).toEqual([404, '{"message":"Nothing is here. The API is documented at /docs."}']);
    expect(headers.has("ratelimit")).toBe(false);
  });

  it("take a body that nobody asked for as calmly as any", async () => {
    const connection = await openRaw(server.origin);
    connection.send(`GET /healthz HTTP/1.1\r\n${HOST}Content-Type: text/x\r\nContent-Length: 3\r\n\r\nabc`);
    expect((await connection.readAnswer()).status).toBe(200);
    connection.send(`POST /healthz HTTP/1.1\r\n${HOST}Content-Type: text/x\r\nContent-Length: 3\r\n\r\nabc`);
    expect((await connection.readAnswer()).status).toBe(404);
    connection.close();
    for (const body of ["{", "\xff", " ".repeat(2_000_000)]) {
      const stray = await openRaw(server.origin);
      const head = `POST /nope HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      stray.send(head + body);
      const { status } = await stray.readAnswer();
      expect(status >= 400 && status < 500).toBe(true);
      stray.close();
    }
  });

  it("say 503 from the call to stop on, while requests are still served until the drain is over", async () => {
    const draining = await startTestServer({ config: { drainMs: 400 } });
    const { key } = await makeKey(draining, await makeOrg(draining));
    const stopped = draining.stop();
    const ready = await fetch(`${draining.origin}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { status: "unavailable" }]);
    expect((await fetch(`${draining.origin}/healthz`)).status).toBe(200);
    expect((await call(draining, "GET", "/me", { key })).status).toBe(200);
    await stopped;
    await expect(fetch(`${draining.origin}/healthz`)).rejects.toThrow();
  });

  it("tell an unusable store from a live process, and say nothing of the inside", async () => {
    const broken = await startTestServer();
    const { key } = await makeKey(broken, await makeOrg(broken));
    await broken.store.close();
    const ready = await fetch(`${broken.origin}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toBe('{"status":"unavailable","reason":"the store cannot be used; the log says why"}');
    expect((await fetch(`${broken.origin}/healthz`)).status).toBe(200);
    const failed = await call(broken, "GET", "/me", { key });
    expect([failed.status, failed.body.error.code]).toEqual([500, "INTERNAL_ERROR"]);
    expect(failed.text).not.toMatch(/database|sqlite|closed|stack|\.ts/i);
    expect(broken.logged()).toContain(failed.body.meta.requestId);
    await broken.stop();
  });
});

describe("/metrics", () => {
  it("are for this machine", async () => {
    const reply = await get("/metrics");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(reply.text).toContain("lineup_requests_total");
  });

  it("are for those who hold the token, even through a proxy nobody named", async () => {
    const proxied = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
    expect((await get("/metrics", proxied)).status).toBe(403);
    expect((await get("/metrics", { "x-forwarded-proto": "https" })).status).toBe(403);
    expect((await get("/metrics", { forwarded: "for=203.0.113.7;proto=https" })).status).toBe(403);
    for (const given of ["Bearer wrong", `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`]) {
      expect((await get("/metrics", { ...proxied, authorization: given })).status).toBe(403);
    }
    expect((await get("/metrics", { ...proxied, authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect((await get("/metrics", { ...proxied, authorization: `bearer  ${TOKEN} ` })).status).toBe(200);
  });

  it("stay shut to a token that came over plain HTTP", async () => {
    const authorization = `Bearer ${TOKEN}`;
    const claims = [
      { "x-forwarded-for": "203.0.113.7" },
      { "x-forwarded-proto": "http" },
      { forwarded: "for=_hidden" },
    ];
    for (const headers of claims) {
      const reply = await get("/metrics", { ...headers, authorization });
      expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("over HTTPS")]);
    }
  });

  it("stay shut to others where no token is set, whatever they send", async () => {
    const closed = await startTestServer();
    const headers = { "x-forwarded-for": "127.0.0.1", authorization: "Bearer undefined" };
    expect((await fetch(`${closed.origin}/metrics`, { headers })).status).toBe(403);
    await closed.stop();
  });

  const ownAddress = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

  it.skipIf(ownAddress === undefined)("are not for other machines", async () => {
    const config = { host: "0.0.0.0", trustedProxies: ["203.0.113.250"], metricsToken: TOKEN };
    const open = await startTestServer({ config });
    const url = `http://${ownAddress}:${new URL(open.origin).port}/metrics`;
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(403);
    expect((await fetch(url, { headers: { "x-forwarded-for": "127.0.0.1" } })).status).toBe(403);
    await open.stop();
  });

  it("hold nothing that a client sent: no id, no key, no query, no path", async () => {
    const orgId = await makeOrg(server);
    const { id, key } = await makeKey(server, orgId);
    const made = await call(server, "POST", "/players", { key, body: { ign: "Quill", role: "Player" } });
    await call(server, "GET", `/players/${made.body.data.id}?peculiar=value`, { key });
    await call(server, "GET", "/players?search=peculiar", { key });
    await call(server, "GET", "/peculiar/path", { key });
    await call(server, "PROPFIND", "/players", { key });
    const { text } = await get("/metrics");
    for (const sent of [made.body.data.id, id, orgId, key.slice(0, 16), "peculiar", "Quill", "PROPFIND", "req_"]) {
      expect(text).not.toContain(sent);
    }
    const labels = [...text.matchAll(/^lineup_requests_total\{(.*)\} /gm)].map((match) => match[1]);
    expect(labels).toContain('route="POST /players",status="201",code=""');
    expect(labels).toContain('route="GET /players/{id}",status="400",code="INVALID_PARAMETER"');
    expect(labels).toContain('route="unknown",status="404",code="NOT_FOUND"');
  });
});
