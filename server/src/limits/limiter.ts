import type { Tier } from "@lineup/api/tiers";
import type { Verdict } from "./windows.ts";

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
