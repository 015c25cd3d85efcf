/**
 * The OpenAPI 3.1 document, made from the endpoint records: an endpoint that exists is described, and what is described
 * exists. Nothing here knows a request; the document is a plain value, built once.
 */
import type { Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import type { Parameter } from "@lineup/api/parameters";
import { PERMISSION_GRANTS } from "@lineup/api/permissions";
import type * as z from "zod";
import { describeApi } from "./openapi-intro.ts";
import { describeResult } from "./openapi-json-schema.ts";
import { describeResponses, HEADERS, isTagged } from "./openapi-responses.ts";
import { bodyName, COMPONENTS, describeSchemas, referTo, requireComponent } from "./openapi-schemas.ts";
import type { JsonSchema, OpenApiDocument, OperationObject, ParameterObject } from "./openapi-types.ts";

export function buildOpenApi(options: { version: string; serverUrl: string }): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
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

function describeOperation(endpoint: Endpoint): OperationObject {
  const parameters = [
    ...(endpoint.path.includes("{id}") ? [describeId(endpoint)] : []),
    ...Object.entries(endpoint.query).map(([name, parameter]) => describeParameter(name, parameter)),
    ...(isTagged(endpoint) ? [IF_NONE_MATCH] : []),
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

const IF_NONE_MATCH: ParameterObject = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of an answer you have kept. While that is current, you get a 304 without a body; it counts like any request.",
  schema: { type: "string" },
  examples: showOnly('W/"Kq0vU3mZ1t9cYw2Rb8fXqA"'),
};

function describePermission({ permission }: Endpoint): string {
  if (permission === "any") return "Requires a key with any permission.";
  return `Requires the permission \`${permission}\`: ${PERMISSION_GRANTS[permission]}.`;
}

function describeRequestBody(endpoint: Endpoint): Pick<OperationObject, "requestBody"> {
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

function describeId(endpoint: Endpoint): ParameterObject {
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

function describeParameter(name: string, parameter: Parameter<unknown>): ParameterObject {
  const { description, schema, example } = parameter;
  const items = findListItems(schema);
  const common = { name, in: "query", required: false, description } as const;
  if (items === undefined) return { ...common, schema, examples: showOnly(example) };
  // The same text in the URL, described as the list it is: readers see the values, generators make an array of it.
  return {
    ...common,
    schema: { type: "array", items, minItems: 1 },
    style: "form",
    explode: false,
    examples: showOnly(String(example).split(",")),
  };
}

/** Without the extension, the try-it of the reference page sends every optional parameter that has an example. */
function showOnly(value: unknown): NonNullable<ParameterObject["examples"]> {
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
