import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 10;

/** Looks again and again until it is so; throws where it is not in time. Returns how long it took, in milliseconds. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await isSo()) return performance.now() - startedAt;
    if (performance.now() - startedAt > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await sleep(LOOK_EVERY_MS);
  }
}
