/** What must hold for every answer under the prefix, however hostile the request: envelope, headers, no word of CORS. */
import { ERROR_STATUS, type ErrorCode } from "@lineup/api/errors";
import { expect } from "vitest";
import type { RawAnswer } from "./raw-connection.ts";

export interface ExpectedAnswer {
  readonly status: number;
  /** Undefined for a success. */
  readonly code?: ErrorCode | undefined;
  /** Something the message says. */
  readonly says?: RegExp | undefined;
}

export function refusal(code: ErrorCode, says?: RegExp): ExpectedAnswer {
  return { status: ERROR_STATUS[code], code, says };
}

export function expectAnswer(answer: RawAnswer, expected: ExpectedAnswer): void {
  const body = JSON.parse(answer.body);
  expect({ status: answer.status, code: body.error?.code, body }).toEqual({
    status: expected.status,
    code: expected.code,
    body,
  });
  expectHeaders(answer);
  expect(body.meta.requestId).toBe(answer.headers.get("x-request-id"));
  expect(new Date(body.meta.timestamp).toISOString()).toBe(body.meta.timestamp);
  if (expected.code === undefined) {
    expect(Object.keys(body)).toEqual(["success", "data", "meta"]);
    expect(body.success).toBe(true);
    expect(body.meta.count).toBe(Array.isArray(body.data) ? body.data.length : 1);
    return;
  }
  expect(Object.keys(body)).toEqual(["success", "error", "meta"]);
  expect(body.success).toBe(false);
  expect(body.error.status).toBe(answer.status);
  expect(body.error.message).toMatch(expected.says ?? /^[A-Z].{20,}/su);
}

/** The headers alone, for answers to HEAD, which have no body to look into. */
export function expectHeaders({ status, headers }: RawAnswer): void {
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(headers.get("x-request-id")).toMatch(/^req_[0-7][0-9a-z]{25}$/);
  for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "content-length"]) {
    expect(headers.get(name), name).toMatch(/^\d+$/);
  }
  expect(headers.get("ratelimit")).toMatch(/^"(?:minute";r=\d+;t=\d+, "day|address)";r=\d+;t=\d+$/);
  expect(headers.get("ratelimit-policy")).toMatch(/^(?:"minute";q=\d+;w=60, "day";q=\d+;w=86400|"address";q=60;w=60)$/);
  expect(headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : undefined);
  expect(headers.has("retry-after")).toBe(status === 429);
  expectNoCors(headers);
}

export function expectNoCors(headers: { keys(): Iterable<string> }): void {
  expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
}
