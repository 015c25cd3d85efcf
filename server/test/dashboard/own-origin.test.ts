import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { requireAction } from "@lineup/api/dashboard/actions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOST } from "../hostile/hostile-case.ts";
import { openRaw } from "../hostile/raw-connection.ts";
import { makeWorld, readWorld, sampleInputs, type World } from "./dashboard-world.ts";
import { ACTION_NAMES, isWrite, urlOf, Visitor } from "./visitor.ts";

const PUBLIC = "https://lineup.example.com";
const PROBE = { probe: "1" };

let world: World;
let port: string;

beforeAll(async () => {
  world = await makeWorld({ config: { trustedProxies: ["127.0.0.1"] } });
  port = new URL(world.server.origin).port;
});
afterAll(() => world?.stop());

const WRITES = ACTION_NAMES.filter(isWrite);
const READS = ACTION_NAMES.filter((name) => !isWrite(name));

/** Who may do it, so that nothing but its origin keeps it from being done. */
function mayOf(name: (typeof ACTION_NAMES)[number]): Visitor {
  return requireAction(name).access === "operator" ? world.visitors.operator : world.visitors.owner;
}

describe("a write", () => {
  it.each(WRITES)("%s: is refused unless it says that it comes from the site itself", async (name) => {
    const before = await readWorld(world);
    const input = sampleInputs(world, world.first)[name];
    const origins = [
      null,
      "null",
      "",
      "https://evil.example",
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${Number(port) + 1}`,
      "http://127.0.0.1",
      `http://127.0.0.1:${port}.evil.example`,
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}, https://evil.example`,
    ];
    for (const origin of origins) {
      const reply = await mayOf(name).try(name, input, { headers: { origin } });
      expect([origin, reply.status, reply.code]).toEqual([origin, 403, "FORBIDDEN"]);
    }
    for (const site of ["cross-site", "same-site", "none", ""]) {
      const reply = await mayOf(name).try(name, input, { headers: { "sec-fetch-site": site } });
      expect([site, reply.status, reply.code]).toEqual([site, 403, "FORBIDDEN"]);
    }
    const own = await mayOf(name).try(
      name,
      { ...input, query: PROBE },
      { headers: { "sec-fetch-site": "same-origin" } },
    );
    expect(own.code).toBe("VALIDATION_ERROR");
    expect(await readWorld(world)).toBe(before);
  });

  it.each(WRITES)("%s: is refused as the kinds of content that forms can send", async (name) => {
    const before = await readWorld(world);
    const input = sampleInputs(world, world.first)[name];
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
      const body = JSON.stringify(input.body ?? {});
      const reply = await mayOf(name).try(name, { ...input, body }, { headers: { "content-type": type } });
      expect([type, reply.status, reply.code]).toEqual([type, 400, "VALIDATION_ERROR"]);
    }
    expect(await readWorld(world)).toBe(before);
  });
});

describe("a read", () => {
  it.each(READS)("%s: is refused to other sites, and given to a person who types its address", async (name) => {
    const input = sampleInputs(world, world.first)[name];
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const reply = await mayOf(name).try(name, input, { headers });
      expect([headers, reply.status, reply.code]).toEqual([headers, 403, "FORBIDDEN"]);
    }
    for (const headers of [{ origin: null }, { origin: null, "sec-fetch-site": "none" }]) {
      const reply = await mayOf(name).try(name, { ...input, query: PROBE }, { headers });
      expect([headers, reply.code]).toEqual([headers, "VALIDATION_ERROR"]);
    }
  });

  it("answers HEAD as GET, without the body", async () => {
    const whole = await world.visitors.owner.try("getSession");
    const head = await world.visitors.owner.try("getSession", {}, { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(Math.abs(Number(head.headers.get("content-length")) - whole.text.length)).toBeLessThan(3);
    const refused = await world.visitors.nobody.try("listSessions", {}, { method: "HEAD" });
    expect([refused.status, refused.text]).toEqual([401, ""]);
  });
});

describe("the site's own origin", () => {
  /** As a proxy in front would send it. */
  async function askThrough(headers: Record<string, string>) {
    const visitor = new Visitor(world.server);
    return visitor.try("signOut", { query: PROBE }, { headers });
  }

  it("is what the client sees, behind a trusted proxy too", async () => {
    const proxied = {
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "lineup.example.com",
    };
    expect((await askThrough({ ...proxied, origin: PUBLIC })).code).toBe("VALIDATION_ERROR");
    expect((await askThrough({ ...proxied, origin: `${PUBLIC}:8443` })).code).toBe("FORBIDDEN");
    expect((await askThrough({ ...proxied, origin: world.server.origin })).code).toBe("FORBIDDEN");
    expect((await askThrough({ ...proxied, origin: "http://lineup.example.com" })).code).toBe("FORBIDDEN");
    const withPort = { ...proxied, "x-forwarded-host": "evil.example, lineup.example.com:8443" };
    expect((await askThrough({ ...withPort, origin: `${PUBLIC}:8443` })).code).toBe("VALIDATION_ERROR");
  });

  it("is never plain HTTP from another machine", async () => {
    const plain = {
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "lineup.example.com",
    };
    const reply = await askThrough({ ...plain, origin: "http://lineup.example.com" });
    expect([reply.code, reply.body.error.message]).toEqual(["FORBIDDEN", expect.stringContaining("HTTPS is required")]);
  });

  it("is on this machine no name but its own, so that a name made to lead here opens nothing", async () => {
    for (const [host, status] of [
      [`localhost:${port}`, 400],
      [`127.0.0.1:${port}`, 400],
      [`[::1]:${port}`, 400],
      [`rebound.example:${port}`, 403],
      [`localhost.evil.example:${port}`, 403],
      ["user@localhost", 400],
    ] as const) {
      const connection = await openRaw(world.server.origin);
      connection.send(
        `DELETE ${ACTIONS_PATH}/session?probe=1 HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n\r\n`,
      );
      const answer = await connection.readAnswer();
      expect([host, answer.status]).toEqual([host, status]);
      connection.close();
    }
  });

  it("is the address that the operator has given, whatever a proxy makes of the host", async () => {
    const served = await makeWorld({ config: { publicUrl: PUBLIC, trustedProxies: [] } });
    try {
      const visitor = new Visitor(served.server);
      const through = await visitor.try("signOut", { query: PROBE }, { headers: { origin: PUBLIC } });
      expect(through.code).toBe("VALIDATION_ERROR");
      const foreign = await visitor.try("signOut", { query: PROBE }, { headers: { origin: "https://evil.example" } });
      expect(foreign.code).toBe("FORBIDDEN");
      const made = await served.visitors.owner.do("invite", {
        path: { orgId: served.first },
        body: { email: "new@example.com", role: "viewer" },
      });
      expect(made.link).toMatch(/^https:\/\/lineup\.example\.com\/link#[\w-]{43}$/);
    } finally {
      await served.stop();
    }
  });
});

describe("an address that was tampered with", () => {
  it("leads nowhere, and is answered like any that is not there", async () => {
    for (const path of [
      "/internal/session/../session",
      "/internal/./session",
      "/internal/%2e%2e/internal/session",
      "/x/../internal/session",
      "/internal/orgs/%",
      "/internal%2fsession",
      "/internal/session%00",
      "/internal/session%20",
      `/internal/orgs/${world.second}/../${world.first}/keys`,
      "/internal/session/%2e",
      `${world.server.origin}/internal/nothing`,
    ]) {
      const connection = await openRaw(world.server.origin);
      connection.send(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`);
      const answer = await connection.readAnswer();
      expect([path, answer.status]).toEqual([path, 404]);
      connection.close();
    }
  });

  it("finds the same action in a request line that holds the whole address", async () => {
    const connection = await openRaw(world.server.origin);
    connection.send(
      `GET http://127.0.0.1:${port}${urlOf(requireAction("getSession"), {})} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    );
    const answer = await connection.readAnswer();
    expect([answer.status, JSON.parse(answer.body).user]).toEqual([200, null]);
    connection.close();
  });
});
