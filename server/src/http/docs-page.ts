/**
 * The reference page with its guides, its parts and the documents it shows.
 *
 * What always holds: the page loads nothing from another host and can send nothing to one. Scalar's own switches for
 * its proxy, agent, telemetry, fonts and the rest are off, and the Content-Security-Policy holds even if a later version
 * brings a new one. The key that somebody types in lives in the page's memory and nowhere else.
 */

import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { gunzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readBounded, SMALL_FILE_MAX_BYTES } from "../store/bounded-file.ts";
import { matchesTag, tagOfContent } from "./answer.ts";
import { readWeights } from "./compression.ts";

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
  proxyUrl: "",
  persistAuth: false,
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  // It would be the document with the guides in it. The one for programs is linked.
  documentDownloadType: "none",
  authentication: { preferredSecurityScheme: "apiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
  // Codes and permissions in tables are read, and copied, in one piece; what that makes wider than a phone scrolls by itself. The flare is an
  // ornament that is wider than a phone, too.
  customCss: `#reference td code, #reference th { white-space: nowrap; word-break: keep-all; }
    #reference .markdown table { display: block; max-width: 100%; overflow-x: auto; }
    .section-flare { display: none; }`,
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Lineup API: guides and reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The same as documents: <a href="/docs/guides.md">guides.md</a>, <a href="/openapi.json">openapi.json</a></noscript>
    <div id="reference"></div>
    <script src="/docs/start.js"></script>
    <script src="/docs/scalar.js"></script>
  </body>
</html>
`;

/**
 * The guides that stand before the reference: one Markdown file each, in the order in which somebody new needs them. They are no part of
 * /openapi.json, which programs read: a generator would put pages of prose into the client it makes.
 */
export const GUIDE_NAMES = [
  "first-call",
  "keep-a-mirror",
  "receive-webhooks",
  "stay-within-the-limits",
  "ask-an-assistant",
] as const;

/** In its place stands, wherever a guide is read at /docs, the address under which the reader has come. */
export const EXAMPLE_ORIGIN = "https://lineup.example.com";

const LEAD = `From a key to a working integration, with this server at ${EXAMPLE_ORIGIN}. The reference follows, and is a document for programs too: [openapi.json](/openapi.json).`;

/** What comes before the description of the API. Its headings are the entries of the page's sidebar. */
export function readGuides(): string {
  const paths = GUIDE_NAMES.map((name) => fileURLToPath(new URL(`./guides/${name}.md`, import.meta.url)));
  const texts = paths.map((path) => readBounded(path, SMALL_FILE_MAX_BYTES).toString());
  return ["# Guides", LEAD, ...texts, "# The API", ""].join("\n\n");
}

/**
 * Runs before Scalar's script: Zod inside it would try `Function("")` to learn whether it may, which the policy forbids. The guides are put before
 * the reference here and not by the server, because only the browser knows for sure under which address the reader has come.
 */
const START = `globalThis.__zod_globalConfig = { jitless: true };
const configuration = ${JSON.stringify(CONFIGURATION)};
async function read(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path + " was answered with " + answer.status);
  return answer.text();
}
async function start() {
  const [guides, reference] = await Promise.all([read("/docs/guides.md"), read("/openapi.json")]);
  // Who comes without a place to go to sees the guides open in the sidebar.
  if (location.hash === "") history.replaceState(null, "", "#description/guides");
  const content = JSON.parse(reference);
  content.info.description = guides.replaceAll("${EXAMPLE_ORIGIN}", location.origin) + content.info.description;
  Scalar.createApiReference("#reference", { ...configuration, content });
}
addEventListener("DOMContentLoaded", () => start().catch((error) => {
  document.getElementById("reference").textContent = "The reference could not be loaded. Load the page again. (" + error.message + ")";
}));
`;

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** `readDocument` is called when somebody first asks for it. */
export function registerDocs(app: FastifyInstance, readDocument: () => Promise<object>): void {
  const serve = (path: string, make: () => Promise<DocsAsset>, headers: Readonly<Record<string, string>> = {}) => {
    const load = onDemand(make);
    app.get(path, async (request, reply) => sendAsset(request, reply.headers(headers), await load()));
  };
  serve("/openapi.json", async () =>
    makeAsset("application/json; charset=utf-8", JSON.stringify(await readDocument())),
  );
  for (const path of ["/docs", "/docs/"]) {
    serve(path, () => makeAsset("text/html; charset=utf-8", PAGE), {
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    });
  }
  serve("/docs/start.js", () => makeAsset(SCRIPT_TYPE, START));
  serve("/docs/guides.md", async () => makeAsset("text/markdown; charset=utf-8", readGuides()));
  serve("/docs/scalar.js", loadScalar);
}

/** One for the process: it takes a while, and is several megabytes. */
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

async function makeAsset(type: string, text: string): Promise<DocsAsset> {
  return makeCompressedAsset(type, await compress(text));
}

function makeCompressedAsset(type: string, gzipped: Buffer): DocsAsset {
  return { type, gzipped, etag: tagOfContent(gzipped) };
}

async function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: DocsAsset): Promise<FastifyReply> {
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
