/** Removes what is over, in small steps, so that nobody waits long for any of them. */
import { SERVER_ORIGIN } from "../store/origin.ts";
import type { Store } from "../store/store.ts";
import { pruneTries } from "./try-windows.ts";

export const PRUNE_EVERY_MS = 300_000;
const STEP = 500;
const STEPS_MAX = 200;
/** So that it can still be seen what a link was. */
const LINKS_KEPT_MS = 30 * 86_400_000;

export async function prunePeople(store: Store, now: number): Promise<void> {
  await inSteps(() => pruneTries(store, now));
  await inSteps(() => prune(store, "sessions", now));
  await inSteps(() => prune(store, "verifications", now));
  await inSteps(() => prune(store, "links", now - LINKS_KEPT_MS));
}

async function prune(store: Store, table: "sessions" | "verifications" | "links", until: number): Promise<number> {
  return store.writePeople(SERVER_ORIGIN, async (operator) => {
    const over = operator.selectFrom(table).select("id").where("expires_at", "<=", until).limit(STEP);
    return (await operator.deleteFrom(table).where("id", "in", over).returning("id").execute()).length;
  });
}

async function inSteps(step: () => Promise<number>): Promise<void> {
  for (let taken = 0; taken < STEPS_MAX; taken++) {
    if ((await step()) < STEP) return;
  }
}
