/**
 * The reference page, its parts and the document it shows.
 *
 * What always holds: the page loads nothing from another host and can send nothing to one. Scalar's own switches for
 * its proxy, agent, telemetry, fonts and the rest are off, and the Content-Security-Policy holds even if a later version
 * brings a new one. The key that somebody types in lives in the page's memory and nowhere else.
 */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesTag } from "./answer.ts";
import { readWeights } from "./compression.ts";
import type { OpenApiDocument } from "./openapi-schemas.ts";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // Scalar puts its style sheet and many style attributes in from its script.
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Some of these are on by default wherever the page is opened on localhost, so each is said. */
const CONFIGURATION = {
  url: "/openapi.json",
  proxyUrl: "",
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  documentDownloadType: "direct",
  authentication: { preferredSecurityScheme: "apiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
  // Codes and permissions in tables are read, and copied, in one piece.
  customCss: "#reference td code, #reference th { white-space: nowrap; word-break: keep-all; }",
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Lineup API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same reference as a document: <a href="/openapi.json">openapi.json</a></noscript>
    <div id="reference"></div>
    <script src="/docs/start.js"></script>
    <script src="/docs/scalar.js"></script>
  </body>
</html>
`;

/** Runs before Scalar's script: Zod inside it would try `Function("")` to learn whether it may, which the policy forbids. */
const START = `globalThis.__zod_globalConfig = { jitless: true };
addEventListener("DOMContentLoaded", () => Scalar.createApiReference("#reference", ${JSON.stringify(CONFIGURATION)}));
`;

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** `readDocument` is called when somebody first asks for it. */
export function registerDocs(app: FastifyInstance, readDocument: () => Promise<OpenApiDocument>): void {
  const loadJson = onDemand(async () =>
    makeAsset("application/json; charset=utf-8", JSON.stringify(await readDocument())),
  );
  const loadPage = onDemand(() => makeAsset("text/html; charset=utf-8", PAGE));
  const loadStart = onDemand(() => makeAsset(SCRIPT_TYPE, START));

  app.get("/openapi.json", async (request, reply) => sendAsset(request, reply, await loadJson()));
  for (const url of ["/docs", "/docs/"]) {
    app.get(url, async (request, reply) => {
      reply.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
      return sendAsset(request, reply, await loadPage());
    });
  }
  app.get("/docs/start.js", async (request, reply) => sendAsset(request, reply, await loadStart()));
  app.get("/docs/scalar.js", async (request, reply) => sendAsset(request, reply, await loadScalar()));
}

const loadScalar = onDemand(readBundle);

/** Made when first asked for, since most servers run for months before anybody reads the docs; a failure is not kept. */
function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function readBundle(): Promise<DocsAsset> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./docs-bundle-worker.ts", import.meta.url));
    worker.once("message", (gzipped: Uint8Array) => resolve(makeCompressedAsset(SCRIPT_TYPE, Buffer.from(gzipped))));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The reference script could not be read (exit code ${code})`)));
  });
}

export interface DocsAsset {
  readonly type: string;
  readonly gzipped: Buffer;
  /** Weak, because the compressed and the plain form share it. */
  readonly etag: string;
}

const compress = promisify(gzip);
const expand = promisify(gunzip);

export async function makeAsset(type: string, text: string): Promise<DocsAsset> {
  return makeCompressedAsset(type, await compress(text));
}

export function makeCompressedAsset(type: string, gzipped: Buffer): DocsAsset {
  const digest = createHash("sha256").update(gzipped).digest("base64url");
  return { type, gzipped, etag: `W/"${digest.slice(0, 22)}"` };
}

export async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: DocsAsset): Promise<FastifyReply> {
  // "no-cache" keeps the file and asks each time whether it is current, so that an upgrade is seen at once.
  reply
    .header("Cache-Control", "no-cache")
    .header("ETag", asset.etag)
    .header("Vary", "Accept-Encoding")
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .header("X-Frame-Options", "DENY")
    .header("Cross-Origin-Resource-Policy", "same-origin");
  if (matchesTag(request.headers["if-none-match"], asset.etag)) return reply.code(304).send();
  reply.type(asset.type);
  if (readWeights(request.headers["accept-encoding"])("gzip") > 0) {
    return reply.header("Content-Encoding", "gzip").send(asset.gzipped);
  }
  return reply.send(await expand(asset.gzipped));
}
