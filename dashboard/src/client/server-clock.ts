/** The server's clock as far as the browser knows it: ages and countdowns stay right on a device whose own clock is wrong. */
let aheadMs = 0;

/** Smaller differences come from the way of the answer, not from a clock. */
const TOLERATED_MS = 5_000;

export function noteServerTime(now: number): void {
  const difference = now - Date.now();
  aheadMs = Math.abs(difference) > TOLERATED_MS ? difference : 0;
}

export function serverNow(): number {
  return Date.now() + aheadMs;
}
