/**
 * The OpenAPI 3.1 document, made from the endpoint records: an endpoint that exists is described, and what is described
 * exists. Nothing here knows a request; the document is a plain value, built once.
 */
import type { Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_CODES, ERROR_MEANING, ERROR_STATUS } from "@lineup/api/errors";
import { LIMIT_MAX, type Parameter } from "@lineup/api/parameters";
import { PERMISSION_GRANTS, PERMISSIONS } from "@lineup/api/permissions";
import { GAMES, ROLES_BY_GAME } from "@lineup/api/roles";
import { ADDRESS_LIMIT_PER_MINUTE, TIER_NAMES, TIERS } from "@lineup/api/tiers";
import type * as z from "zod";
import { describeResponses, HEADERS, isAskedByTag } from "./openapi-responses.ts";
import {
  bodyName,
  COMPONENTS,
  describeResult,
  describeSchemas,
  type JsonSchema,
  referTo,
  requireComponent,
} from "./openapi-schemas.ts";

export type OpenApiDocument = ReturnType<typeof buildOpenApi>;

export function buildOpenApi(options: { version: string; serverUrl: string }) {
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const endpoint of ENDPOINTS as readonly Endpoint[]) {
    const method = endpoint.method.toLowerCase();
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: describeOperation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lineup",
      version: options.version,
      summary: "The organization data API for esports.",
      description: describeApi(options.serverUrl),
      // Each server is run by somebody else; who that is, its organizations know.
      contact: { name: "The operator of this server" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: options.serverUrl, description: "This server" }],
    security: [{ apiKey: [] }],
    tags: COMPONENTS.map(({ tag }) => tag),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "lineup_live_…",
          description: "An API key of your organization. Use it from servers only.",
        },
      },
      headers: HEADERS,
      schemas: describeSchemas(ENDPOINTS),
    },
  };
}

function describeOperation(endpoint: Endpoint) {
  const parameters = [
    ...(endpoint.path.includes("{id}") ? [describeId(endpoint)] : []),
    ...Object.entries(endpoint.query).map(([name, parameter]) => describeParameter(name, parameter)),
    ...(isAskedByTag(endpoint) ? [IF_NONE_MATCH] : []),
    ...(endpoint.method === "GET" ? [] : [IDEMPOTENCY_KEY]),
    ...(endpoint.method === "PATCH" ? [IF_MATCH] : []),
  ];
  return {
    operationId: endpoint.name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n${describePermission(endpoint)}`,
    "x-permission": endpoint.permission,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...describeRequestBody(endpoint),
    responses: describeResponses(endpoint),
  };
}

const IF_NONE_MATCH = describeHeader(
  "If-None-Match",
  "The `ETag` of an answer you have kept. While that is current, you get a 304 without a body; it counts like any request.",
  'W/"Kq0vU3mZ1t9cYw2Rb8fXqA"',
);

const IDEMPOTENCY_KEY = describeHeader(
  "Idempotency-Key",
  "A text of your own for this one write: 1 to 255 visible ASCII characters, such as a UUID, quoted or not. The same request under it within 24 hours is not made again, but answered as the first was, with `Idempotent-Replayed: true`; another request under it is `VALIDATION_ERROR`.",
  "0d5c1e0a-6f0e-4a57-9a6c-0b8f5a3f7c11",
);

const IF_MATCH = describeHeader(
  "If-Match",
  "The `ETag` of the record as you have seen it, several of them, or `*`. Where the record has changed since, nothing is written, and the answer is `VALIDATION_ERROR`.",
  'W/"Kq0vU3mZ1t9cYw2Rb8fXqA"',
);

function describeHeader(name: string, description: string, example: string) {
  const schema: JsonSchema = { type: "string" };
  return { name, in: "header", required: false, description, schema, examples: showOnly(example) };
}

function describePermission({ permission }: Endpoint): string {
  if (permission === "any") return "Requires a key with any permission.";
  if (permission === "any read") return "Requires a key with any read permission; each shows the changes of its kind.";
  return `Requires the permission \`${permission}\`: ${PERMISSION_GRANTS[permission]}.`;
}

function describeRequestBody(endpoint: Endpoint) {
  if (endpoint.body === undefined) return {};
  const { required, example } = endpoint.body;
  const needed = required.map((field) => `\`${field}\``).join(" and ");
  return {
    requestBody: {
      description: needed === "" ? "The fields to change, at least one." : `Required: ${needed}.`,
      required: true,
      content: {
        "application/json": {
          schema: referTo("schemas", bodyName(endpoint)),
          examples: { usual: { summary: endpoint.summary, value: example } },
        },
      },
    },
  };
}

function describeId(endpoint: Endpoint) {
  const { id } = requireComponent(endpoint.result).schema.shape;
  const { examples, description, ...schema } = describeResult(id as z.ZodType);
  const [value] = examples as unknown[];
  return {
    name: "id",
    in: "path",
    required: true,
    description: String(description),
    schema,
    examples: { example: { summary: "An example", value } },
  };
}

function describeParameter(name: string, parameter: Parameter<unknown>) {
  const { description, schema, example } = parameter;
  const items = findListItems(schema);
  const common = { name, in: "query", required: false, description } as const;
  if (items === undefined) return { ...common, schema, examples: showOnly(example) };
  // The same text in the URL, described as the list it is: readers see the values, generators make an array of it.
  const list: JsonSchema = { type: "array", items, minItems: 1 };
  return {
    ...common,
    schema: list,
    style: "form",
    explode: false,
    examples: showOnly(String(example).split(",")),
  };
}

/** Without the extension, the try-it of the reference page sends every optional parameter that has an example. */
function showOnly(value: unknown) {
  return { example: { summary: "An example", value, "x-disabled": true } };
}

/** A pattern that repeats itself after commas is a list; without special characters its alternatives are all there is. */
function findListItems({ pattern }: Readonly<Record<string, unknown>>): JsonSchema | undefined {
  const [, one] = /^\^(\(\?:.+\))\(\?:,\1\)\*\$$/s.exec(String(pattern)) ?? [];
  if (one === undefined) return undefined;
  const alternatives = one.slice("(?:".length, -1);
  if (/[\\[\](){}^$*+?.]/.test(alternatives)) return { type: "string", pattern: `^${one}$` };
  return { type: "string", enum: alternatives.split("|") };
}

const number = new Intl.NumberFormat("en");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** What the reference says before the first endpoint. */
function describeApi(serverUrl: string): string {
  return `Lineup gives your tools an esports organization's data: players, teams, roster, schedule, prospects and contracts. Everything is JSON in UTF-8 under \`${serverUrl}\`.

## Keys

Your organization makes a key for you (Compliance › API Keys, or \`npx lineup key create\`); send it with every request, as \`Authorization: Bearer lineup_live_…\`. \`GET /me\` works with any key and says what yours may do.

Keys belong on servers only: never in a browser, an app, a repository or a log. There are no CORS headers for that reason, and a key that arrives over plain HTTP from another machine is refused. Revoke and replace a key that has leaked.

## Permissions

A key holds one permission or more; each endpoint names the one it needs. A write permission does not include the read one.

${table(
  ["Permission", "Lets a key"],
  PERMISSIONS.map((permission) => [`\`${permission}\``, PERMISSION_GRANTS[permission]]),
)}

## Answers

A success is \`{"success": true, "data": …, "meta": {"count", "requestId", "timestamp"}}\`, where \`data\` is a resource or a list of them. An error is \`{"success": false, "error": {"code", "message", "status"}, "meta": {"requestId", "timestamp"}}\`. \`X-Request-Id\` repeats \`meta.requestId\`, but for an answer with \`Idempotent-Replayed\`.

- Date-times inside \`data\` are integers, milliseconds since the Unix epoch. Only \`meta.timestamp\` is ISO 8601.
- Every field of a resource is always there; what is unknown is \`null\`.
- Ids begin with their kind, such as \`player_\`, and sort by creation.
- New fields may appear in an answer at any time: ignore those you do not know.
- \`HEAD\` answers every \`GET\` endpoint without the body.

## Lists

A bare call answers with everything it promises. To go page by page, send \`limit\` (1–${LIMIT_MAX}): \`meta.nextCursor\` and a \`Link\` header with \`rel="next"\` lead on, until \`nextCursor\` is \`null\`. A \`cursor\` goes on with the limit of its first page, unless you send another, and only with that page's filters and sort. A walk sees each item that matches throughout exactly once, whatever is written meanwhile.

Commas in a filter mean *any of*, of at most 100 values; different filters narrow each other. Texts sort by code point: capitals come before small letters.

To keep a copy, send the latest \`updatedAt\` you hold of a list, less a minute, as \`updatedSince\`, and write what you get over what you have, by \`id\`. Changes, those of an import included, are dated by the moment at which their turn to be written has come, in the order in which they become visible. \`updatedSince\` is inclusive, and several changes of one record within a millisecond are dated a few milliseconds ahead: hence the minute. Expect some records again; they do no harm.

## Writing

Send \`Content-Type: application/json\` and one JSON object of at most 256 KiB, nested at most 32 deep. \`POST\` answers 201 with \`Location\`. \`PATCH\` changes only the fields it is given, and \`null\` clears a field that may be null. Everything wrong with a body comes at once in \`error.details\`, field by field; an unknown field is refused.

To retry a write without fear, send an \`Idempotency-Key\`, a new one for each write and the same one with each retry: within 24 hours the write is made once, and every retry gets the first answer, with \`Idempotent-Replayed: true\`. Only successes are kept. To change only what you have seen, send the record's \`ETag\` as \`If-Match\` with a \`PATCH\`; answers to writes carry it too.

A player's role must be one of those of the game of the player's team, or of *Other* without a team:

${table(
  ["Game", "Roles"],
  GAMES.map((game) => [game, ROLES_BY_GAME[game].join(", ")]),
)}

## Limits

Each key has two rolling windows to itself, a minute and a day; the tier of the organization sets them.

${table(
  ["Tier", "Requests a minute", "Requests a day"],
  TIER_NAMES.map((tier) => [tier, number.format(TIERS[tier].perMinute), number.format(TIERS[tier].perDay)]),
)}

\`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` (Unix epoch seconds) on every answer describe the window with fewer requests left (\`reset\` in \`GET /me\` is in milliseconds); \`RateLimit\` and \`RateLimit-Policy\` describe both. Every request with a valid key counts, whatever its answer, except a refused one. After a 429 wait \`Retry-After\` seconds and retry with exponential backoff. Requests without a valid key draw on ${ADDRESS_LIMIT_PER_MINUTE} a minute for your address.

## Errors

Only these codes ever appear. The message says what to do next; quote \`meta.requestId\` to support. An unknown path, or a method a path does not have, is \`NOT_FOUND\`. What is not well-formed HTTP is \`VALIDATION_ERROR\`, and the connection is closed.

${table(
  ["Code", "Status", "Meaning"],
  ERROR_CODES.map((code) => [`\`${code}\``, String(ERROR_STATUS[code]), ERROR_MEANING[code]]),
)}

## Versions

v1 only ever grows: fields, parameters and endpoints may be added, none is removed or changed. Whatever is to go in a later version is announced at least 12 months ahead, on the answers themselves, with the headers \`Deprecation\` and \`Sunset\` and a \`Link\` to its replacement.`;
}
