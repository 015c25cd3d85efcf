/**
 * The dashboard's pages: one document for every address, and the files it is made of.
 *
 * What always holds: scripts run from files of our own origin alone, and styles from those or under a nonce that no two answers share.
 * The document is never stored, its parts, named by their content, for good. An address that is no page gets the same document
 * with 404, and the dashboard says so. Over plain HTTP from another machine nobody gets a page to type a password into.
 */
import { randomBytes } from "node:crypto";
import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { PAGE_PATHS } from "@lineup/api/dashboard/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesTag } from "./answer.ts";
import type { ClientResolver } from "./client-address.ts";
import { type DashboardBuild, type DashboardFile, pickCoding } from "./dashboard-files.ts";
import { DATA_POLICY, findSite, pagePolicy, securityHeaders } from "./site.ts";

export interface PageOptions {
  /** Undefined where nothing was built. */
  readonly build: DashboardBuild | undefined;
  readonly publicUrl: string | undefined;
  readonly resolveClient: ClientResolver;
  /** Somebody opens a page, and will ask for more in a moment. */
  prepare(): void;
}

const NONCE_BYTES = 18;

/** What begins so is for programs, which want no page to tell them that nothing is there. */
const NO_PAGES = [
  "/api",
  ACTIONS_PATH,
  "/docs",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/metrics",
  "/assets",
  "/mcp",
  "/calendar",
  "/.well-known",
];

export function registerPages(app: FastifyInstance, options: PageOptions): void {
  for (const path of PAGE_PATHS) {
    app.get(path.replaceAll("$", ":"), async (request, reply) => sendPage(options, request, reply, 200));
  }
  const files = options.build?.files;
  const serveFile = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = files?.get(pathOf(request));
    if (file === undefined) return sendNothing(reply);
    setSecurity(options, request, reply);
    return sendFile(request, reply, file);
  };
  // Most are under one folder, and a route for each of them would cost every start more than they are worth.
  app.get("/assets/*", serveFile);
  for (const path of files?.keys() ?? []) if (!path.startsWith("/assets/")) app.get(path, serveFile);
  app.setNotFoundHandler(async (request, reply) => {
    if (wantsPage(request)) return sendPage(options, request, reply, 404);
    return sendNothing(reply);
  });
}

export function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ message: "Nothing is here. The API is documented at /docs." });
}

function pathOf({ url }: FastifyRequest): string {
  return url.split("?", 1)[0] ?? "";
}

function wantsPage(request: FastifyRequest): boolean {
  const { method, headers } = request;
  const path = pathOf(request);
  return (
    (method === "GET" || method === "HEAD") &&
    headers.accept?.includes("text/html") === true &&
    !NO_PAGES.some((start) => path === start || path.startsWith(`${start}/`))
  );
}

function sendPage(options: PageOptions, request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply {
  setSecurity(options, request, reply);
  reply.type("text/html; charset=utf-8").header("Cache-Control", "no-store");
  if (!options.resolveClient(request.raw).isPrivate) return sendPlain(reply, 403, HTTPS_REQUIRED);
  if (options.build === undefined) return sendPlain(reply, 503, NOT_BUILT);
  options.prepare();
  const nonce = randomBytes(NONCE_BYTES).toString("base64");
  return reply.code(status).header("Content-Security-Policy", pagePolicy(nonce)).send(options.build.makePage(nonce));
}

function setSecurity({ publicUrl, resolveClient }: PageOptions, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders(findSite(request.raw, resolveClient(request.raw), publicUrl)));
}

/** A year, which is as good as for good. */
const FOR_GOOD = "public, max-age=31536000, immutable";

function sendFile(request: FastifyRequest, reply: FastifyReply, file: DashboardFile): FastifyReply {
  reply
    .header("Cache-Control", file.isImmutable ? FOR_GOOD : "no-cache")
    .header("ETag", file.etag)
    .header("Vary", "Accept-Encoding")
    // Opened by itself, a picture or a script is no page either.
    .header("Content-Security-Policy", DATA_POLICY);
  if (matchesTag(request.headers["if-none-match"], file.etag)) return reply.code(304).send();
  reply.type(file.type);
  const coding = pickCoding(request.headers["accept-encoding"], file);
  if (coding !== undefined) reply.header("Content-Encoding", coding);
  return reply.send(coding === undefined ? file.bytes : file.compressed[coding]);
}

function sendPlain(reply: FastifyReply, status: number, words: string): FastifyReply {
  const page = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Lineup</title></head>
  <body><h1>Lineup</h1>${words}</body>
</html>
`;
  return reply.code(status).header("Content-Security-Policy", DATA_POLICY).send(page);
}

const HTTPS_REQUIRED =
  "<p>HTTPS is required: over plain HTTP others could read your password. Open this address with https://</p>" +
  "<p>Behind a proxy, have it send <code>X-Forwarded-Proto: https</code>, and name it in <code>LINEUP_TRUST_PROXY</code>.</p>";

const NOT_BUILT =
  "<p>The API runs. The dashboard is not there. In a clone of Lineup, run <code>npm run build</code>; otherwise install its package again. Then restart the server.</p>" +
  '<p><a href="/docs">The API reference</a></p>';
