/** The refusals that come before any endpoint: key, limits, unknown path, permission. Each says what to do next. */
import type { Endpoint } from "@lineup/api/endpoint";
import { ApiError } from "@lineup/api/errors";
import type { Authentication, Holder } from "../access/authenticator.ts";
import type { Verdict } from "../limits/windows.ts";
import { OrganizationGone } from "../store/organization-gone.ts";

/** What a request shows of its caller: a key that was looked up, none at all, or one that others may have read. */
export type Attempt = Authentication | { readonly outcome: "missing" | "exposed" };

/** A request past its limit. The verdict goes with it, for the headers describe the window that is full. */
export class RefusedByLimits extends Error {
  readonly verdict: Verdict;
  readonly error: ApiError;

  constructor(verdict: Verdict) {
    super("refused by limits");
    this.verdict = verdict;
    this.error = limitError(verdict);
  }
}

function limitError(verdict: Verdict): ApiError {
  const { name, limit, resetInMs } = verdict.governing;
  const seconds = Math.max(1, Math.ceil(resetInMs / 1000));
  const full = {
    minute: `The limit of ${limit} requests a minute for this key is reached`,
    day: `The limit of ${limit} requests a day for this key is reached`,
    address: `Too many requests without a valid key came from this address (${limit} a minute)`,
  }[name];
  return new ApiError("RATE_LIMIT_EXCEEDED", `${full}. Wait ${seconds} s, then retry, with exponential backoff.`);
}

export function requireValidKey(authentication: Attempt): Extract<Attempt, { readonly outcome: "valid" }> {
  switch (authentication.outcome) {
    case "valid":
      return authentication;
    case "revoked":
      throw new ApiError(
        "KEY_REVOKED",
        "This key has been revoked. Use another key, or ask your organization for a new one.",
      );
    case "expired":
      throw new ApiError(
        "KEY_EXPIRED",
        "This key has expired. Use its successor, or ask your organization for a new key.",
      );
    case "exposed":
      throw new ApiError(
        "INVALID_API_KEY",
        "HTTPS is required: this key was sent over plain HTTP, where others can read it. Replace the key, and use the new one over HTTPS only.",
      );
    case "missing":
      throw new ApiError("INVALID_API_KEY", "Send a key in the header Authorization: Bearer lineup_live_…");
    case "malformed":
      throw new ApiError(
        "INVALID_API_KEY",
        "This is not a key: its form or checksum is wrong. Check that it was copied whole; it begins with lineup_live_ and has 50 characters.",
      );
    case "unknown":
      throw unknownKey();
  }
}

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
  if (error instanceof RefusedByLimits) return error.error;
  // Deleted while the request was under way; its keys went with it.
  if (error instanceof OrganizationGone) return unknownKey();
  return error instanceof ApiError ? error : undefined;
}

function unknownKey(): ApiError {
  return new ApiError(
    "INVALID_API_KEY",
    "Nobody holds this key. Check that it belongs to this server, or ask your organization for a new one.",
  );
}

/** What the client sees of a fault of ours: nothing of the inside. */
export function internalError(): ApiError {
  return new ApiError(
    "INTERNAL_ERROR",
    "Something went wrong on our side. Try again; if it lasts, quote meta.requestId to support.",
  );
}
