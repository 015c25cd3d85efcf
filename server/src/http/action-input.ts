/** Reads the query and the body of an action by its record: all faults at once, in words for a person and by field for a form. */
import type { IncomingMessage } from "node:http";
import { type Action, ActionError, TooManyTries } from "@lineup/api/dashboard/action";
import { DETAILS_MAX, type ErrorDetail } from "@lineup/api/errors";
import { findTextFault, printableName } from "@lineup/api/fields";
import { findNearestName } from "@lineup/api/nearest-name";
import { isLongText } from "@lineup/api/resource";
import * as z from "zod";
import { type JsonObject, readJsonObject } from "./json-body.ts";
import { allowFile } from "./node-server.ts";
import { splitQuery } from "./query.ts";
import { announcesBody } from "./request-target.ts";

/** Far more than any form of the dashboard sends; an action that takes files has a bound of its own. */
const ACTION_BODY_MAX_BYTES = 64 * 1024;

const NOTHING = z.strictObject({});

export async function readInput(action: Action, request: IncomingMessage, queryString: string) {
  const { texts, faults } = splitQuery(queryString);
  const query = judge(action.query ?? NOTHING, Object.fromEntries(texts));
  const body = judge(action.body ?? NOTHING, await readBody(action, request));
  const all = [...faults, ...query.faults, ...body.faults];
  if (all.length > 0) throw inputError(all);
  return {
    query: action.query === undefined ? undefined : query.value,
    body: action.body === undefined ? undefined : body.value,
  };
}

/** An action that takes no body may come without one, or with an empty object. */
async function readBody(action: Action, request: IncomingMessage): Promise<JsonObject> {
  if (action.method === "GET" || (action.body === undefined && !announcesBody(request))) return {};
  if (action.bodyMaxBytes !== undefined) allowFile(request);
  return readJsonObject(request, action.bodyMaxBytes ?? ACTION_BODY_MAX_BYTES);
}

const LARGE_AT_ONCE = 2;
const LARGE_WAIT_MS = 3_000;
let takenSlots = 0;

/**
 * Bodies of many megabytes are read and worked on a few at a time, so that the memory they take is bounded, no matter who sends them: from
 * before the body is read until the work is done.
 */
export async function withSlot<T>(action: Action, work: () => Promise<T>): Promise<T> {
  if (action.bodyMaxBytes === undefined) return work();
  if (takenSlots >= LARGE_AT_ONCE) {
    throw new TooManyTries("Others are sending files just now. Try again in a few seconds.", LARGE_WAIT_MS);
  }
  takenSlots += 1;
  try {
    return await work();
  } finally {
    takenSlots -= 1;
  }
}

function judge(schema: z.ZodObject, input: JsonObject): { value: unknown; faults: ErrorDetail[] } {
  const result = schema.safeParse(input, { error: (issue) => describeIssue(issue) });
  const faults = findTextFaults(schema, input);
  if (result.success) return { value: result.data, faults };
  // Most schemas of texts look for the same.
  const said = new Set(faults.map(({ field, message }) => `${field} ${message}`));
  for (const issue of result.error.issues) {
    if (issue.code === "unrecognized_keys") {
      // Which name is near takes a while to find, and of no more than these is anything told.
      for (const key of issue.keys) {
        faults.push(faults.length < DETAILS_MAX ? unknownField(schema, issue.path, key) : { field: key, message: "" });
      }
    } else {
      const field = printableName(issue.path.join("."));
      if (!said.has(`${field} ${issue.message}`)) faults.push({ field, message: issue.message });
    }
  }
  return { value: undefined, faults };
}

/** Only where a schema says nothing of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return "must be given";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${KINDS[issue.expected] ?? "of another kind"}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? "is too short"
        : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string" || issue.origin === "array" ? "is too long" : `must be at most ${issue.maximum}`;
    default:
      return "is not valid";
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** No text has line breaks but those that records may have, and not every database can hold what is no character. */
function findTextFaults(schema: z.ZodObject, input: JsonObject): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const look = (value: unknown, field: string) => {
    if (typeof value === "string") {
      const fault = findTextFault(value, 0, Number.POSITIVE_INFINITY, takesLineBreaks(schema.shape[field]));
      if (fault !== undefined) faults.push({ field: printableName(field), message: fault });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) look(inner, field === "" ? name : `${field}.${name}`);
    }
  };
  look(input, "");
  return faults;
}

function takesLineBreaks(schema: z.core.$ZodType | undefined): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodType && isLongText({ schema: inner });
}

function unknownField(schema: z.ZodObject, path: readonly PropertyKey[], name: string): ErrorDetail {
  const field = printableName([...path, name].join("."));
  const near = findNearestName(name, Object.keys(schema.shape));
  return {
    field,
    message: near === undefined ? "is not known here; leave it out" : `is not known here; did you mean ${near}?`,
  };
}

function inputError(faults: readonly ErrorDetail[]): ActionError {
  const [only] = faults;
  const isOne = faults.length === 1 && only !== undefined;
  const message = isOne
    ? `${only.field} ${only.message}${only.message.endsWith("?") ? "" : "."}`
    : `${faults.length} things are not right; each is named with its field.`;
  return new ActionError("VALIDATION_ERROR", message, faults.slice(0, DETAILS_MAX));
}
