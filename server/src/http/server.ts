/** The web server: every endpoint of the API as a route, and what stands beside it for operators and readers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { registerDocs } from "./docs-page.ts";
import { type ExchangeTools, exchange, type Target } from "./exchange.ts";
import { answerClientError } from "./malformed.ts";
import { ARRIVAL_LIMITS, type ArrivalLimits, makeNodeServer } from "./node-server.ts";
import { buildOpenApi } from "./openapi.ts";
import { type OperationsOptions, registerOperations } from "./operations.ts";
import { findPlainTarget } from "./plain-target.ts";
import { isUnderPrefix, originForm } from "./request-target.ts";
import type { TlsFiles } from "./tls.ts";

export interface ServerOptions extends OperationsOptions {
  readonly version: string;
  readonly tls: TlsFiles | undefined;
  /** For tests that cannot wait. */
  readonly arrival?: ArrivalLimits | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly target?: Target["endpoint"];
  }
}

export async function buildServer(tools: ExchangeTools, options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    serverFactory: (route) =>
      makeNodeServer(tools, options.tls, options.arrival ?? ARRIVAL_LIMITS, (request, response) => {
        const target = findPlainTarget(request.method, request.url);
        if (target === undefined) route(request, response);
        else void respond(tools, request, response, target);
      }),
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
    // The factory makes the server; this is only how the framework knows to call its address https.
    ...(options.tls === undefined ? {} : ({ https: {} } as object)),
  });

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
