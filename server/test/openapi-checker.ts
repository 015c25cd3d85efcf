/**
 * Holds a live answer against the OpenAPI document, for tests.
 *
 * The document leaves answers open for fields to come; here they are closed, so that a field which the server sends and
 * nobody described is a mismatch too.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { ErrorCode } from "@lineup/api/errors";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { buildOpenApi, type OpenApiDocument } from "../src/http/openapi.ts";
import type { JsonSchema, Reference, ResponseObject } from "../src/http/openapi-schemas.ts";

export type AnswerHeaders = Headers | Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface OpenApiChecker {
  /** What differs from the document, a sentence each; empty when nothing does. The path is the template, `/players/{id}`. */
  checkAnswer(method: string, pathTemplate: string, status: number, headers: AnswerHeaders, body: unknown): string[];
  /** Compiles a schema that may refer to the named ones of the document. */
  compile(schema: JsonSchema | Reference): ValidateFunction;
}

const DOCUMENT_ID = "urn:lineup:openapi";

export function openApiChecker(
  document: OpenApiDocument = buildOpenApi({ version: "0.0.0", serverUrl: BASE_PATH }),
): OpenApiChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: DOCUMENT_ID, components: { schemas: close(document.components.schemas) } });

  const compiled = new Map<string, ValidateFunction>();
  function compile(schema: JsonSchema | Reference): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const { $ref } = schema;
    const fresh = ajv.compile(typeof $ref === "string" ? { ...schema, $ref: `${DOCUMENT_ID}${$ref}` } : schema);
    compiled.set(key, fresh);
    return fresh;
  }

  function findFaults(what: string, schema: JsonSchema | Reference, value: unknown): string[] {
    const validate = compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => {
      const extra = error.params.additionalProperty === undefined ? "" : ` (${error.params.additionalProperty})`;
      return `${what}${error.instancePath} ${error.message ?? "does not conform"}${extra}`;
    });
  }

  function findHeaderFaults(response: ResponseObject, headers: AnswerHeaders): string[] {
    return Object.keys(response.headers).flatMap((name) => {
      const described = document.components.headers[name];
      if (described === undefined) return [`header ${name} is not described`];
      const text = readHeader(headers, name);
      if (text === undefined) return described.required ? [`header ${name} is missing`] : [];
      const value = described.schema.type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
      return findFaults(`header ${name}`, described.schema, value);
    });
  }

  return {
    compile,
    checkAnswer(method, pathTemplate, status, headers, body) {
      const verb = method.toLowerCase();
      const operation = document.paths[pathTemplate]?.[verb === "head" ? "get" : verb];
      if (operation === undefined) return [`${method} ${pathTemplate} is not described`];
      const response = operation.responses[String(status)];
      if (response === undefined) return [`status ${status} is not described for ${method} ${pathTemplate}`];
      const faults = findHeaderFaults(response, headers);
      if (verb === "head") return faults;
      if (response.content === undefined) return body === undefined ? faults : [...faults, "there is a body"];
      const { schema } = response.content["application/json"];
      const type = readHeader(headers, "content-type") ?? "none";
      if (!/^application\/json\b/.test(type)) faults.push(`content type is ${type}, not application/json`);
      faults.push(...findFaults("body", schema, body));
      const isReplayed = readHeader(headers, "idempotent-replayed") !== undefined;
      const requestId = isReplayed ? undefined : readHeader(headers, "x-request-id");
      return [...faults, ...findDisagreements(response, status, requestId, body)];
    },
  };
}

interface Envelope {
  readonly data?: unknown;
  readonly error?: { readonly code?: ErrorCode; readonly status?: number };
  readonly meta?: { readonly count?: number; readonly requestId?: string };
}

/** What one schema cannot say: that parts of an answer agree with each other. What is said again has the request id of the first answer. */
function findDisagreements(response: ResponseObject, status: number, requestId: string | undefined, body: unknown) {
  const { data, error, meta } = (typeof body === "object" && body !== null ? body : {}) as Envelope;
  const codes = response["x-error-codes"];
  const faults: string[] = [];
  if (codes !== undefined && (error?.code === undefined || !codes.includes(error.code))) {
    faults.push(`code ${error?.code} is not described for status ${status}`);
  }
  if (error !== undefined && error.status !== status) faults.push(`error.status is ${error.status}, not ${status}`);
  if (requestId !== undefined && meta?.requestId !== requestId) faults.push("meta.requestId and X-Request-Id differ");
  if (data !== undefined && meta?.count !== (Array.isArray(data) ? data.length : 1)) {
    faults.push(`meta.count is ${meta?.count}, which is not the number of items in data`);
  }
  return faults;
}

function readHeader(headers: AnswerHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return found === undefined ? undefined : String(found);
}

function close<T>(value: T): T {
  if (Array.isArray(value)) return value.map(close) as T;
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  const isObjectSchema = typeof copy.properties === "object" && "type" in copy && !("additionalProperties" in copy);
  return (isObjectSchema ? { ...copy, additionalProperties: false } : copy) as T;
}
