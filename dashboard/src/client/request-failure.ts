/** Why an action was not taken: what the server said, or that it could not be reached. */
import type { ActionErrorBody, ActionErrorCode } from "@lineup/api/dashboard/action";
import { WRONG_SECRET_TEXTS } from "../texts/frame-texts.ts";
import { sayExactly } from "../ui/time-words.ts";

export type FailureCode = ActionErrorCode | "UNREACHABLE";
export type FieldFault = { readonly field: string; readonly message: string };

export class RequestFailure extends Error {
  readonly code: FailureCode;
  readonly details: readonly FieldFault[];
  /** What support finds the request by; null where no answer came. */
  readonly requestId: string | null;

  /** Of a conflict: the record as it is now. */
  readonly current: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: FailureCode,
    message: string,
    requestId: string | null,
    details: readonly FieldFault[] = [],
    current?: RequestFailure["current"],
  ) {
    super(message);
    this.name = "RequestFailure";
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.current = current;
  }
}

export function isErrorBody(body: unknown): body is ActionErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

export function failureOf({ error, requestId }: ActionErrorBody): RequestFailure {
  return new RequestFailure(error.code, error.message, requestId, error.details, error.current);
}

/** The server names moments for programs, in UTC. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** By field, as a Mantine form takes them. Faults of fields that the form does not have stay in the failure's message. */
export function fieldErrorsOf(failure: RequestFailure | null): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { field, message } of failure?.details ?? []) {
    const wrong = failure?.code === "WRONG_CREDENTIALS" ? WRONG_SECRET_TEXTS[field] : undefined;
    if (wrong !== undefined) errors[field] ??= wrong;
    const local = message.replace(MOMENT, (moment) => sayExactly(Date.parse(moment)));
    const sentence = local.charAt(0).toUpperCase() + local.slice(1);
    errors[field] ??= sentence.endsWith(".") ? sentence : `${sentence}.`;
  }
  return errors;
}
