/**
 * The arithmetic of the windows, shared by every engine. An engine counts and knows ages; what that means for the client
 * (remaining, reset, which window the headers describe) is settled here and nowhere else.
 */

import { ADDRESS_LIMIT_PER_MINUTE, DAY_MS, MINUTE_MS, type Tier, type TierLimits } from "@lineup/api/tiers";

export type WindowName = "minute" | "day" | "address";

export interface WindowState {
  readonly name: WindowName;
  readonly limit: number;
  /** Never negative, also where a tier was lowered below what is already counted. */
  readonly remaining: number;
  /** Wall time in epoch milliseconds at which the window has room for one more than now; now if nothing is counted. */
  readonly resetAtMs: number;
  readonly resetInMs: number;
}

export interface Verdict {
  readonly admitted: boolean;
  /** The minute and the day, or the address alone. */
  readonly windows: readonly WindowState[];
  /** The window that the X-RateLimit headers describe. */
  readonly governing: WindowState;
  /** The limits of all windows, as the header RateLimit-Policy has them. */
  readonly policy: string;
}

/** What an engine knows of one window: how many count, and the age of the admission that `decisiveIndex` names. */
export interface WindowReading {
  readonly count: number;
  /** Not read where nothing counts. */
  readonly decisiveAgeMs: number;
}

/**
 * Which admission, from the oldest counted, decides the reset by leaving. It is the oldest; but where a tier was lowered
 * below what is counted, a request is admitted only once as many have left as leave one place free.
 */
export function decisiveIndex(count: number, limit: number): number {
  return count > limit ? count - limit : 0;
}

export function hasRoom(minuteCount: number, dayCount: number, limits: TierLimits): boolean {
  return minuteCount < limits.perMinute && dayCount < limits.perDay;
}

function stateOf(
  name: WindowName,
  limit: number,
  windowMs: number,
  reading: WindowReading,
  wallNowMs: number,
): WindowState {
  const resetInMs = reading.count === 0 ? 0 : windowMs - reading.decisiveAgeMs;
  return {
    name,
    limit,
    remaining: reading.count < limit ? limit - reading.count : 0,
    resetAtMs: wallNowMs + resetInMs,
    resetInMs,
  };
}

/** The readings are those after the decision: an admitted request is already among them. */
export function keyVerdict(
  admitted: boolean,
  limits: TierLimits,
  minuteReading: WindowReading,
  dayReading: WindowReading,
  wallNowMs: number,
): Verdict {
  const minute = stateOf("minute", limits.perMinute, MINUTE_MS, minuteReading, wallNowMs);
  const day = stateOf("day", limits.perDay, DAY_MS, dayReading, wallNowMs);
  const fewerLeft = day.remaining < minute.remaining ? day : minute;
  const governing = admitted ? fewerLeft : freesLast(minute, day);
  const policy = `${policyText("minute", limits.perMinute, MINUTE_MS)}, ${policyText("day", limits.perDay, DAY_MS)}`;
  return { admitted, windows: [minute, day], governing, policy };
}

export function addressVerdict(admitted: boolean, reading: WindowReading, wallNowMs: number): Verdict {
  const address = stateOf("address", ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS, reading, wallNowMs);
  const policy = policyText("address", ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS);
  return { admitted, windows: [address], governing: address, policy };
}

function policyText(name: WindowName, limit: number, windowMs: number): string {
  return `"${name}";q=${limit};w=${windowMs / 1000}`;
}

/** A window with room is free already, so only a full one can be the last to free. */
function freesLast(minute: WindowState, day: WindowState): WindowState {
  if (day.remaining > 0) return minute;
  if (minute.remaining > 0) return day;
  return day.resetInMs > minute.resetInMs ? day : minute;
}

/** What every engine offers. `take…` counts the request if it is admitted; `peek…` counts nothing and says what `take…` would. */
export interface Limiter {
  take(keyId: string, tier: Tier): Verdict | Promise<Verdict>;
  peek(keyId: string, tier: Tier): Verdict | Promise<Verdict>;
  /** When keys were last used, in epoch milliseconds; those that never were are left out. */
  readLastUsed(keyIds: readonly string[]): ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>>;
  takeAddress(address: string): Verdict | Promise<Verdict>;
  /** Synchronous, because what is not well-formed HTTP is answered outside the usual way of a request. */
  peekAddress(address: string): Verdict;
  close(): Promise<void> | void;
}

/**
 * Adds the headers of the limits, each as a name and its value. Every time is rounded up to whole seconds: a client that waits
 * that long, by either clock, is admitted. `Retry-After` is there only where the verdict is a refusal.
 */
export function addRateLimitHeaders(headers: string[], verdict: Verdict): void {
  const { governing } = verdict;
  headers.push(
    "X-RateLimit-Limit",
    String(governing.limit),
    "X-RateLimit-Remaining",
    String(governing.remaining),
    "X-RateLimit-Reset",
    String(Math.ceil(governing.resetAtMs / 1000)),
    "RateLimit-Policy",
    verdict.policy,
    "RateLimit",
    verdict.windows
      .map(({ name, remaining, resetInMs }) => `"${name}";r=${remaining};t=${Math.ceil(resetInMs / 1000)}`)
      .join(", "),
  );
  if (!verdict.admitted) headers.push("Retry-After", String(waitOf(verdict)));
}

/** In seconds, for the refused. */
export function waitOf({ governing }: Verdict): number {
  return Math.max(1, Math.ceil(governing.resetInMs / 1000));
}
