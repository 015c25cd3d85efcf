/** The web server: every endpoint of the API and every action of the dashboard as a route, its pages, and what stands beside them. */

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { ACTIONS } from "@lineup/api/dashboard/actions";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { type ActionTarget, type ActionTools, exchangeAction } from "./action-exchange.ts";
import type { NamedAction } from "./action-pipeline.ts";
import { readDashboard } from "./dashboard-files.ts";
import { registerPages } from "./dashboard-pages.ts";
import { registerDocs } from "./docs-page.ts";
import { type ExchangeTools, exchange } from "./exchange.ts";
import { answerClientError } from "./malformed.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, closeServer, findLatestExchange, makeNodeServer } from "./node-server.ts";
import { isOfActions, isUnderPrefix, originForm, type Target } from "./request-target.ts";
import type { TlsFiles } from "./tls.ts";

export type ServerTools = ExchangeTools & ActionTools;

export interface ServerOptions extends OperationsOptions {
  readonly version: string;
  /** Where the built dashboard is. */
  readonly dashboardDir: string;
  readonly tls: TlsFiles | undefined;
  /** Once the server is about to stop, every answer is the last on its connection. */
  readonly stopping?: AbortSignal | undefined;
  /** For tests that cannot wait. */
  readonly arrival?: ArrivalLimits | undefined;
}

export interface WebServer {
  readonly app: FastifyInstance;
  /** Answers what clients sent before, and closes. */
  close(): Promise<void>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly target?: Target["endpoint"];
    readonly action?: NamedAction;
  }
}

export async function buildServer(tools: ServerTools, options: ServerOptions): Promise<WebServer> {
  let served: Server | undefined;
  const app = Fastify({
    logger: false,
    serverFactory: (route) => {
      const { tls, arrival = ARRIVAL_LIMITS, stopping = new AbortController().signal } = options;
      served = makeNodeServer(tools, { tls, arrival, stopping }, route);
      return served;
    },
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // The pipeline reads the query and the id itself; ids are short, and a long one is simply unknown.
    routerOptions: { querystringParser: () => ({}), maxParamLength: 200 },
    // No route has a schema of the framework's: what is sent is checked by our own, and what would check it need not be loaded.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    rewriteUrl: (request) => originForm(request.url ?? "/"),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      if (isOfActions(request.raw.url)) void exchangeAction(tools, request.raw, reply.raw, UNKNOWN_ACTION);
      else void respond(tools, request.raw, reply.raw, undefined);
    },
    clientErrorHandler: (error, socket) => answerClientError(tools, error, socket, findLatestExchange(socket)),
    // The factory makes the server; this is only how the framework knows to call its address https.
    ...(options.tls === undefined ? {} : ({ https: {} } as object)),
  });

  // Of the API and of actions nothing of the framework runs but its router: their pipelines decide, before any body is read.
  app.addHook("onRequest", async (request, reply) => {
    const action = actionTargetOf(request);
    if (action !== undefined || isOfActions(request.raw.url)) {
      reply.hijack();
      await exchangeAction(tools, request.raw, reply.raw, action ?? UNKNOWN_ACTION);
      return;
    }
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
  for (const action of ACTIONS) {
    app.route({
      method: action.method === "GET" ? ["GET", "HEAD"] : action.method,
      url: ACTIONS_PATH + action.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      config: { action },
      handler: async () => undefined,
    });
  }
  registerOperations(app, tools, options);
  registerDocs(app, async () => {
    const { buildOpenApi } = await import("./openapi.ts");
    return buildOpenApi({ version: options.version, serverUrl: BASE_PATH });
  });
  const { resolveClient, actions } = tools;
  const build = readDashboard(options.dashboardDir);
  // Anyone who loads a page is about to act; that what acts cannot be loaded, they hear then.
  const prepare = () => void actions.loadDashboard().catch(() => undefined);
  registerPages(app, { build, publicUrl: actions.publicUrl, resolveClient, prepare });
  await app.ready();
  return {
    app,
    close: async () => {
      if (served?.listening) await closeServer(served);
      await app.close();
    },
  };
}

function respond(
  tools: ExchangeTools,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target = { endpoint: undefined, id: "" },
): void | Promise<void> {
  return exchange(tools, request, response, target);
}

function targetOf(request: FastifyRequest): Target | undefined {
  const endpoint = request.routeOptions.config?.target;
  if (endpoint === undefined) return undefined;
  const params = request.params as { id?: string } | undefined;
  return { endpoint, id: params?.id ?? "" };
}

const UNKNOWN_ACTION: ActionTarget = { action: undefined, path: {} };

function actionTargetOf(request: FastifyRequest): ActionTarget | undefined {
  const action = request.routeOptions.config?.action;
  if (action === undefined) return undefined;
  const path = (request.params ?? {}) as ActionTarget["path"];
  // The router lets an identifier be nothing at all, which is the path of no action.
  return Object.values(path).includes("") ? UNKNOWN_ACTION : { action, path };
}

function refuseSchema(): never {
  throw new Error("Routes are described by endpoints (api/), not by schemas of the framework.");
}

export interface OperationsOptions {
  /** Opens `/metrics` to other machines over HTTPS; without it only this one may read them. */
  readonly metricsToken: string | undefined;
  /** Why the server is not ready, in words for the operator; undefined when it is. */
  findUnreadiness(): Promise<string | undefined>;
  /** What is missing though every request is answered, in words for the operator; undefined when nothing is. */
  findDegradation(): string | undefined;
}

export function registerOperations(app: FastifyInstance, tools: ExchangeTools, options: OperationsOptions): void {
  app.get("/healthz", async (_request, reply) => {
    reply.header("Cache-Control", "no-store");
    return { status: "alive" };
  });

  app.get("/readyz", async (_request, reply) => {
    reply.header("Cache-Control", "no-store");
    const reason = await options.findUnreadiness();
    const lack = options.findDegradation();
    if (reason === undefined) return lack === undefined ? { status: "ready" } : { status: "degraded", reason: lack };
    reply.code(503);
    return { status: "unavailable", reason };
  });

  app.get("/metrics", async (request, reply) => {
    reply.header("Cache-Control", "no-store");
    const { isLocal, isPrivate } = tools.resolveClient(request.raw);
    // A token that others can read on its way opens nothing.
    if (!isLocal && !(isPrivate && holdsToken(request, options.metricsToken))) {
      reply.code(403);
      return {
        message:
          "Metrics are for this machine, or for anyone who sends LINEUP_METRICS_TOKEN as a bearer token over HTTPS.",
      };
    }
    reply.type(tools.metrics.contentType);
    return tools.metrics.text();
  });
}

/** Hashes are compared, so that neither the time taken nor a length tells anything about the token. */
function holdsToken(request: FastifyRequest, token: string | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined || given === undefined) return false;
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
