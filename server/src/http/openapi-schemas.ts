/** The named schemas of the document: resources, bodies and envelopes, made from the records of `api/`. */
import { contract } from "@lineup/api/contracts";
import type { BodySchema, Endpoint } from "@lineup/api/endpoint";
import { errorEnvelope, successEnvelope } from "@lineup/api/envelope";
import { keyDescription } from "@lineup/api/me";
import { player } from "@lineup/api/players";
import { prospect } from "@lineup/api/prospects";
import { rosterEntry } from "@lineup/api/roster";
import { scheduleEntry } from "@lineup/api/schedule";
import { team } from "@lineup/api/teams";
import * as z from "zod";
import { BODY_DEFAULTS, FIELD_NOTES } from "./openapi-field-notes.ts";
import { describeInput, describeResult } from "./openapi-json-schema.ts";
import type { JsonSchema, Reference } from "./openapi-types.ts";

export const COMPONENTS = {
  Player: { schema: player, description: "Somebody who plays for the organization or belongs to its staff." },
  Team: { schema: team, description: "A team of the organization." },
  RosterEntry: { schema: rosterEntry, description: "One assignment of a player to a team, open or past." },
  ScheduleEntry: { schema: scheduleEntry, description: "A match, scrim, practice or event." },
  Prospect: { schema: prospect, description: "Somebody the organization may sign." },
  Contract: { schema: contract, description: "A contract with a player or a member of staff." },
  KeyDescription: { schema: keyDescription, description: "The API key that made the request." },
} as const;

export type ComponentName = keyof typeof COMPONENTS;

const COMPONENT_NAMES = Object.keys(COMPONENTS) as ComponentName[];

export function requireComponentName(result: z.ZodType): ComponentName {
  const name = COMPONENT_NAMES.find((candidate) => COMPONENTS[candidate].schema === result);
  if (name === undefined) throw new Error("The result of an endpoint has no name in the OpenAPI document; add it.");
  return name;
}

export function referTo(kind: "schemas" | "headers", name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

export function bodyName(endpoint: Endpoint): string {
  return `${requireComponentName(endpoint.result)}${endpoint.method === "POST" ? "Create" : "Update"}`;
}

export function envelopeName(endpoint: Endpoint): string {
  return `${requireComponentName(endpoint.result)}${endpoint.list ? "List" : ""}Envelope`;
}

/** Not `Error`: a client made from the document would have a type that hides the language's own. */
export const ERROR_NAME = "ErrorEnvelope";

export function describeSchemas(endpoints: readonly Endpoint[]): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const name of COMPONENT_NAMES) schemas[name] = describeResource(name);
  for (const endpoint of endpoints) {
    if (endpoint.body !== undefined) schemas[bodyName(endpoint)] = describeBody(endpoint, endpoint.body);
  }
  for (const endpoint of endpoints) schemas[envelopeName(endpoint)] = describeEnvelope(endpoint);
  schemas.Meta = describeMeta(false, "What every successful answer says about itself.");
  schemas.ListMeta = describeMeta(true, "What every successful list says about itself.");
  schemas[ERROR_NAME] = { ...describeResult(errorEnvelope), description: "What every error answers with." };
  return schemas;
}

function describeResource(name: ComponentName): JsonSchema {
  const json = describeResult(COMPONENTS[name].schema);
  return { ...withNotes(json, [FIELD_NOTES[name]]), description: COMPONENTS[name].description };
}

function describeBody(endpoint: Endpoint, body: BodySchema): JsonSchema {
  const name = bodyName(endpoint);
  const { required: _, ...json } = describeInput(body.fields);
  const resource = FIELD_NOTES[requireComponentName(endpoint.result)];
  return {
    ...withNotes(json, [FIELD_NOTES[name], resource], BODY_DEFAULTS[name]),
    ...(body.required.length > 0 ? { required: body.required } : {}),
    ...(body.atLeastOne ? { minProperties: 1 } : {}),
    description: `${body.atLeastOne ? "The fields to change, at least one." : "The fields to set."} Texts are trimmed and hold no control characters. Not writable: ${body.readOnly.map((field) => `\`${field}\``).join(", ")}.`,
  };
}

function withNotes(
  json: JsonSchema,
  notes: readonly (Readonly<Record<string, string>> | undefined)[],
  defaults: Readonly<Record<string, string>> = {},
): JsonSchema {
  const properties = Object.entries(json.properties as Record<string, JsonSchema>).map(([field, schema]) => {
    const note = notes.find((table) => table?.[field] !== undefined)?.[field];
    const value = defaults[field];
    const otherwise =
      value === undefined ? "" : ` When left out: ${value === "" ? "an empty string" : `\`${value}\``}.`;
    return [field, note === undefined ? schema : { ...schema, description: note + otherwise }];
  });
  return { ...json, properties: Object.fromEntries(properties) };
}

/** The envelope's own schema with the resource and the meta data put in by name. */
function describeEnvelope(endpoint: Endpoint): JsonSchema {
  const name = requireComponentName(endpoint.result);
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
