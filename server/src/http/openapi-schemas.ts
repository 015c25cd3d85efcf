/** The named schemas of the document: resources, bodies and envelopes, made from the records of `api/`. */

import { changeComponent } from "@lineup/api/changes";
import type { BodySchema, Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS, RESOURCES } from "@lineup/api/endpoints";
import { errorEnvelope, successEnvelope } from "@lineup/api/envelope";
import type { ErrorCode } from "@lineup/api/errors";
import * as field from "@lineup/api/fields";
import { keyComponent } from "@lineup/api/me";
import * as z from "zod";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface Reference {
  readonly $ref: string;
}

export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  /** Absent where there is no body. */
  readonly content?: { readonly "application/json": { readonly schema: Reference; readonly examples: Examples } };
  /** The error codes that can come with this status here. */
  readonly "x-error-codes"?: readonly ErrorCode[];
}

/** What endpoints answer with, by name in the document. */
interface Component {
  readonly component: string;
  readonly description: string;
  readonly tag: { readonly name: string; readonly description: string };
  readonly schema: z.ZodObject;
  readonly example: object;
}

const KNOWN: readonly Component[] = [...RESOURCES, keyComponent, changeComponent];

/** In the order of the endpoints. */
export const COMPONENTS: readonly Component[] = [
  ...new Set(ENDPOINTS.map((endpoint) => requireComponent(endpoint.result))),
];

export function requireComponent(result: z.ZodType): Component {
  const found = KNOWN.find(({ schema }) => schema === result);
  if (found === undefined) throw new Error("The result of an endpoint is no resource's; add it to RESOURCES.");
  return found;
}

export function referTo(kind: "schemas" | "headers", name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

export function bodyName(endpoint: Endpoint): string {
  return `${requireComponent(endpoint.result).component}${endpoint.method === "POST" ? "Create" : "Update"}`;
}

export function envelopeName(endpoint: Endpoint): string {
  return `${requireComponent(endpoint.result).component}${endpoint.list ? "List" : ""}Envelope`;
}

/** Not `Error`: a client made from the document would have a type that hides the language's own. */
export const ERROR_NAME = "ErrorEnvelope";

export function describeSchemas(endpoints: readonly Endpoint[]): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const { component, schema, description } of COMPONENTS) {
    schemas[component] = { ...describeResult(schema), description };
  }
  for (const endpoint of endpoints) {
    if (endpoint.body !== undefined) schemas[bodyName(endpoint)] = describeBody(endpoint.body);
  }
  for (const endpoint of endpoints) schemas[envelopeName(endpoint)] = describeEnvelope(endpoint);
  schemas.Meta = describeMeta(false, "What every successful answer says about itself.");
  schemas.ListMeta = describeMeta(true, "What every successful list says about itself.");
  schemas[ERROR_NAME] = { ...describeResult(errorEnvelope), description: "What every error answers with." };
  return schemas;
}

export function describeBody(body: BodySchema): JsonSchema {
  const { required: _, ...json } = tidy(convert(body.fields, "input"), { open: false });
  return {
    ...json,
    // An unknown field is refused.
    additionalProperties: false,
    ...(body.required.length > 0 ? { required: body.required } : {}),
    ...(body.atLeastOne ? { minProperties: 1 } : {}),
    description: `${body.atLeastOne ? "The fields to change, at least one." : "The fields to set."} Texts are trimmed and hold no control characters. Not writable: ${body.readOnly.map((field) => `\`${field}\``).join(", ")}.`,
  };
}

/** The envelope's own schema with the resource and the meta data put in by name. */
function describeEnvelope(endpoint: Endpoint): JsonSchema {
  const name = requireComponent(endpoint.result).component;
  const json = describeResult(successEnvelope(z.unknown(), endpoint.list));
  const resource = referTo("schemas", name);
  const data = endpoint.list ? { type: "array", items: resource } : resource;
  const properties = json.properties as Record<string, JsonSchema>;
  return {
    ...json,
    properties: { ...properties, data, meta: referTo("schemas", endpoint.list ? "ListMeta" : "Meta") },
    description: endpoint.list ? `A list of ${name} in the success envelope.` : `A ${name} in the success envelope.`,
  };
}

function describeMeta(list: boolean, description: string): JsonSchema {
  const json = describeResult(successEnvelope(z.unknown(), list));
  const { meta } = json.properties as { meta: JsonSchema };
  return { ...meta, description };
}

/**
 * From a Zod schema of `api/` to the JSON Schema that the document shows. One that JSON Schema cannot express stops the build instead of
 * turning into "anything". The dictionaries (stats, external ids) check their entries in code, so their JSON Schema is written here by
 * hand, with the same limits.
 */
const SYSTEM_NAMES = { type: "string", pattern: "^[a-z0-9_-]{1,64}$" };
const EXTERNAL_ID = { type: "string", minLength: 1, maxLength: field.SHORT_TEXT_MAX };

const DICTIONARIES: readonly (readonly [z.ZodPipe, JsonSchema])[] = [
  [
    field.stats,
    {
      type: "object",
      maxProperties: field.STATS_MAX,
      propertyNames: { type: "string", minLength: 1, maxLength: field.SHORT_TEXT_MAX },
      additionalProperties: { type: ["number", "string"], maxLength: field.SHORT_TEXT_MAX },
    },
  ],
  [
    field.externalIds,
    {
      type: "object",
      maxProperties: field.EXTERNAL_IDS_MAX,
      propertyNames: SYSTEM_NAMES,
      additionalProperties: EXTERNAL_ID,
    },
  ],
  [
    field.externalIdsPatch,
    {
      type: "object",
      // A patch may take every system away and put as many others in their place.
      maxProperties: field.EXTERNAL_IDS_MAX * 2,
      propertyNames: SYSTEM_NAMES,
      additionalProperties: { ...EXTERNAL_ID, type: ["string", "null"] },
    },
  ],
];

/** A dictionary is a check that leads into a transformation; either end stands for it, whichever is being described. */
const BY_END = new Map<unknown, JsonSchema>(
  DICTIONARIES.flatMap(([pipe, schema]) => [
    [pipe.in, schema],
    [pipe.out, schema],
  ]),
);

/** What the server answers with. Open: v1 grows by new fields, and a client must not be told that there are none. */
export function describeResult(schema: z.ZodType): JsonSchema {
  return tidy(convert(schema, "output"), { open: true });
}

function convert(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: ({ zodSchema }) => BY_END.get(zodSchema) ?? "throw",
  });
  return json;
}

/** Bounds that say nothing but "an integer" are noise to a reader; those of a date matter only to who sends one. */
const NOISE: readonly unknown[] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const NOISE_IN_RESULTS: readonly unknown[] = [...NOISE, field.TIMESTAMP_MAX, -field.TIMESTAMP_MAX];

function tidy(schema: JsonSchema, options: { open: boolean }): JsonSchema {
  const tidied: Record<string, unknown> = {};
  const noise = options.open ? NOISE_IN_RESULTS : NOISE;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "example") tidied.examples = [value];
    else if (keyword === "properties") {
      const each = Object.entries(value as Record<string, JsonSchema>);
      tidied.properties = Object.fromEntries(each.map(([name, one]) => [name, tidy(one, options)]));
    } else if (keyword === "items") tidied.items = tidy(value as JsonSchema, options);
    else if (keyword === "anyOf") tidied.anyOf = (value as JsonSchema[]).map((one) => tidy(one, options));
    else if (keyword === "additionalProperties" && value === false && options.open) continue;
    else if ((keyword === "minimum" || keyword === "maximum") && noise.includes(value)) continue;
    else tidied[keyword] = value;
  }
  // Generators take a bare integer for one of 32 bits, which no date fits into.
  if (schema.type === "integer" && schema.maximum === field.TIMESTAMP_MAX) tidied.format = "int64";
  return foldNull(tidied);
}

/** `anyOf: [X, null]` says the same as `type: [x, "null"]`, which readers and generators take in at a glance. */
function foldNull(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [value, nothing, more] = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : [];
  if (value === undefined || nothing?.type !== "null" || more !== undefined) return schema;
  if (typeof value.type !== "string" || "enum" in value || "const" in value) return schema;
  return { ...value, ...rest, type: [value.type, "null"] };
}
