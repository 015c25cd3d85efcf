/**
 * From a Zod schema of `api/` to the JSON Schema that the document shows.
 *
 * What always holds: a schema that JSON Schema cannot express stops the build instead of turning into "anything". The
 * dictionaries (stats, external ids) check their entries in code, so their JSON Schema is written here by hand, with
 * the same limits.
 */
import * as field from "@lineup/api/fields";
import * as z from "zod";
import type { JsonSchema } from "./openapi-types.ts";

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

/** What a client may send. Closed: an unknown field is refused. */
export function describeInput(schema: z.ZodType): JsonSchema {
  return { ...tidy(convert(schema, "input"), { open: false }), additionalProperties: false };
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
    else if (keyword === "properties") tidied.properties = tidyEach(value as Record<string, JsonSchema>, options);
    else if (keyword === "items") tidied.items = tidy(value as JsonSchema, options);
    else if (keyword === "anyOf") tidied.anyOf = (value as JsonSchema[]).map((one) => tidy(one, options));
    else if (keyword === "additionalProperties" && value === false && options.open) continue;
    else if ((keyword === "minimum" || keyword === "maximum") && noise.includes(value)) continue;
    else tidied[keyword] = value;
  }
  // Generators take a bare integer for one of 32 bits, which no date fits into.
  if (schema.type === "integer" && schema.maximum === field.TIMESTAMP_MAX) tidied.format = "int64";
  return foldNull(tidied);
}

function tidyEach(properties: Readonly<Record<string, JsonSchema>>, options: { open: boolean }) {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidy(schema, options)]));
}

/** `anyOf: [X, null]` says the same as `type: [x, "null"]`, which readers and generators take in at a glance. */
function foldNull(schema: Readonly<Record<string, unknown>>): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [value, nothing, more] = Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : [];
  if (value === undefined || nothing?.type !== "null" || more !== undefined) return schema;
  if (typeof value.type !== "string" || "enum" in value || "const" in value) return schema;
  return { ...value, ...rest, type: [value.type, "null"] };
}
