/** The ten codes of the specification with their statuses. No other code ever leaves the server. */
export const ERROR_STATUS = {
  INVALID_API_KEY: 401,
  KEY_REVOKED: 403,
  KEY_EXPIRED: 403,
  INSUFFICIENT_PERMISSIONS: 403,
  VALIDATION_ERROR: 400,
  INVALID_PARAMETER: 400,
  INVALID_ROLE: 400,
  RATE_LIMIT_EXCEEDED: 429,
  NOT_FOUND: 404,
  INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export const ERROR_CODES = Object.keys(ERROR_STATUS) as readonly ErrorCode[];

/** When each code is the answer, in the words used by the reference page. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  INVALID_API_KEY: "The key is missing or malformed, nobody holds it, or it was sent over plain HTTP.",
  KEY_REVOKED: "The key has been revoked.",
  KEY_EXPIRED: "The key has expired.",
  INSUFFICIENT_PERMISSIONS: "The key lacks the permission that the endpoint requires.",
  VALIDATION_ERROR: "The body lacks required fields or has invalid values, or the request is not well-formed.",
  INVALID_PARAMETER: "A query parameter has an invalid value, is repeated or is unknown.",
  INVALID_ROLE: "The role is not valid for the game of the player's team.",
  RATE_LIMIT_EXCEEDED: "Too many requests; wait until the reset and retry.",
  NOT_FOUND: "The requested resource does not exist.",
  INTERNAL_ERROR: "Something unexpected happened on the server.",
};

export interface ErrorDetail {
  readonly field: string;
  readonly message: string;
}

/** What a handler throws when the answer is an error. The message goes to the client; a cause only ever to the log. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;

  constructor(code: ErrorCode, message: string, options: { details?: readonly ErrorDetail[]; cause?: unknown } = {}) {
    // It is an answer, not a fault: nobody reads where it was made, and to find that out takes longer than to answer.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.code = code;
    this.details = options.details;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** A hostile request can hold thousands of faults; nobody mends more than this at once, and no more are told. */
export const DETAILS_MAX = 100;

/** VALIDATION_ERROR for all that is wrong with a body, and with the headers beside it: in the message where it is one thing, in the details always. */
export function bodyError(faults: readonly ErrorDetail[], headerFaults: readonly ErrorDetail[] = []): ApiError {
  // Those of headers first: of a body there may be more than are told.
  const all = [...headerFaults, ...faults];
  const [only] = all;
  const [one, whole] = headerFaults.length === 0 ? ["field", "body"] : ["header", "request"];
  const message =
    all.length === 1 && only !== undefined
      ? sentence(`The ${one} ${only.field} ${only.message}`)
      : `The ${whole} has ${all.length} faults; ${whereDetailed(all)}.`;
  return new ApiError("VALIDATION_ERROR", message, { details: all.slice(0, DETAILS_MAX) });
}

/** VALIDATION_ERROR for a header whose form is right and which cannot be heeded. */
export function headerError(field: string, message: string): ApiError {
  return bodyError([], [{ field, message }]);
}

/** INVALID_PARAMETER for all that is wrong with a query. The first few are in the message. */
export function parameterError(faults: readonly ErrorDetail[]): ApiError {
  const first = faults.slice(0, 3).map(({ field, message }) => sentence(`The query parameter ${field} ${message}`));
  if (faults.length > 3) first.push(`There are ${faults.length} faults; ${whereDetailed(faults)}.`);
  return new ApiError("INVALID_PARAMETER", first.join(" "), { details: faults.slice(0, DETAILS_MAX) });
}

function whereDetailed(faults: readonly ErrorDetail[]): string {
  return faults.length > DETAILS_MAX ? `error.details names the first ${DETAILS_MAX}` : "error.details names each";
}

function sentence(text: string): string {
  return text.endsWith("?") ? text : `${text}.`;
}
