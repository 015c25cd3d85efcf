/**
 * Writes the types of the SDK, `sdk/src/record-types.ts`: the records, queries and bodies of the OpenAPI document, which is made of the records in `api/`.
 * Those who install the SDK get types that import nothing, with the reference's words in their editor. A test fails where the file is not current.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CHANGE_TYPES } from "@lineup/api/change-types";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ERROR_CODES } from "@lineup/api/errors";
import { PERMISSIONS } from "@lineup/api/permissions";
import { ALL_ROLES, GAMES } from "@lineup/api/roles";
import { TIER_NAMES } from "@lineup/api/tiers";
import { buildOpenApi } from "@lineup/server/http/openapi";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

interface Property {
  readonly name: string;
  readonly type: string;
  readonly note: string | undefined;
  readonly required: boolean;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const TYPES_FILE = `${ROOT}sdk/src/record-types.ts`;

/** Unions that have a name, so that code can say it. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  ErrorCode: ERROR_CODES,
  Permission: PERMISSIONS,
  Tier: TIER_NAMES,
  Game: GAMES,
  Role: ALL_ROLES,
  ChangeType: CHANGE_TYPES,
};

const HEAD = `/**
 * What the API takes and gives, with the words of its reference. Written by scripts/write-client-types.ts from the records in api/:
 * change those, and run "npm run types".
 */

/** A moment: milliseconds since the Unix epoch, an ISO 8601 date or date-time (UTC where it names no zone), or a Date. */
export type Moment = number | string | Date;
`;

export function makeClientTypes(): string {
  const document = buildOpenApi({ version: "1", serverUrl: BASE_PATH }) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    readonly paths: Readonly<Record<string, Readonly<Record<string, { parameters?: readonly Parameter[] }>>>>;
  };
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !/Envelope$|Meta$/.test(name));
  const queries = ENDPOINTS.filter(({ list }) => list).map(({ name, path, summary }) => {
    const parameters = document.paths[path]?.get?.parameters ?? [];
    return writeInterface(`${name[0]?.toUpperCase()}${name.slice(1)}Query`, summary, queryOf(parameters));
  });
  const parts = [
    HEAD,
    ...Object.entries(NAMED).map(([name, values]) => `export type ${name} = ${literals(values)};\n`),
    ...schemas.map(([name, schema]) => writeInterface(name, schema.description, propertiesOf(name, schema))),
    ...queries,
  ];
  // By the file's name alone Biome knows what it is.
  const args = [`${ROOT}node_modules/@biomejs/biome/bin/biome`, "format", `--stdin-file-path=${TYPES_FILE}`];
  return execFileSync(process.execPath, args, { input: parts.join("\n"), encoding: "utf8", cwd: ROOT });
}

function propertiesOf(component: string, { properties = {}, required = [] }: Schema): Property[] {
  const isBody = /(?:Create|Update)$/.test(component);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: isBody ? typeOf(schema, "readonly ") : typeOf(schema),
    note: schema.description,
    required: required.includes(name),
  }));
}

function queryOf(parameters: readonly Parameter[]): Property[] {
  const asked = parameters.filter((parameter) => parameter.in === "query");
  return asked.map(({ name, description, schema }) => {
    const { items } = schema;
    const one = typeOf(items ?? schema);
    const type = items === undefined ? one : `${one} | readonly ${one.includes("|") ? `(${one})` : one}[]`;
    return { name, type, note: description, required: false };
  });
}

function writeInterface(name: string, description: string | undefined, properties: readonly Property[]): string {
  const lines = properties.map((one) => {
    const [mark, rest] = one.required ? ["", ""] : ["?", " | undefined"];
    return `${comment(one.note)}${one.name}${mark}: ${one.type}${rest};`;
  });
  return `${comment(description)}export interface ${name} {\n${lines.join("\n")}\n}\n`;
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("\n", " ")} */\n`;
}

function literals(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

function typeOf(schema: Schema, lists: "" | "readonly " = ""): string {
  if (schema.anyOf?.some(({ format }) => format === "date-time")) return "Moment";
  if (schema.anyOf !== undefined) return unite(schema.anyOf.map((one) => typeOf(one, lists)));
  const values = schema.enum ?? valuesOf(schema.pattern);
  if (values !== undefined) {
    const name = Object.keys(NAMED).find((one) => String(NAMED[one]) === String(values));
    return name ?? literals(values);
  }
  return unite([schema.type ?? []].flat().map((type) => plainTypeOf(type, schema, lists)));
}

function unite(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}

function plainTypeOf(type: string, schema: Schema, lists: "" | "readonly "): string {
  if (type === "integer") return "number";
  if (["string", "number", "boolean", "null"].includes(type)) return type;
  const { items, properties, required = [], additionalProperties } = schema;
  if (type === "array" && items !== undefined) {
    const one = typeOf(items, lists);
    return `${lists}${one.includes("|") ? `(${one})` : one}[]`;
  }
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, one]) =>
        `${comment(one.description)}${name}${required.includes(name) ? "" : "?"}: ${typeOf(one, lists)};`,
    );
    return `{\n${fields.join("\n")}\n}`;
  }
  if (typeof additionalProperties === "object") return `Record<string, ${typeOf(additionalProperties, lists)}>`;
  throw new Error(`What is ${JSON.stringify(schema)} in TypeScript? Say it in scripts/write-client-types.ts.`);
}

/** Some enumerations are told by a pattern alone, as alternatives. */
function valuesOf(pattern: string | undefined): readonly string[] | undefined {
  const values = /^\^\(\?:(.+)\)\$$/
    .exec(pattern ?? "")?.[1]
    ?.split("|")
    .map((value) => value.replaceAll("\\.", "."));
  return values?.every((value) => /^[\w. ]+$/.test(value)) ? values : undefined;
}

if (import.meta.main) writeFileSync(TYPES_FILE, makeClientTypes());
