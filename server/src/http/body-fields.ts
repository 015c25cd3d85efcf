/** Judges the fields of a body by an endpoint's schema: all faults at once, and the fields that are usable. */
import type { BodySchema } from "@lineup/api/endpoint";
import type { ErrorDetail } from "@lineup/api/errors";
import { printableName } from "@lineup/api/fields";
import { findNearestName } from "@lineup/api/nearest-name";
import type { JsonObject } from "./json-body.ts";

export interface JudgedBody {
  readonly usable: Readonly<Record<string, unknown>>;
  readonly faults: readonly ErrorDetail[];
}

export function judgeBody(schema: BodySchema, body: JsonObject): JudgedBody {
  const faults: ErrorDetail[] = [];
  const usable: Record<string, unknown> = {};
  const known = schema.fields.shape;
  for (const name of Object.keys(body)) {
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (field === undefined) {
      faults.push(unknownField(schema, name));
      continue;
    }
    const result = field.safeParse(body[name]);
    if (result.success) usable[name] = result.data;
    else {
      for (const issue of result.error.issues) {
        faults.push({ field: [name, ...issue.path].join("."), message: issue.message });
      }
    }
  }
  for (const name of schema.required) {
    if (!Object.hasOwn(body, name)) faults.push({ field: name, message: "is required" });
  }
  if (schema.atLeastOne && Object.keys(body).length === 0) {
    faults.push({ field: "body", message: `must hold at least one of ${Object.keys(known).join(", ")}` });
  }
  return { usable, faults };
}

function unknownField(schema: BodySchema, name: string): ErrorDetail {
  const field = printableName(name);
  if (schema.readOnly.includes(name)) return { field, message: "cannot be set by a client; leave it out" };
  const near = findNearestName(name, Object.keys(schema.fields.shape));
  return {
    field,
    message: near === undefined ? "is not a known field; leave it out" : `is not a known field; did you mean ${near}?`,
  };
}
