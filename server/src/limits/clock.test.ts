import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("the system's monotonic time is whole and never decreases", () => {
  let before = systemClock.monotonicMs();
  for (let reading = 0; reading < 10_000; reading++) {
    const now = systemClock.monotonicMs();
    expect(Number.isInteger(now) && now >= before).toBe(true);
    before = now;
  }
});

test("the system's wall time is whole, never behind the machine's clock and at most a millisecond ahead", () => {
  for (let reading = 0; reading < 10_000; reading++) {
    const before = Date.now();
    const wallMs = systemClock.wallMs();
    expect(Number.isInteger(wallMs) && wallMs >= before && wallMs <= Date.now() + 1).toBe(true);
  }
});
