import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY_MS, MINUTE_MS } from "@lineup/api/tiers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSharedMemory } from "../../test/limits/shared-memory-check.ts";
import { ManualClock } from "./manual-clock.ts";
import { AddressPlaces } from "./shared-address-places.ts";
import type { SharedLimits } from "./shared-coordinator.ts";
import { SharedKeys } from "./shared-keys.ts";
import { createSharedLimits, joinSharedLimits, type SharedLimiter } from "./shared-limiter.ts";
import { acquireLock, LockUnavailableError } from "./shared-lock.ts";
import {
  ADDRESS_LOCK,
  FIRST_WORKER,
  RECORD_LOCK,
  RECORD_WORDS,
  SharedMemory,
  SLOTS_PER_PAGE,
  STRUCTURE_LOCK,
} from "./shared-memory.ts";
import { SharedRing } from "./shared-ring.ts";

const VICTIM = 0;
const OTHER = 1;

let folder: string;
let clock: ManualClock;
let limits: SharedLimits;
let other: SharedLimiter;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineup-repair-"));
  start();
});

afterEach(() => {
  limits.close();
  rmSync(folder, { recursive: true });
});

function start(): void {
  clock = new ManualClock();
  const file = join(folder, `${crypto.randomUUID()}.sqlite`);
  limits = createSharedLimits({ file, clock, workers: 2, flushEveryMs: 1_000_000 });
  other = joinSharedLimits(limits.handle, OTHER, { clock });
}

class Death extends Error {}

/**
 * A worker's hands on the memory, which die at the write of the number given: nothing that comes after it is written, the freeing of locks
 * included. Returns whether it lived to the end.
 */
function dieAtWrite(lastWrite: number, keyId: string, act: (ring: SharedRing) => void): boolean {
  const memory = new SharedMemory(limits.handle);
  const { words } = memory;
  let writes = 0;
  const mortal = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (array, property) => {
        const value = Reflect.get(array, property, array);
        return typeof value === "function" ? value.bind(array) : value;
      },
      set: (array, property, value) => {
        if (++writes > lastWrite) throw new Death();
        return Reflect.set(array, property, value, array);
      },
    });
  for (const view of ["header", "words", "floats", "bytes", "slots", "links", "buckets", "marks"] as const) {
    Object.defineProperty(memory, view, { value: mortal(memory[view]) });
  }
  const keys = new SharedKeys(memory, VICTIM + FIRST_WORKER, 100);
  const unlock = keys.unlock.bind(keys);
  keys.unlock = () => {
    if (writes <= lastWrite) unlock();
  };
  try {
    const { record } = keys.findOrAdd(keyId);
    acquireLock(words, record * RECORD_WORDS + RECORD_LOCK, VICTIM + FIRST_WORKER, 100);
    const ring = new SharedRing(memory, keys);
    ring.open(record);
    act(ring);
    return true;
  } catch (error) {
    if (!(error instanceof Death)) throw error;
    return false;
  }
}

/** An admission as a worker makes it. */
function admit(ring: SharedRing): void {
  ring.advance(clock.monotonicMs());
  ring.push(clock.monotonicMs());
}

function countOf(keyId: string): number {
  return 100_000 - (other.peek(keyId, "Enterprise").windows[1]?.remaining ?? 0);
}

describe("a worker that dies between any two writes", () => {
  const takes = (keyId: string, count: number) => {
    for (let sent = 0; sent < count; sent++) other.take(keyId, "Enterprise");
  };
  test.each([
    { what: "of an admission", before: () => takes("key_a", 5), left: 5 },
    { what: "of a key's first admission", before: () => takes("key_b", 1), left: 0 },
    {
      what: "of the first admission on a page",
      before: () => takes("key_a", 2 * SLOTS_PER_PAGE),
      left: 2 * SLOTS_PER_PAGE,
    },
    {
      what: "of an admission that lets go of pages",
      before: () => {
        takes("key_a", 3 * SLOTS_PER_PAGE);
        clock.advance(MINUTE_MS);
        takes("key_a", SLOTS_PER_PAGE);
        clock.advance(DAY_MS - MINUTE_MS);
      },
      left: SLOTS_PER_PAGE,
    },
    {
      what: "of an admission after a day",
      before: () => {
        takes("key_a", 300);
        clock.advance(DAY_MS);
      },
      left: 0,
    },
  ])(
    "$what leaves it counted or not, and everything else as it was",
    ({ before, left }) => {
      let isAlive = false;
      let counted = 0;
      for (let lastWrite = 0; !isAlive; lastWrite++) {
        limits.close();
        start();
        takes("key_z", 200);
        before();
        isAlive = dieAtWrite(lastWrite, "key_a", admit);
        limits.repairAfter(VICTIM);
        readSharedMemory(limits.handle);
        const count = countOf("key_a");
        expect([left, left + 1]).toContain(count);
        // Once a death was late enough to be counted, all later ones are.
        expect(count).toBeGreaterThanOrEqual(counted);
        counted = count;
        expect(countOf("key_z")).toBe(clock.monotonicMs() - 5_000 >= DAY_MS ? 0 : 200);
        takes("key_a", 2 * SLOTS_PER_PAGE);
        takes("key_new", SLOTS_PER_PAGE + 1);
        expect([countOf("key_a"), countOf("key_new")]).toEqual([count + 2 * SLOTS_PER_PAGE, SLOTS_PER_PAGE + 1]);
        readSharedMemory(limits.handle);
      }
      expect(counted).toBe(left + 1);
    },
    60_000,
  );
});

describe("what was linked under the lock of a dead worker", () => {
  test("is made anew from the keys, whatever state it is in", () => {
    for (let number = 0; number < 50; number++) other.take(`key_${number}`, "Free");
    const before = readSharedMemory(limits.handle);
    const memory = new SharedMemory(limits.handle);
    acquireLock(memory.header, STRUCTURE_LOCK, VICTIM + FIRST_WORKER, 100);
    memory.buckets.fill(7);
    memory.header.fill(3, 2, 3);
    memory.header.fill(9, 4, 6);
    limits.repairAfter(VICTIM);
    expect(readSharedMemory(limits.handle)).toEqual(before);
  });

  test("is so for addresses too, in the order of their last admissions", () => {
    const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.1", "192.0.2.2"];
    for (const address of addresses) {
      other.takeAddress(address);
      clock.advance(1_000);
    }
    const places = new AddressPlaces(limits.handle);
    acquireLock(places.header, ADDRESS_LOCK, VICTIM + FIRST_WORKER, 100);
    new Int32Array(limits.handle.addressBuckets).fill(2);
    places.header.fill(2, ADDRESS_LOCK + 2, ADDRESS_LOCK + 6);
    limits.repairAfter(VICTIM);
    expect(addresses.slice(0, 3).map((address) => other.peekAddress(address).governing.remaining)).toEqual([
      58, 58, 59,
    ]);
    // The third is the oldest: it is the first to go.
    clock.advance(MINUTE_MS - 3_000);
    other.takeAddress("192.0.2.9");
    expect(places.header[ADDRESS_LOCK + 3]).toBe(3);
  });
});

test("whoever waits for a lock in vain is told who holds it and what to do", () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  acquireLock(words, 0, 5, 10);
  expect(() => acquireLock(words, 0, 6, 10)).toThrow(LockUnavailableError);
  expect(() => acquireLock(words, 0, 6, 10)).toThrow(/Worker 4 has held .* restart the server/);
});
