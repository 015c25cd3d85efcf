import type { ErrorCode } from "./record-types.ts";

export interface ErrorDetail {
  /** The field, query parameter or header that is wrong. */
  readonly field: string;
  readonly message: string;
}

/** What ErrorCode has not: no answer, an answer that is not Lineup's, a message that is not signed. */
export type LineupErrorCode = ErrorCode | "CONNECTION_FAILED" | "UNEXPECTED_ANSWER" | "INVALID_WEBHOOK";

export interface ErrorFacts {
  readonly status?: number | undefined;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Whatever goes wrong between you and the server. Decide by `code` or by class; show `message` to people; log `requestId`. */
export class LineupError extends Error {
  override readonly name: string = "LineupError";
  readonly code: LineupErrorCode;
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined;
  /** Everything that is wrong with a body, the query or the headers, at once. */
  readonly details: readonly ErrorDetail[];
  /** What the operator finds this request by. */
  readonly requestId: string | undefined;
  /** How long the server asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(code: LineupErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** Whether the same call may succeed later by itself: nothing is wrong with it, or with the key. */
  get mayRetry(): boolean {
    return this.status !== undefined && this.status >= 500;
  }
}

/** The key is unknown, revoked or expired: every call fails until there is another one. `code` says which it is. */
export class KeyError extends LineupError {
  override readonly name: string = "KeyError";
}

/** Which window is full. `address` is for requests without a valid key. */
export type LimitWindow = "minute" | "day" | "address";

/** A window is full, and it was waited for as long as anybody waits; or it is that of the day, for which nobody does. */
export class RateLimitError extends LineupError {
  override readonly name: string = "RateLimitError";
  /** The one that frees last; undefined where the answer does not say. */
  readonly window: LimitWindow | undefined;
  /** When a request is admitted again, by this machine's clock. */
  readonly retryAt: Date | undefined;

  constructor(window: LimitWindow | undefined, message: string, facts: ErrorFacts) {
    super("RATE_LIMIT_EXCEEDED", message, facts);
    this.window = window;
    this.retryAt = facts.retryAfterMs === undefined ? undefined : new Date(Date.now() + facts.retryAfterMs);
  }

  override get mayRetry(): boolean {
    return this.window !== "day";
  }
}

/** The record is no longer as you have seen it (`ifMatch`), and nothing was written: read it again, and decide anew. */
export class ConflictError extends LineupError {
  override readonly name: string = "ConflictError";
}

/** The change feed cannot go on from this cursor: changes are kept for 30 days. Read the lists again, and follow from a new one. */
export class CursorExpiredError extends LineupError {
  override readonly name: string = "CursorExpiredError";
}

/** No answer came: the server is away, the network is broken, or the time was up. `cause` has the reason. */
export class ConnectionError extends LineupError {
  override readonly name: string = "ConnectionError";

  constructor(message: string, cause: unknown) {
    super("CONNECTION_FAILED", message, { cause });
  }

  override get mayRetry(): boolean {
    return true;
  }
}

/** The message is not signed with the secret, or is too old: do not believe it. */
export class WebhookError extends LineupError {
  override readonly name: string = "WebhookError";

  constructor(message: string) {
    super("INVALID_WEBHOOK", message);
  }
}
