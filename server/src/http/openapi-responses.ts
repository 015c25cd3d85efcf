/** Every answer an endpoint can give: its headers, its success, and the errors with the codes that can occur there. */
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ERROR_MEANING, ERROR_STATUS, type ErrorCode, type ErrorDetail } from "@lineup/api/errors";
import { idPattern } from "@lineup/api/ids";
import { playerResource } from "@lineup/api/players";
import { ID_EXAMPLE } from "@lineup/api/resource";
import { TIERS } from "@lineup/api/tiers";
import {
  ERROR_NAME,
  type Examples,
  envelopeName,
  type JsonSchema,
  type Reference,
  type ResponseObject,
  referTo,
  requireComponent,
} from "./openapi-schemas.ts";
import { KEY_REFUSALS, missingPermission } from "./refusals.ts";

const EXAMPLE_REQUEST_ID = `req_${ID_EXAMPLE}`;
const EXAMPLE_TIMESTAMP = "2026-01-01T12:00:00.000Z";
const EXAMPLE_CURSOR = "WyJwbGF5ZXJzIl0";

const WINDOW = "the window with fewer requests left, the minute where both have the same";
const RESET_EXAMPLE = Date.parse(EXAMPLE_TIMESTAMP) / 1000 + 60;

function header(description: string, schema: JsonSchema, example: string | number, required = true) {
  return { description, required, schema, example };
}

/** Every header is there whenever the answer is the one described, but for `Link`, which the last page lacks, and what says that an answer is an old one. */
export const HEADERS: Readonly<Record<string, ReturnType<typeof header>>> = {
  "X-Request-Id": header(
    "The request's own id, to quote to support. The same as `meta.requestId`, but for what `Idempotent-Replayed` marks: there `meta` is that of the first answer.",
    { type: "string", pattern: idPattern("req").source },
    EXAMPLE_REQUEST_ID,
  ),
  "X-RateLimit-Limit": header(`The limit of ${WINDOW}.`, { type: "integer", minimum: 0 }, TIERS.Pro.perMinute),
  "X-RateLimit-Remaining": header(
    "Requests left in that window.",
    { type: "integer", minimum: 0 },
    TIERS.Pro.perMinute - 1,
  ),
  "X-RateLimit-Reset": header(
    "Unix epoch seconds, rounded up: when the oldest counted request leaves that window; with a 429, the earliest moment at which a request is admitted.",
    { type: "integer", minimum: 0 },
    RESET_EXAMPLE,
  ),
  "RateLimit-Policy": header(
    'Both windows: `q` requests in `w` seconds. Without a valid key it is the one window of your address, `"address"`.',
    { type: "string" },
    '"minute";q=300;w=60, "day";q=10000;w=86400',
  ),
  RateLimit: header(
    "What is left of each window: `r` requests, and `t` seconds until its reset.",
    { type: "string" },
    '"minute";r=299;t=60, "day";r=9999;t=86400',
  ),
  Link: header(
    'On a page that is not the last: the address of the next one, with `rel="next"`.',
    { type: "string", pattern: 'rel="next"' },
    `<${BASE_PATH}/players?cursor=${EXAMPLE_CURSOR}>; rel="next"`,
    false,
  ),
  ETag: header(
    "Stands for `data`. Sent back as `If-None-Match`, it asks for the answer only if that has changed; as `If-Match` of one record, it changes the record only if that has not.",
    { type: "string", pattern: '^W/"' },
    'W/"Kq0vU3mZ1t9cYw2Rb8fXqA"',
  ),
  Location: header(
    "Where the new resource can be read.",
    { type: "string", format: "uri-reference" },
    `${BASE_PATH}/players/player_01jb8v6k3ze5xr9m4q7w2t5n8d`,
  ),
  "Idempotent-Replayed": header(
    "With `true`: nothing was written now; the answer is that to the first request under this `Idempotency-Key`.",
    { type: "string", const: "true" },
    "true",
    false,
  ),
  "WWW-Authenticate": header("How to authenticate.", { type: "string", pattern: "^Bearer" }, "Bearer"),
  "Retry-After": header("Seconds to wait before the next try.", { type: "integer", minimum: 0 }, 12),
};

const ALWAYS = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

function headersWith(...more: readonly string[]): Record<string, Reference> {
  return Object.fromEntries([...ALWAYS, ...more].map((name) => [name, referTo("headers", name)]));
}

export function describeResponses(endpoint: Endpoint): Record<string, ResponseObject> {
  const responses: Record<string, ResponseObject> = {
    [endpoint.method === "POST" ? "201" : "200"]: describeSuccess(endpoint),
    ...(isAskedByTag(endpoint)
      ? { 304: { description: "What `If-None-Match` names is still current.", headers: headersWith("ETag") } }
      : {}),
  };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrorCodes(endpoint)) {
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  }
  for (const [status, codes] of byStatus) responses[String(status)] = describeErrors(endpoint, status, codes);
  return responses;
}

/** Whether a client may ask for an answer only if it has changed. */
export function isAskedByTag({ method, name }: Endpoint): boolean {
  return method === "GET" && isTagged(name);
}

/** What a key is told about itself changes with every request, and what has changed is asked for once. */
function isTagged(name: string): boolean {
  return name !== "describeKey" && name !== "listChanges";
}

function listErrorCodes(endpoint: Endpoint): ErrorCode[] {
  const written = endpoint.body !== undefined;
  return [
    ...(written ? (["VALIDATION_ERROR"] as const) : []),
    "INVALID_PARAMETER",
    ...(written && endpoint.result === playerResource.schema ? (["INVALID_ROLE"] as const) : []),
    "INVALID_API_KEY",
    "KEY_REVOKED",
    "KEY_EXPIRED",
    ...(endpoint.permission === "any" ? [] : (["INSUFFICIENT_PERMISSIONS"] as const)),
    ...(endpoint.path.includes("{id}") ? (["NOT_FOUND"] as const) : []),
    "RATE_LIMIT_EXCEEDED",
    "INTERNAL_ERROR",
  ];
}

function describeSuccess(endpoint: Endpoint): ResponseObject {
  const { component: name, example: data } = requireComponent(endpoint.result);
  const extra = [
    ...(isTagged(endpoint.name) ? ["ETag"] : []),
    ...(endpoint.list ? ["Link"] : []),
    ...(endpoint.method === "POST" ? ["Location"] : []),
    ...(endpoint.method === "GET" ? [] : ["Idempotent-Replayed"]),
  ];
  const meta = { count: 1, requestId: EXAMPLE_REQUEST_ID, timestamp: EXAMPLE_TIMESTAMP };
  const examples: Examples = endpoint.list
    ? {
        everything: { summary: "The bare call", value: { success: true, data: [data], meta } },
        page: {
          summary: "One page, with limit=1",
          value: { success: true, data: [data], meta: { ...meta, nextCursor: EXAMPLE_CURSOR } },
        },
      }
    : { resource: { summary: `A ${name}`, value: { success: true, data, meta } } };
  return {
    description: endpoint.list
      ? "The list."
      : { GET: "The resource.", POST: "Created.", PATCH: "Updated." }[endpoint.method],
    headers: headersWith(...extra),
    content: { "application/json": { schema: referTo("schemas", envelopeName(endpoint)), examples } },
  };
}

function describeErrors(endpoint: Endpoint, status: number, codes: readonly ErrorCode[]): ResponseObject {
  const extra = status === 401 ? ["WWW-Authenticate"] : status === 429 ? ["Retry-After"] : [];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join(" "),
    headers: headersWith(...extra),
    content: {
      "application/json": {
        schema: referTo("schemas", ERROR_NAME),
        examples: Object.fromEntries(codes.map((code) => [code, exampleOf(endpoint, code)])),
      },
    },
    "x-error-codes": codes,
  };
}

function exampleOf(endpoint: Endpoint, code: ErrorCode) {
  const { message, details } = faultOf(endpoint, code);
  return {
    summary: ERROR_MEANING[code],
    value: {
      success: false,
      error: { code, message, status: ERROR_STATUS[code], ...(details === undefined ? {} : { details }) },
      meta: { requestId: EXAMPLE_REQUEST_ID, timestamp: EXAMPLE_TIMESTAMP },
    },
  };
}

function faultOf(endpoint: Endpoint, code: ErrorCode): { message: string; details?: readonly ErrorDetail[] } {
  switch (code) {
    case "INVALID_API_KEY":
      return { message: "The API key is missing or malformed. Send it as Authorization: Bearer <key>." };
    case "KEY_REVOKED":
      return { message: KEY_REFUSALS.revoked.message };
    case "KEY_EXPIRED":
      return { message: KEY_REFUSALS.expired.message };
    case "INSUFFICIENT_PERMISSIONS":
      return { message: missingPermission(endpoint.permission).message };
    case "VALIDATION_ERROR":
      return withDetail("The body has invalid values; correct the fields in details.", "ign", "must not be empty");
    case "INVALID_PARAMETER":
      return "limit" in endpoint.query
        ? withDetail("limit must be a whole number from 1 to 500.", "limit", "must be a whole number from 1 to 500")
        : withDetail("verbose is not a parameter here; leave it out.", "verbose", "is not a parameter here");
    case "INVALID_ROLE":
      return withDetail(
        "Duelist is not a role of LoL. Use one of Top, Jungle, Mid, ADC, Support, Coach, Analyst, Substitute.",
        "role",
        "must be a role of LoL",
      );
    case "RATE_LIMIT_EXCEEDED":
      return { message: "The minute window is full: 300 requests in 60 seconds. Retry in 12 seconds." };
    case "NOT_FOUND":
      return { message: `There is no ${endpoint.tag.toLowerCase().replace(/s$/, "")} with this id. Check the id.` };
    case "INTERNAL_ERROR":
      return { message: "Something unexpected happened. Retry later, and quote the request id to support." };
  }
}

function withDetail(message: string, field: string, detail: string) {
  return { message, details: [{ field, message: detail }] };
}
