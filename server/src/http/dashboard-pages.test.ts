import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { PAGE_PATHS } from "@lineup/api/dashboard/pages";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw } from "../../test/hostile/raw-connection.ts";
import { makeClientResolver } from "./client-address.ts";
import { readDashboard } from "./dashboard-files.ts";
import { registerPages } from "./dashboard-pages.ts";

const SCRIPT = `console.log("${"lineup ".repeat(300)}");`;
const HTML = { accept: "text/html,application/xhtml+xml" };

let folder: string;
let app: FastifyInstance;
let origin: string;

async function serve(folderOfBuild: string, publicUrl?: string): Promise<[FastifyInstance, string]> {
  const served = Fastify({ forceCloseConnections: true });
  const build = readDashboard(folderOfBuild);
  registerPages(served, {
    build,
    publicUrl,
    resolveClient: makeClientResolver(["127.0.0.1"]),
    prepare: () => undefined,
  });
  await served.listen({ host: "127.0.0.1", port: 0 });
  return [served, `http://127.0.0.1:${(served.server.address() as AddressInfo).port}`];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lineup-pages-"));
  const dist = join(folder, "dist");
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(
    join(dist, "index.html"),
    '<!doctype html><meta name="style-nonce" content="__STYLE_NONCE__"><script type="module" src="/assets/index-a1b2.js"></script>',
  );
  await writeFile(join(dist, "assets/index-a1b2.js"), SCRIPT);
  await writeFile(join(dist, "assets/index-a1b2.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(dist, "assets/index-a1b2.js.gz"), gzipSync(SCRIPT));
  await writeFile(join(dist, "favicon.svg"), "<svg/>");
  await writeFile(join(dist, ".built.json"), "{}");
  await writeFile(join(folder, "secret.txt"), "nobody's business");
  [app, origin] = await serve(dist);
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

function directivesOf(headers: Headers): Map<string, string[]> {
  const policy = headers.get("content-security-policy") ?? "";
  return new Map(
    policy.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources];
    }),
  );
}

describe("the dashboard's pages", () => {
  it.each(PAGE_PATHS)("show the same document at %s, which nobody stores, frames or guesses at", async (path) => {
    const response = await fetch(origin + path.replaceAll("$", ""), { headers: HTML });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(response.headers.get("permissions-policy")).toContain("camera=()");
  });

  it("run scripts of their own origin alone, and styles under a nonce that no two answers share", async () => {
    const nonces = new Set<string>();
    for (let asked = 0; asked < 20; asked++) {
      const response = await fetch(`${origin}/sign-in`);
      const policy = directivesOf(response.headers);
      expect(policy.get("default-src")).toEqual(["'none'"]);
      expect(policy.get("script-src")).toEqual(["'self'"]);
      expect(policy.get("connect-src")).toEqual(["'self'"]);
      expect(policy.get("frame-ancestors")).toEqual(["'none'"]);
      expect(policy.get("base-uri")).toEqual(["'none'"]);
      expect(policy.get("form-action")).toEqual(["'self'"]);
      const [self, nonceSource = ""] = policy.get("style-src") ?? [];
      expect(self).toBe("'self'");
      const nonce = /^'nonce-([A-Za-z0-9+/]{24})'$/.exec(nonceSource)?.[1] ?? "";
      expect(await response.text()).toContain(`<meta name="style-nonce" content="${nonce}">`);
      expect(response.headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:/);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(20);
  });

  it("say with 404 and the same document that an address is none of theirs", async () => {
    for (const path of ["/nowhere", "/orgs", "/orgs/org_1/nothing", "/sign-in/more", "/Sign-In"]) {
      const response = await fetch(origin + path, { headers: HTML });
      expect([response.status, (await response.text()).includes("index-a1b2.js")], path).toEqual([404, true]);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  it("leave those who want no page, or ask where programs ask, with a plain answer", async () => {
    const asked: [string, RequestInit][] = [
      ["/nowhere", {}],
      ["/nowhere", { headers: HTML, method: "POST" }],
      ["/sign-in", { headers: HTML, method: "DELETE" }],
      ["/api/nowhere", { headers: HTML }],
      ["/docs/nowhere", { headers: HTML }],
      ["/assets/nowhere.js", { headers: HTML }],
    ];
    for (const [path, init] of asked) {
      const response = await fetch(origin + path, init);
      expect([response.status, await response.json()], path).toEqual([
        404,
        { message: "Nothing is here. The API is documented at /docs." },
      ]);
    }
  });

  it("answer HEAD as GET, without the body", async () => {
    for (const [path, status] of [
      ["/", 200],
      ["/nowhere", 404],
      ["/favicon.svg", 200],
    ] as const) {
      const response = await fetch(origin + path, { method: "HEAD", headers: HTML });
      expect([response.status, await response.text()]).toEqual([status, ""]);
      expect(response.headers.get("content-security-policy")).not.toBeNull();
    }
  });
});

describe("the dashboard's files", () => {
  it.each([
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["*", "br"],
    ["identity", null],
    ["", null],
  ])("come to those who accept %j as %s, and are whole", async (accepted, coding) => {
    const response = await fetch(`${origin}/assets/index-a1b2.js`, { headers: { "accept-encoding": accepted } });
    expect(response.headers.get("content-encoding")).toBe(coding);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(await response.text()).toBe(SCRIPT);
  });

  it("that are not named by their content are asked for again, and sent only when they have changed", async () => {
    const first = await fetch(`${origin}/favicon.svg`);
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-cache"]);
    const again = await fetch(`${origin}/favicon.svg`, {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("are those of the build and nothing else, however the path is written", async () => {
    for (const path of [
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/assets/..%2f..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/assets/%2e%2e%2f%2e%2e%2fsecret.txt",
      "//secret.txt",
      "/assets/..\\..\\secret.txt",
      "/.built.json",
      "/index.html",
      "/assets/index-a1b2.js.br",
      "/assets/index-a1b2.js/",
      "/assets",
      "/assets/",
      "/assets/index-a1b2.js%00",
      "/%",
    ]) {
      const connection = await openRaw(origin);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const { status, body } = await connection.readAnswer();
      expect([404, 400]).toContain(status);
      expect(body, path).not.toContain("business");
      connection.close();
    }
  });
});

describe("where they cannot be had", () => {
  it("a page says how to build them", async () => {
    const [bare, address] = await serve(join(folder, "nothing"));
    const response = await fetch(`${address}/`, { headers: HTML });
    expect(response.status).toBe(503);
    const text = await response.text();
    for (const words of ["In a clone", "npm run build", "install its package again"]) expect(text).toContain(words);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    await bare.close();
  });

  it("nobody who came over plain HTTP from another machine gets one to type a password into", async () => {
    const response = await fetch(`${origin}/sign-in`, {
      headers: { ...HTML, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http" },
    });
    expect(response.status).toBe(403);
    const text = await response.text();
    expect(text).toContain("HTTPS is required");
    expect(text).not.toContain("index-a1b2.js");
    expect(response.headers.get("strict-transport-security")).toBeNull();
  });

  it("a browser that came over HTTPS is told to keep to it, but for this machine's own name", async () => {
    const secure = { ...HTML, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" };
    const named = await fetch(`${origin}/`, { headers: { ...secure, "x-forwarded-host": "lineup.example.com" } });
    expect([named.status, named.headers.get("strict-transport-security")]).toEqual([200, "max-age=15552000"]);
    const local = await fetch(`${origin}/`, { headers: { ...secure, "x-forwarded-host": "localhost:3000" } });
    expect([local.status, local.headers.get("strict-transport-security")]).toEqual([200, null]);
  });
});
