/**
 * Tries in exact rolling windows, over all servers of the store. A window has as many rows as tries are allowed in it. A try takes a row
 * that nobody holds, or one whose last try has left the window; it is one statement that takes it only if that is still so. So
 * in no interval of the window's length are there more tries than rows, however many come at once and wherever they arrive.
 *
 * A try is counted before what it tries is looked at, and given back when it was right. A row that is never given back is free again
 * when the window has passed; old rows are removed in small steps.
 */

import { randomInt } from "node:crypto";
import { HOUR_MS } from "@lineup/api/tiers";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Operator, Store } from "../store/store.ts";

/** How long a try can matter at most. */
export const TRY_RETENTION_MS = HOUR_MS;

export interface TryWindow {
  /** Whose tries are counted together. */
  readonly account: string;
  readonly limit: number;
  readonly windowMs: number;
  /** Whether only devices that the account is known on draw on it. */
  readonly isOfKnown?: boolean;
}

export interface TakenTry {
  readonly id: string;
  readonly at: number;
}

/** Undefined when the window is full. */
export async function takeTry(store: Store, window: TryWindow, now: number): Promise<TakenTry | undefined> {
  for (;;) {
    const free = await findFreeTries(store.operator, window, now);
    const id = free[randomInt(Math.max(free.length, 1))];
    if (id === undefined) return undefined;
    const taken = await store.writePeople(SERVER_ORIGIN, (operator) => takeFreeTry(operator, window, id, now));
    if (taken !== undefined) return taken;
  }
}

/** In a transaction of the caller's; undefined when the window is full, or another took the same one at this moment. */
export async function takeTryWithin(operator: Operator, window: TryWindow, now: number): Promise<TakenTry | undefined> {
  const [id] = await findFreeTries(operator, window, now);
  return id === undefined ? undefined : takeFreeTry(operator, window, id, now);
}

export async function giveBackTry(operator: Operator, { id, at }: TakenTry): Promise<void> {
  await operator.deleteFrom("sign_in_tries").where("id", "=", id).where("at", "=", at).execute();
}

/** When the window has room again. */
export async function findNextTryAt(
  store: Store,
  { account, limit, windowMs }: TryWindow,
  now: number,
): Promise<number> {
  const tries = await store.operator
    .selectFrom("sign_in_tries")
    .select("at")
    .where("account", "=", account)
    .where("at", ">", now - windowMs)
    .orderBy("at")
    .limit(limit)
    .execute();
  return (tries[0]?.at ?? now - windowMs) + windowMs;
}

async function findFreeTries(operator: Operator, window: TryWindow, now: number): Promise<string[]> {
  const held = await operator
    .selectFrom("sign_in_tries")
    .select("id")
    .where("account", "=", window.account)
    .where("at", ">", now - window.windowMs)
    .execute();
  const ids = new Set(held.map(({ id }) => id));
  return Array.from({ length: window.limit }, (_, index) => `${window.account} ${index}`).filter((id) => !ids.has(id));
}

async function takeFreeTry(
  operator: Operator,
  { account, windowMs }: TryWindow,
  id: string,
  now: number,
): Promise<TakenTry | undefined> {
  const [taken] = await operator
    .insertInto("sign_in_tries")
    .values({ id, account, at: now })
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet({ at: now })
        .where("sign_in_tries.at", "<=", now - windowMs),
    )
    .returning("id")
    .execute();
  return taken === undefined ? undefined : { id, at: now };
}
