/** What operators and their machines ask: alive, ready, metrics. */
import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ExchangeTools } from "./exchange.ts";

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
          "Metrics are for this machine, or for whoever sends LINEUP_METRICS_TOKEN as a bearer token over HTTPS.",
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
