/**
 * A lock in shared memory, one word of it: 0 while it is free, the number of the thread that holds it, negative once somebody
 * waits. What is done under it takes about a microsecond, so whoever finds it taken tries again a few times before going to
 * sleep. A thread that dies keeps what it held; `breakLock` frees it, and whoever calls that has seen to what it guarded.
 */
import { COORDINATOR, FIRST_WORKER } from "./shared-memory.ts";

/** A holder that runs on another core is done within these; one that does not run is better slept for. */
const TRIES_BEFORE_SLEEP = 50;
/** Sleepers are woken, so this only bounds how late a deadline is noticed. */
const SLEEP_MS = 10;

const FREE = 0;

export class LockUnavailableError extends Error {
  constructor(holder: number, patienceMs: number) {
    super(
      holder === FREE
        ? `A lock of the rate limits was not had within ${patienceMs} ms, and was freed just then. The machine has far more to do ` +
            "than it can: give it less or start fewer workers."
        : `${nameOf(holder)} has held a lock of the rate limits for over ${patienceMs} ms. If it has died and was not replaced, ` +
            "restart the server; if the machine has far more to do than it can, give it less or start fewer workers.",
    );
    this.name = "LockUnavailableError";
  }
}

function nameOf(holder: number): string {
  return holder === COORDINATOR ? "The coordinating thread" : `Worker ${holder - FIRST_WORKER + 1}`;
}

/** Throws LockUnavailableError where the lock is not had in time. */
export function acquireLock(words: Int32Array, at: number, owner: number, patienceMs: number): void {
  if (Atomics.compareExchange(words, at, 0, owner) === 0 || waitForLock(words, at, owner, patienceMs)) return;
  throw new LockUnavailableError(Math.abs(Atomics.load(words, at)), patienceMs);
}

export function releaseLock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, 0) < 0) Atomics.notify(words, at, 1);
}

/** For the lock of a thread that has died: it is now held by the heir, who releases it as its own. */
export function inheritLock(words: Int32Array, at: number, dead: number, heir: number): boolean {
  return (
    Atomics.compareExchange(words, at, dead, heir) === dead ||
    Atomics.compareExchange(words, at, -dead, -heir) === -dead
  );
}

/** For the lock of a thread that has died and left nothing undone. */
export function breakLock(words: Int32Array, at: number, dead: number): void {
  if (inheritLock(words, at, dead, dead)) releaseLock(words, at);
}

function waitForLock(words: Int32Array, at: number, owner: number, patienceMs: number): boolean {
  for (let tries = 0; tries < TRIES_BEFORE_SLEEP; tries++) {
    if (Atomics.load(words, at) === 0 && Atomics.compareExchange(words, at, 0, owner) === 0) return true;
  }
  const untilMs = performance.now() + patienceMs;
  while (performance.now() < untilMs) {
    const seen = Atomics.load(words, at);
    if (seen === 0) {
      // Others may be asleep as well, so it is taken as a lock that somebody waits for.
      if (Atomics.compareExchange(words, at, 0, -owner) === 0) return true;
    } else if (seen < 0 || Atomics.compareExchange(words, at, seen, -seen) === seen) {
      Atomics.wait(words, at, -Math.abs(seen), SLEEP_MS);
    }
  }
  return false;
}
