import { TIERS } from "@lineup/api/tiers";
import { describe, expect, test } from "vitest";
import { addRateLimitHeaders, addressVerdict, keyVerdict, type Verdict } from "./windows.ts";

const WALL_MS = 1_800_000_000_000;

function headersOf(verdict: Verdict): Record<string, string | undefined> {
  const flat: string[] = [];
  addRateLimitHeaders(flat, verdict);
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : [])));
}

describe("the headers of the limits", () => {
  test("describe both windows after a first request as the contract shows them", () => {
    const first = { count: 1, decisiveAgeMs: 0 };
    expect(headersOf(keyVerdict(true, TIERS.Basic, first, first, WALL_MS))).toEqual({
      "X-RateLimit-Limit": "60",
      "X-RateLimit-Remaining": "59",
      "X-RateLimit-Reset": "1800000060",
      "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=59;t=60, "day";r=999;t=86400',
    });
  });

  test("round every time up", () => {
    const verdict = keyVerdict(
      false,
      TIERS.Free,
      { count: 10, decisiveAgeMs: 58_999 },
      { count: 50, decisiveAgeMs: 86_399_999 },
      WALL_MS - 1,
    );
    expect(headersOf(verdict)).toEqual({
      "X-RateLimit-Limit": "10",
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": "1800000001",
      "RateLimit-Policy": '"minute";q=10;w=60, "day";q=100;w=86400',
      RateLimit: '"minute";r=0;t=2, "day";r=50;t=1',
      "Retry-After": "2",
    });
  });

  test("never ask for a wait of no seconds", () => {
    const verdict = keyVerdict(
      false,
      TIERS.Free,
      { count: 10, decisiveAgeMs: 59_999 },
      { count: 10, decisiveAgeMs: 59_999 },
      WALL_MS,
    );
    expect(headersOf(verdict)["Retry-After"]).toBe("1");
  });

  test("describe the day where fewer are left in it", () => {
    const verdict = keyVerdict(
      true,
      TIERS.Free,
      { count: 1, decisiveAgeMs: 0 },
      { count: 95, decisiveAgeMs: 400 },
      WALL_MS,
    );
    expect(headersOf(verdict)).toMatchObject({
      "X-RateLimit-Limit": "100",
      "X-RateLimit-Remaining": "5",
      "X-RateLimit-Reset": "1800086400",
    });
  });

  test("name the address where there is no valid key", () => {
    const headers = headersOf(addressVerdict(true, { count: 1, decisiveAgeMs: 0 }, WALL_MS));
    expect(headers["RateLimit-Policy"]).toBe('"address";q=60;w=60');
    expect(headers.RateLimit).toBe('"address";r=59;t=60');
    expect(headers["X-RateLimit-Limit"]).toBe("60");
  });
});
