/** From a response to what was asked for, or to the error that says why there is none. */
import {
  ConflictError,
  ConnectionError,
  type ErrorDetail,
  KeyError,
  type LimitWindow,
  LineupError,
  RateLimitError,
} from "./lineup-error.ts";
import type { ErrorCode } from "./record-types.ts";

export interface Answer {
  readonly data: unknown;
  readonly nextCursor: string | null;
  readonly requestId: string;
  readonly etag: string | null;
  /** Requests a day that the key has; undefined where the answer does not say. */
  readonly dayLimit: number | undefined;
}

interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly details?: readonly ErrorDetail[] };
  readonly meta?: { readonly requestId: string; readonly nextCursor?: string | null };
}

export function readAnswer({ ok, status, headers }: Response, text: string): Answer {
  const envelope = parseEnvelope(text, ok && headers.get("Content-Type")?.startsWith("application/json") === true);
  const requestId = envelope?.meta?.requestId ?? headers.get("X-Request-Id") ?? undefined;
  const facts = { status, requestId, details: envelope?.error?.details, retryAfterMs: readRetryAfter(headers) };
  if (status === 429) {
    const message = envelope?.error?.message ?? "Too many requests.";
    throw new RateLimitError(findFullWindow(headers), message, facts);
  }
  if (envelope?.error !== undefined) {
    const { code, message } = envelope.error;
    throw new (classOf(code, facts.details))(code, message, facts);
  }
  if (envelope?.meta === undefined || status >= 300) {
    throw new LineupError("UNEXPECTED_ANSWER", describeStranger(status, headers), facts);
  }
  return {
    data: envelope.data,
    nextCursor: envelope.meta.nextCursor ?? null,
    requestId: envelope.meta.requestId,
    etag: headers.get("ETag"),
    dayLimit: readNumber(/"day";q=(\d+)/.exec(headers.get("RateLimit-Policy") ?? "")?.[1]),
  };
}

/** Undefined where it is none of Lineup's: a proxy's page, another server. */
function parseEnvelope(text: string, isPromised: boolean): Envelope | undefined {
  try {
    const parsed = JSON.parse(text) as Envelope | null;
    return typeof parsed?.success === "boolean" ? parsed : undefined;
  } catch (error) {
    // Some proxies pass on what came before a server ended as if it were all.
    if (isPromised) throw new ConnectionError("The answer broke off before its end.", error);
    return undefined;
  }
}

function classOf(code: ErrorCode, details: readonly ErrorDetail[] = []): typeof LineupError {
  if (code === "INVALID_API_KEY" || code === "KEY_REVOKED" || code === "KEY_EXPIRED") return KeyError;
  return details.some(({ field }) => field === "If-Match") ? ConflictError : LineupError;
}

function describeStranger(status: number, headers: Headers): string {
  const location = headers.get("Location");
  if (status >= 300 && status < 400 && location !== null) {
    return `The server redirects to ${location}. The key is not sent there: make the address that you mean the baseUrl.`;
  }
  return `The answer (status ${status}) is not Lineup's. ${status >= 500 ? "Try again later." : "Is the baseUrl right?"}`;
}

/** Of the full windows the one that frees last: that is what a wait would be for. */
function findFullWindow(headers: Headers): LimitWindow | undefined {
  const windows = [...(headers.get("RateLimit") ?? "").matchAll(/"(minute|day|address)";r=0;t=(\d+)/g)];
  const [last] = windows.sort(([, , one], [, , other]) => Number(other) - Number(one));
  return last?.[1] as LimitWindow | undefined;
}

/** Lineup says seconds; a proxy may say a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("Retry-After");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function readNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
