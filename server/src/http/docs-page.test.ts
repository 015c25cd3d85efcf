import type { AddressInfo } from "node:net";
import { BASE_PATH } from "@lineup/api/endpoint";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { EXAMPLE_ORIGIN, readGuides, registerDocs } from "./docs-page.ts";
import { buildOpenApi } from "./openapi.ts";

const document = buildOpenApi({ version: "1.2.3", serverUrl: BASE_PATH });
let app: FastifyInstance;
let origin: string;

beforeAll(async () => {
  app = Fastify();
  registerDocs(app, async () => document);
  await app.listen({ host: "127.0.0.1", port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

afterAll(() => app.close());

/** Every address that the page itself makes the browser fetch. */
function listLoaded(html: string): string[] {
  return [...html.matchAll(/<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]*)"/g)].map(([, url]) => url ?? "");
}

describe("the docs", () => {
  it("serve the document as it was built", async () => {
    const answer = await fetch(`${origin}/openapi.json`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await answer.json()).toEqual(document);
  });

  it.each(["/docs", "/docs/"])("serve a page at %s that loads and runs only what this origin serves", async (path) => {
    const answer = await fetch(`${origin}${path}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await answer.text();
    expect(html).not.toMatch(/https?:|(?:src|href)="\/\//);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    const loaded = listLoaded(html).filter((url) => !url.startsWith("data:"));
    expect(loaded).toEqual(["/docs/start.js", "/docs/scalar.js"]);
    for (const url of loaded) {
      const script = await fetch(`${origin}${url}`);
      expect(script.status, url).toBe(200);
      expect(script.headers.get("content-type"), url).toBe("text/javascript; charset=utf-8");
    }
  });

  it("forbid the page to reach another host, to be framed and to send a referrer", async () => {
    const { headers } = await fetch(`${origin}/docs`);
    const policy = new Map(
      (headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
        const [name, ...sources] = directive.split(" ");
        return [name, sources];
      }),
    );
    expect(policy.get("default-src")).toEqual(["'none'"]);
    expect(policy.get("script-src")).toEqual(["'self'"]);
    expect(policy.get("connect-src")).toEqual(["'self'"]);
    expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
    const harmless = new Set(["'none'", "'self'", "data:"]);
    for (const [name, sources] of policy) {
      const extra = sources.filter((source) => !harmless.has(source));
      expect(extra, name).toEqual(name === "style-src" ? ["'unsafe-inline'"] : []);
    }
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("start the reference with every part off that would call somebody else or keep the key", async () => {
    const text = await (await fetch(`${origin}/docs/start.js`)).text();
    const configuration = JSON.parse(/^const configuration = (.*);$/m.exec(text)?.[1] ?? "null");
    expect(configuration).toMatchObject({
      proxyUrl: "",
      persistAuth: false,
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: "never",
      hideClientButton: true,
    });
    expect(text.replace(EXAMPLE_ORIGIN, "")).not.toMatch(/https?:/);
  });

  it("serve the guides as one text, which programs do not find in the document", async () => {
    const answer = await fetch(`${origin}/docs/guides.md`);
    expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await answer.text();
    expect(text).toBe(readGuides());
    expect(text).toContain(EXAMPLE_ORIGIN);
    expect(JSON.stringify(document)).not.toContain(EXAMPLE_ORIGIN);
  });

  it("serve the reference script whole", async () => {
    const script = await (await fetch(`${origin}/docs/scalar.js`)).text();
    expect(script.length).toBeGreaterThan(1_000_000);
    expect(() => new Function(script)).not.toThrow();
    expect(script).toContain("createApiReference");
  });

  it.each(["/docs", "/docs/start.js", "/docs/guides.md", "/docs/scalar.js", "/openapi.json"])(
    "let a browser keep %s and ask whether it is current",
    async (path) => {
      const first = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "identity" } });
      const plain = await first.text();
      expect(first.headers.get("content-encoding")).toBeNull();
      expect(first.headers.get("cache-control")).toBe("no-cache");
      expect(first.headers.get("x-content-type-options")).toBe("nosniff");
      const gzipped = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "br, gzip;q=0.5" } });
      expect(gzipped.headers.get("content-encoding")).toBe("gzip");
      expect(await gzipped.text()).toBe(plain);
      const refused = await fetch(`${origin}${path}`, { headers: { "accept-encoding": "gzip;q=0" } });
      expect(refused.headers.get("content-encoding")).toBeNull();
      await refused.arrayBuffer();
      const etag = first.headers.get("etag") ?? "";
      const again = await fetch(`${origin}${path}`, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect((await fetch(`${origin}${path}`, { method: "HEAD" })).status).toBe(200);
    },
  );
});

it("makes the document when it is first asked for, once, and again where that failed", async () => {
  let calls = 0;
  const lazy = Fastify();
  onTestFinished(() => lazy.close());
  registerDocs(lazy, async () => {
    calls++;
    if (calls === 1) throw new Error("not this time");
    return document;
  });
  await lazy.ready();
  expect(calls).toBe(0);
  const ask = async () => (await lazy.inject({ url: "/openapi.json" })).statusCode;
  expect(await ask()).toBe(500);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
  expect(calls).toBe(2);
});
