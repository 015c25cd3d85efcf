/**
 * Calls that hold every answer against what the contract says of all answers: the envelope, the headers, the endpoint's own
 * result and the OpenAPI document. A test that calls through here proves these beside whatever it looks at itself.
 */
import type { Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { errorEnvelope, successEnvelope } from "@lineup/api/envelope";
import { ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import { expect } from "vitest";
import { ManualClock } from "../manual-clock.ts";
import { openApiChecker } from "../openapi-checker.ts";
import {
  type CallOptions,
  call,
  makeKey,
  makeOrg,
  type Reply,
  startTestServer,
  type TestServer,
} from "../test-server.ts";
import { type Seed, seedOrganization } from "./seed.ts";
import { SEED_NOW } from "./seed-records.ts";

const checker = openApiChecker();
const envelopes = new Map(
  ENDPOINTS.map((endpoint) => [endpoint.name, successEnvelope(endpoint.result, endpoint.list)]),
);

export function findEndpoint(method: string, path: string): (typeof ENDPOINTS)[number] | undefined {
  const route = path.split("?", 1)[0] ?? "";
  const wanted = method === "HEAD" ? "GET" : method;
  const fixed = ENDPOINTS.find((endpoint) => endpoint.method === wanted && endpoint.path === route);
  if (fixed !== undefined) return fixed;
  return ENDPOINTS.find(
    (endpoint) =>
      endpoint.method === wanted &&
      endpoint.path.includes("{id}") &&
      new RegExp(`^${endpoint.path.replace("{id}", "[^/]+")}$`).test(route),
  );
}

export async function checkedCall(
  server: TestServer,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const reply = await call(server, method, path, options);
  checkReply(reply, method, path);
  return reply;
}

/** What holds for every answer under the prefix. */
export function checkReply(reply: Reply, method: string, path: string): void {
  const what = `${method} ${path}`;
  checkHeaders(reply, what);
  const endpoint = findEndpoint(method, path);
  if (method === "HEAD") expect(reply.text, what).toBe("");
  else checkEnvelope(reply, endpoint, what);
  if (endpoint === undefined) return;
  expect(checker.checkAnswer(method, endpoint.path, reply.status, reply.headers, reply.body), what).toEqual([]);
}

function checkHeaders({ status, headers }: Reply, what: string): void {
  expect(headers.get("content-type"), what).toBe("application/json; charset=utf-8");
  expect(headers.get("x-request-id"), what).toMatch(/^req_[0-7][0-9a-z]{25}$/);
  for (const name of ["limit", "remaining", "reset"]) {
    expect(headers.get(`x-ratelimit-${name}`), `${what} x-ratelimit-${name}`).toMatch(/^\d+$/);
  }
  const names =
    status === 401 ? ["address"] : [...(headers.get("ratelimit-policy") ?? "").matchAll(/"(\w+)"/g)].map((m) => m[1]);
  expect(["address", "minute,day"], what).toContain(names.join());
  const policy = names.map((name) => `"${name}";q=\\d+;w=(?:60|86400)`).join(", ");
  const state = names.map((name) => `"${name}";r=\\d+;t=\\d+`).join(", ");
  expect(headers.get("ratelimit-policy"), what).toMatch(new RegExp(`^${policy}$`));
  expect(headers.get("ratelimit"), what).toMatch(new RegExp(`^${state}$`));
  expect(headers.get("www-authenticate"), what).toBe(status === 401 ? "Bearer" : null);
  expect(headers.has("retry-after"), what).toBe(status === 429);
  expect(headers.has("access-control-allow-origin"), what).toBe(false);
}

function checkEnvelope(reply: Reply, endpoint: (Endpoint & { name: string }) | undefined, what: string): void {
  const { body, status } = reply;
  // What is said again was said of the request that wrote.
  if (!reply.headers.has("idempotent-replayed"))
    expect(body.meta.requestId, what).toBe(reply.headers.get("x-request-id"));
  if (status >= 400) {
    const parsed = errorEnvelope.safeParse(body);
    expect(parsed.error?.issues ?? [], what).toEqual([]);
    expect(body.error.status, what).toBe(status);
    expect(ERROR_STATUS[body.error.code as ErrorCode], what).toBe(status);
    expect(body.error.message.length, what).toBeGreaterThan(10);
    return;
  }
  expect(endpoint, `${what} has an endpoint`).toBeDefined();
  const parsed = envelopes.get(endpoint?.name as never)?.safeParse(body);
  expect(parsed?.error?.issues ?? [], what).toEqual([]);
  expect(body.meta.count, what).toBe(Array.isArray(body.data) ? body.data.length : 1);
}

export function expectError(reply: Reply, code: ErrorCode): void {
  expect({ status: reply.status, code: reply.body.error?.code, body: reply.text }).toEqual({
    status: ERROR_STATUS[code],
    code,
    body: reply.text,
  });
}

/** A server with one seeded organization, whose clock stands still, and as many keys as the calls use up. */
export interface Stage {
  readonly server: TestServer;
  readonly clock: ManualClock;
  readonly seed: Seed;
  /** A checked call with a key that holds every permission. */
  api(method: string, path: string, body?: unknown): Promise<Reply>;
  /** The items of a list. */
  list(path: string): Promise<LooseItem[]>;
  stop(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: an item is whatever the server sent; tests judge it field by field.
export type LooseItem = any;

/** Below the smallest window of an Enterprise key. */
const CALLS_PER_KEY = 990;

export async function openStage(): Promise<Stage> {
  const clock = new ManualClock(SEED_NOW);
  const server = await startTestServer({ clock });
  const seed = await seedOrganization(server.store, await makeOrg(server));
  const api = freshKeyCaller(server, seed.orgId);
  return {
    server,
    clock,
    seed,
    api,
    list: async (path) => (await api("GET", path)).body.data,
    stop: () => server.stop(),
  };
}

/**
 * Calls that take another key whenever one has used up its minute, because the clock stands still. Where thousands of alike
 * answers are compared with a model, `send` can leave out what is proved of each of them elsewhere.
 */
export function freshKeyCaller(server: TestServer, orgId: string, send = checkedCall): Stage["api"] {
  let key = "";
  let left = 0;
  return async (method, path, body) => {
    if (left === 0) {
      left = CALLS_PER_KEY;
      key = (await makeKey(server, orgId)).key;
    }
    left--;
    return send(server, method, path, { key, body });
  };
}
