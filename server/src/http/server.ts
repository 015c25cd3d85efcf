/** The web server: every endpoint of the API and every action of the dashboard as a route, its pages, and what stands beside them. */

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { ACTIONS } from "@lineup/api/dashboard/actions";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import Fastify, { type FastifyContextConfig, type FastifyInstance, type FastifyRequest } from "fastify";
import { type ActionTarget, type ActionTools, exchangeAction } from "./action-exchange.ts";
import type { NamedAction } from "./action-pipeline.ts";
import { type FoundCalendar, registerCalendar } from "./calendar-route.ts";
import { namesAddress } from "./client-address.ts";
import { readDashboard } from "./dashboard-files.ts";
import { registerPages, sendNothing } from "./dashboard-pages.ts";
import { registerDocs } from "./docs-page.ts";
import { type ExchangeTools, exchange } from "./exchange.ts";
import { answerClientError } from "./malformed.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, closeServer, findLatestExchange, makeNodeServer } from "./node-server.ts";
import { isOfActions, isOfAssistants, isUnderPrefix, originForm, type Target } from "./request-target.ts";
import { findSite } from "./site.ts";
import type { TlsFiles } from "./tls.ts";

export interface ServerTools extends ExchangeTools, ActionTools {
  /** What assistants ask, outside of the prefix. Never rejects. */
  answerAssistant(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export interface ServerOptions {
  readonly version: string;
  /** Where the built dashboard is. */
  readonly dashboardDir: string;
  readonly tls: TlsFiles | undefined;
  /** The calendar that a link with this token opens. */
  readCalendar(token: string): Promise<FoundCalendar | undefined>;
  /** Once the server is about to stop, every answer is the last on its connection. */
  readonly stopping?: AbortSignal | undefined;
  /** For tests that cannot wait. */
  readonly arrival?: ArrivalLimits | undefined;
  /** Opens `/metrics` to other machines over HTTPS; without it only this one may read them. */
  readonly metricsToken: string | undefined;
  /** Why the server is not ready, in words for the operator; undefined when it is. */
  findUnreadiness(): Promise<string | undefined>;
  /** What is missing though every request is answered, in words for the operator; undefined when nothing is. */
  findDegradation(): string | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly target?: Target["endpoint"];
    readonly action?: NamedAction;
  }
}

export async function buildServer(tools: ServerTools, options: ServerOptions) {
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
    // A path that cannot be decoded, which no hook sees.
    frameworkErrors: (_error, request, reply) => {
      const answer = findOwnAnswer(tools, request);
      if (answer === undefined) return void sendNothing(reply);
      reply.hijack();
      void answer(reply.raw);
    },
    clientErrorHandler: (error, socket) => answerClientError(tools, error, socket, findLatestExchange(socket)),
    // The factory makes the server; this is only how the framework knows to call its address https.
    ...(options.tls === undefined ? {} : ({ https: {} } as object)),
  });

  // Of the API, of actions and of what assistants ask, nothing of the framework runs but its router: their pipelines decide, before any body is read.
  app.addHook("onRequest", async (request, reply) => {
    const answer = findOwnAnswer(tools, request);
    if (answer === undefined) return;
    reply.hijack();
    await answer(reply.raw);
  });
  const addRoute = (method: "GET" | "POST" | "PATCH" | "DELETE", url: string, config: FastifyContextConfig) =>
    // The handler is never reached: the hook above has answered.
    app.route({ method: method === "GET" ? ["GET", "HEAD"] : method, url, config, handler: async () => undefined });
  for (const endpoint of ENDPOINTS) {
    addRoute(endpoint.method, BASE_PATH + endpoint.path.replace("{id}", ":id"), { target: endpoint });
  }
  for (const action of ACTIONS) {
    addRoute(action.method, ACTIONS_PATH + action.path.replaceAll(/\{(\w+)\}/g, ":$1"), { action });
  }
  registerOperations(app, tools, options);
  registerDocs(app, async () => {
    const { buildOpenApi } = await import("./openapi.ts");
    return buildOpenApi({ version: options.version, serverUrl: BASE_PATH });
  });
  registerCalendar(app, { ...tools, readCalendar: options.readCalendar });
  const { resolveClient, actions } = tools;
  const build = readDashboard(options.dashboardDir);
  // Anyone who loads a page is about to act; that what acts cannot be loaded, they hear then.
  const prepare = () => void actions.loadDashboard().catch(() => undefined);
  registerPages(app, { build, publicUrl: actions.publicUrl, resolveClient, prepare });
  await app.ready();
  return {
    app,
    /** Answers what clients sent before, and closes. */
    close: async () => {
      if (served?.listening) await closeServer(served);
      await app.close();
    },
  };
}

/** How a request is answered that the framework only routes; undefined where the framework answers it as well. */
function findOwnAnswer(
  tools: ServerTools,
  request: FastifyRequest,
): ((response: ServerResponse) => void | Promise<void>) | undefined {
  const { raw } = request;
  const action = actionTargetOf(request);
  if (action !== undefined || isOfActions(raw.url)) {
    return (response) => exchangeAction(tools, raw, response, action ?? UNKNOWN_ACTION);
  }
  if (isOfAssistants(raw.url)) return (response) => tools.answerAssistant(raw, response);
  const target = targetOf(request);
  if (target === undefined && !isUnderPrefix(raw.url)) return undefined;
  return (response) => exchange(tools, raw, response, target ?? UNKNOWN_TARGET);
}

const UNKNOWN_TARGET: Target = { endpoint: undefined, id: "" };

function targetOf(request: FastifyRequest): Target | undefined {
  const endpoint = request.routeOptions.config?.target;
  if (endpoint === undefined) return undefined;
  const { id } = (request.params ?? {}) as { readonly id?: string };
  // The router lets an id be nothing at all, which is the path of no endpoint.
  return id === "" ? UNKNOWN_TARGET : { endpoint, id: id ?? "" };
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

function registerOperations(app: FastifyInstance, tools: ServerTools, options: ServerOptions): void {
  app.get("/healthz", async (_request, reply) => {
    reply.header("Cache-Control", "no-store");
    return { status: "alive" };
  });

  app.get("/readyz", async (request, reply) => {
    reply.header("Cache-Control", "no-store");
    const reason = await options.findUnreadiness();
    const lack = options.findDegradation();
    // `lineup doctor` asks how the way here looks from this end.
    const seen = "lineup-doctor" in request.headers ? { client: describeClient(request.raw, tools) } : {};
    if (reason === undefined) {
      return lack === undefined ? { status: "ready", ...seen } : { status: "degraded", reason: lack, ...seen };
    }
    reply.code(503);
    return { status: "unavailable", reason, ...seen };
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

/** Nothing but what the client knows or has sent itself: no address of a proxy or of this server. */
function describeClient(request: IncomingMessage, { resolveClient, actions }: ServerTools) {
  const { headers, socket } = request;
  const client = resolveClient(request);
  const asTold = { "x-forwarded-proto": "https", "x-forwarded-host": "told" };
  const isTrusted = resolveClient({ headers: asTold, socket }).forwardedHost !== undefined;
  const hasHeaders = ["x-forwarded-for", "x-forwarded-proto", "forwarded"].some((name) => name in headers);
  return {
    isSecure: client.isSecure,
    headers: hasHeaders ? (isTrusted ? "trusted" : "ignored") : "none",
    address: isTrusted && namesAddress(headers["x-forwarded-for"]) ? client.address : null,
    origin: findSite(request, client, actions.publicUrl)?.origin ?? null,
  };
}

/** Hashes are compared, so that neither the time taken nor a length tells anything about the token. */
function holdsToken(request: FastifyRequest, token: string | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined || given === undefined) return false;
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}
