/** The named schemas of the document: resources, bodies and envelopes, made from the records of `api/`. */
import type { BodySchema, Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS, RESOURCES } from "@lineup/api/endpoints";
import { errorEnvelope, successEnvelope } from "@lineup/api/envelope";
import { keyComponent } from "@lineup/api/me";
import * as z from "zod";
import { describeInput, describeResult } from "./openapi-json-schema.ts";
import type { JsonSchema, Reference } from "./openapi-types.ts";

/** What endpoints answer with, by name in the document. */
interface Component {
  readonly component: string;
  readonly description: string;
  readonly tag: { readonly name: string; readonly description: string };
  readonly schema: z.ZodObject;
  readonly example: object;
}

const KNOWN: readonly Component[] = [...RESOURCES, keyComponent];

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

function describeBody(body: BodySchema): JsonSchema {
  const { required: _, ...json } = describeInput(body.fields);
  return {
    ...json,
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
