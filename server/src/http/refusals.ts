/** Refusals: of keys and by limits, and the answer to any of them. Each says what to do next. */
import type { RequiredPermission } from "@lineup/api/endpoint";
import { ApiError, ERROR_STATUS } from "@lineup/api/errors";
import type { Authentication } from "../access/authenticator.ts";
import { type Verdict, waitOf } from "../limits/windows.ts";
import { OrganizationGone } from "../store/store-error.ts";
import { type Answer, type AnswerHeaders, type ByteText, endAt, NO_HEADERS } from "./answer.ts";

/** What a request shows of its caller: a key that was looked up, none at all, several, or one that others may have read. */
export type Attempt = Authentication | { readonly outcome: "missing" | "misplaced" | "several" | "exposed" };

export function limitError(verdict: Verdict): ApiError {
  const { name, limit } = verdict.governing;
  const full = {
    minute: `The limit of ${limit} requests a minute for this key is reached`,
    day: `The limit of ${limit} requests a day for this key is reached`,
    address: `Too many requests without a valid key came from this address (${limit} a minute)`,
  }[name];
  return new ApiError(
    "RATE_LIMIT_EXCEEDED",
    `${full}. Wait ${waitOf(verdict)} s, then retry, with exponential backoff.`,
  );
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
  misplaced: new ApiError(
    "INVALID_API_KEY",
    "The address holds a key, and addresses are kept in logs and histories. Replace the key, and send the new one in the header Authorization: Bearer lineup_live_…",
  ),
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

/** Which permission a key lacks, and what to do about it. */
export function missingPermission(permission: RequiredPermission): ApiError {
  const missing = permission === "any read" ? "every read permission" : `the permission ${permission}`;
  return new ApiError(
    "INSUFFICIENT_PERMISSIONS",
    `This key lacks ${missing}. Use a key that holds ${permission === "any read" ? "one" : "it"}, or ask your organization for one.`,
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

export function errorAnswer(error: ApiError, requestId: string, now: number): Answer {
  const { code } = error;
  // A message that names a faulty field or parameter would repeat a key that was written in a name's place.
  const body = errorOpening(error) + requestId + endAt(now);
  const headers = code === "INVALID_API_KEY" ? CHALLENGE : NO_HEADERS;
  return { status: ERROR_STATUS[code], code, headers, body, bodyBytes: body.length };
}

const CHALLENGE: AnswerHeaders = ["WWW-Authenticate", "Bearer"];

function errorOpening({ code, message, details }: ApiError): ByteText {
  const told = { code, message, status: ERROR_STATUS[code], details };
  const text = withoutKeys(`{"success":false,"error":${JSON.stringify(told)},"meta":{"requestId":"`);
  return Buffer.from(text).toString("latin1");
}

const KEY_BEYOND_SHOWN = /(lineup_live_[0-9A-Za-z]{4})\w+/g;

export function withoutKeys(text: string): string {
  return text.replaceAll(KEY_BEYOND_SHOWN, "$1…");
}
