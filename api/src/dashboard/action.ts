/**
 * An action is one record of data, as an endpoint of the public API is: what the dashboard may ask of its server. The route, who may take
 * it, what is read and what is answered all derive from it, in the server and in the browser alike. A record names who
 * may take it; without that it does not compile.
 *
 * Who asks is known from the session alone, and the organization from the path alone. No body names either.
 */
import * as z from "zod";
import { type Capability, ROLES } from "./members.ts";

/** Anyone; anyone who is signed in; an operator; or a member of the path's organization whose role allows it. */
export type ActionAccess = "anyone" | "signed-in" | "operator" | Capability;

export interface Action<
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
  R extends z.ZodType = z.ZodType,
> {
  readonly name: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Relative to `ACTIONS_PATH`, with `{orgId}`, `{keyId}` and the like where identifiers stand. */
  readonly path: `/${string}`;
  readonly access: ActionAccess;
  readonly summary: string;
  /** Texts as they stand in the URL; unknown names are refused. */
  readonly query?: Q;
  /** Unknown fields are refused. */
  readonly body?: B;
  /** Where files are sent; otherwise a body is as small as a form. */
  readonly bodyMaxBytes?: number;
  readonly result: R;
}

export function defineAction<const A extends Action>(action: A): A {
  return action;
}

/** How far work has come that takes its time. */
export interface ActionProgress {
  readonly phase: string;
  readonly done: number;
  /** An estimate at first. */
  readonly total: number;
}

/**
 * Who asks for this type hears of the progress: the answer is a line for each step, `{"progress":…}`, and at last `{"result":…}`, or the error
 * as it would be otherwise. What is answered before any step is plain JSON as ever.
 */
export const PROGRESS_TYPE = "application/x-ndjson";

export const ACTIONS_PATH = "/internal";

/** For actions that change something and have nothing more to say. */
export const done = z.strictObject({});

export const moment = z.int();

export const roleSchema = z.enum(ROLES, { error: `must be one of ${ROLES.join(", ")}` });

/** What went wrong, for a person: every message says what to do next. */
export const ACTION_ERRORS = {
  NOT_SIGNED_IN: 401,
  /** The password or code is wrong; who asks is told no more. */
  WRONG_CREDENTIALS: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  VALIDATION_ERROR: 400,
  TOO_MANY_TRIES: 429,
  INTERNAL_ERROR: 500,
} as const;
export type ActionErrorCode = keyof typeof ACTION_ERRORS;

export const actionErrorSchema = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(ACTION_ERRORS) as [ActionErrorCode, ...ActionErrorCode[]]),
    message: z.string(),
    /** By field, for a form to show each where it belongs. */
    details: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
    /** Of a conflict: the record as it is now, to be shown beside what was to be written. */
    current: z.record(z.string(), z.unknown()).optional(),
  }),
  requestId: z.string(),
});
export type ActionErrorBody = z.output<typeof actionErrorSchema>;

/** Why an action was not taken, in words for the person who asked for it. */
export class ActionError extends Error {
  readonly code: ActionErrorCode;
  readonly details: readonly { readonly field: string; readonly message: string }[] | undefined;
  readonly current: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ActionErrorCode,
    message: string,
    details?: ActionError["details"],
    current?: ActionError["current"],
  ) {
    super(message);
    this.name = "ActionError";
    this.code = code;
    this.details = details;
    this.current = current;
  }
}

/** TOO_MANY_TRIES is always one of these: the answer also says to programs how long to wait. */
export class TooManyTries extends ActionError {
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super("TOO_MANY_TRIES", message);
    this.waitMs = waitMs;
  }
}
