/** The web server: every endpoint of the API as a route, and what stands beside it for operators and readers. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { registerDocs } from "./docs-page.ts";
import { type ExchangeTools, exchange, type Target } from "./exchange.ts";
import { answerClientError, answerMalformedRequest } from "./malformed.ts";
import { buildOpenApi } from "./openapi.ts";
import { type OperationsOptions, registerOperations } from "./operations.ts";
import { type TlsFiles, tlsOptions } from "./tls.ts";

export interface ServerOptions extends OperationsOptions {
  readonly version: string;
  readonly tls: TlsFiles | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly target?: Target["endpoint"];
  }
}

/** Whoever is slower than this is not a client but a load. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the idle time of common balancers, so that it is they who close, never we under their feet. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const IDLE_SOCKET_TIMEOUT_MS = 120_000;
const MAX_HEADER_BYTES = 16 * 1024;

export async function buildServer(tools: ExchangeTools, options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionTimeout: IDLE_SOCKET_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // The pipeline reads the query and the id itself; ids are short, and a long one is simply unknown.
    routerOptions: { querystringParser: () => ({}), maxParamLength: 200 },
    rewriteUrl: (request) => originForm(request.url ?? "/"),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      void respond(tools, request.raw, reply.raw, undefined);
    },
    clientErrorHandler: (error, socket) => answerClientError(tools, error, socket),
    ...nodeServerOptions(options.tls),
  });
  app.server.maxHeadersCount = 0;
  answerWhatNodeWouldAnswer(tools, app.server);

  // Under the prefix nothing of the framework runs but its router: the pipeline decides, before any body is read.
  app.addHook("onRequest", async (request, reply) => {
    const target = targetOf(request);
    if (target === undefined && !isUnderPrefix(request.raw.url)) return;
    reply.hijack();
    await respond(tools, request.raw, reply.raw, target);
  });
  for (const endpoint of ENDPOINTS) {
    app.route({
      method: endpoint.method === "GET" ? ["GET", "HEAD"] : endpoint.method,
      url: BASE_PATH + endpoint.path.replace("{id}", ":id"),
      config: { target: endpoint },
      // Never reached: the hook above has answered.
      handler: async () => undefined,
    });
  }
  registerOperations(app, tools, options);
  await registerDocs(app, buildOpenApi({ version: options.version, serverUrl: BASE_PATH }));
  app.setNotFoundHandler(async (_request, reply) => {
    await reply.code(404).send({ message: "Nothing is here. The API is documented at /docs." });
  });
  await app.ready();
  return app;
}

async function respond(
  tools: ExchangeTools,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target | undefined,
): Promise<void> {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    answerMalformedRequest(tools, request, response, "The request has no Host header. Send one; HTTP/1.1 requires it.");
    return;
  }
  await exchange(tools, request, response, target ?? { endpoint: undefined, id: "" });
}

function targetOf(request: FastifyRequest): Target | undefined {
  const endpoint = request.routeOptions.config?.target;
  if (endpoint === undefined) return undefined;
  const params = request.params as { id?: string } | undefined;
  return { endpoint, id: params?.id ?? "" };
}

function isUnderPrefix(url: string | undefined): boolean {
  const path = decodePath(url ?? "");
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function decodePath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A request line may hold a whole URL, as proxies send it; only its path decides where it goes. */
function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const parsed = URL.parse(url);
  return parsed === null ? url : parsed.pathname + parsed.search;
}

function nodeServerOptions(tls: TlsFiles | undefined) {
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's own answer to a missing Host has no envelope.
    requireHostHeader: false,
  };
  return tls === undefined
    ? { http: limits }
    : ({ https: { ...limits, ...tlsOptions(tls) } } as unknown as { http: typeof limits });
}

/** Node answers a few things by itself, without envelope or headers. Here they go the way of everything else. */
function answerWhatNodeWouldAnswer(tools: ExchangeTools, server: Server): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    answerMalformedRequest(tools, request, response, "The only expectation that is met is Expect: 100-continue.");
  });
  server.on("connect", (_request, socket) => {
    answerClientError(tools, new Error("CONNECT"), socket);
  });
}
