import { expect, it } from "vitest";
import type { Holder } from "../access/authenticator.ts";
import { requestLine } from "./exchange.ts";

const AT = Date.parse("2026-11-15T10:20:30.405Z");
const holder: Holder = {
  keyId: "key_1",
  keyName: 'a name with "quotes"',
  permissions: new Set(),
  expiresAt: null,
  revokedAt: null,
  orgId: "org_1",
  orgName: "Club",
  tier: "Free",
  logged: '","keyId":"key_1","orgId":"org_1',
};

function read(line: string): Record<string, unknown> {
  expect(line).toMatch(/^[ -~]+\n$/);
  return JSON.parse(line);
}

it("says all that is known of a request, in the order of every log line", () => {
  const facts = { requestId: "req_1", holder, route: "GET /players", status: 200, code: undefined, durationUs: 43 };
  expect(requestLine(facts, AT)).toBe(
    '{"level":30,"time":"2026-11-15T10:20:30.405Z","requestId":"req_1","keyId":"key_1","orgId":"org_1","route":"GET /players","status":200,"durationMs":0.043,"msg":"request"}\n',
  );
});

it("has no word of a key where none is known, and the code of a refusal", () => {
  const facts = {
    requestId: "req_2",
    holder: undefined,
    route: "unknown",
    status: 401,
    code: "INVALID_API_KEY",
    durationUs: 5,
  };
  expect(read(requestLine(facts, AT))).toEqual({
    level: 30,
    time: "2026-11-15T10:20:30.405Z",
    requestId: "req_2",
    route: "unknown",
    status: 401,
    code: "INVALID_API_KEY",
    durationMs: 0.005,
    msg: "request",
  });
});

it("mixes up neither moments, routes, statuses, codes nor durations that follow one another", () => {
  for (const ms of [0, 1, 0]) {
    for (const route of ["GET /players", "POST /players"]) {
      for (const status of [200, 404, 200]) {
        for (const code of [undefined, "NOT_FOUND"]) {
          for (const durationUs of [0, 1, 999, 1_000, 1_001, 12_345_678]) {
            const facts = { requestId: "req_3", holder, route, status, code, durationUs };
            expect(read(requestLine(facts, AT + ms))).toMatchObject({
              time: new Date(AT + ms).toISOString(),
              route,
              status,
              ...(code && { code }),
              durationMs: durationUs / 1_000,
            });
          }
        }
      }
    }
  }
});
