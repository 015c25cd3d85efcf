/** The refusals that come before any endpoint: key, limits, unknown path, permission. Each says what to do next. */
import type { Endpoint } from "@lineup/api/endpoint";
import { ApiError } from "@lineup/api/errors";
import type { Authentication, Holder } from "../access/authenticator.ts";
import type { Verdict, WindowName } from "../limits/windows.ts";
import { OrganizationGone } from "../store/store-error.ts";
import { makeStanding } from "./answer.ts";

/** What a request shows of its caller: a key that was looked up, none at all, several, or one that others may have read. */
export type Attempt = Authentication | { readonly outcome: "missing" | "several" | "exposed" };

/** Whoever is past a limit is often told so many times in a second. By window, limit and seconds to wait. */
const limitErrors = {
  minute: new Map<number, ApiError>(),
  day: new Map<number, ApiError>(),
  address: new Map<number, ApiError>(),
};
const LIMIT_ERRORS_MAX = 1_000;
const DAY_SECONDS = 86_400;

export function limitError(verdict: Verdict): ApiError {
  const { name, limit, resetInMs } = verdict.governing;
  const seconds = Math.max(1, Math.ceil(resetInMs / 1000));
  const known = limitErrors[name];
  const place = limit * (DAY_SECONDS + 1) + seconds;
  let error = known.get(place);
  if (error === undefined) {
    if (known.size >= LIMIT_ERRORS_MAX) known.clear();
    error = makeStanding(makeLimitError(name, limit, seconds));
    known.set(place, error);
  }
  return error;
}

function makeLimitError(name: WindowName, limit: number, seconds: number): ApiError {
  const full = {
    minute: `The limit of ${limit} requests a minute for this key is reached`,
    day: `The limit of ${limit} requests a day for this key is reached`,
    address: `Too many requests without a valid key came from this address (${limit} a minute)`,
  }[name];
  return new ApiError("RATE_LIMIT_EXCEEDED", `${full}. Wait ${seconds} s, then retry, with exponential backoff.`);
}

const UNKNOWN_KEY = new ApiError(
  "INVALID_API_KEY",
  "Nobody holds this key. Check that it belongs to this server, or ask your organization for a new one.",
);

/** What each kind of caller without a valid key is told. */
export const KEY_REFUSALS: Readonly<Record<Exclude<Attempt["outcome"], "valid">, ApiError>> = {
  revoked: new ApiError(
    "KEY_REVOKED",
    "This key has been revoked. Use another key, or ask your organization for a new one.",
  ),
  expired: new ApiError(
    "KEY_EXPIRED",
    "This key has expired. Use its successor, or ask your organization for a new key.",
  ),
  exposed: new ApiError(
    "INVALID_API_KEY",
    "HTTPS is required: this key was sent over plain HTTP, where others can read it. Replace the key, and use the new one over HTTPS only.",
  ),
  missing: new ApiError("INVALID_API_KEY", "Send a key in the header Authorization: Bearer lineup_live_…"),
  several: new ApiError(
    "INVALID_API_KEY",
    "The request has several Authorization headers. Send exactly one, Authorization: Bearer lineup_live_…",
  ),
  malformed: new ApiError(
    "INVALID_API_KEY",
    "This is not a key: its form or checksum is wrong. Check that it was copied whole; it begins with lineup_live_ and has 50 characters.",
  ),
  unknown: UNKNOWN_KEY,
};
for (const refusal of Object.values(KEY_REFUSALS)) makeStanding(refusal);

export function requirePermission(endpoint: Endpoint, key: Holder): void {
  const { permission } = endpoint;
  if (permission === "any" ? key.permissions.size > 0 : key.permissions.has(permission)) return;
  throw new ApiError(
    "INSUFFICIENT_PERMISSIONS",
    `This key lacks the permission ${permission}. Use a key that holds it, or ask your organization for one.`,
  );
}

/** The answer to what was thrown, where it is one that clients may see; undefined for a fault of ours. */
export function findRefusal(error: unknown): ApiError | undefined {
  // Deleted while the request was under way; its keys went with it.
  if (error instanceof OrganizationGone) return UNKNOWN_KEY;
  return error instanceof ApiError ? error : undefined;
}

/** What the client sees of a fault of ours: nothing of the inside. */
export function internalError(): ApiError {
  return new ApiError(
    "INTERNAL_ERROR",
    "Something went wrong on our side. Try again; if it lasts, quote meta.requestId to support.",
  );
}
