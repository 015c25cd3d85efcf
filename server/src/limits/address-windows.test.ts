import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { MINUTE_MS } from "@lineup/api/tiers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { AddressWindows, addressBucket } from "./address-windows.ts";

function ipv4(number: number): string {
  return `${(number >>> 24) & 255}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
}

describe("the window of an address", () => {
  test("admits 60 a minute, refuses the next, and counts no refused one", () => {
    const clock = new ManualClock();
    const windows = new AddressWindows(clock, 100);
    for (let left = 59; left >= 0; left--) {
      expect(windows.take("192.0.2.1")).toMatchObject({
        admitted: true,
        governing: { name: "address", remaining: left },
      });
    }
    clock.advance(MINUTE_MS - 1);
    expect(windows.take("192.0.2.1")).toMatchObject({ admitted: false, governing: { remaining: 0, resetInMs: 1 } });
    expect(windows.take("192.0.2.2").admitted).toBe(true);
    clock.advance(1);
    expect(windows.take("192.0.2.1")).toMatchObject({ admitted: true, governing: { remaining: 59 } });
  });

  test("is shown without being counted by a peek", () => {
    const windows = new AddressWindows(new ManualClock(), 100);
    expect(windows.peek("192.0.2.1")).toMatchObject({ admitted: true, governing: { remaining: 60, resetInMs: 0 } });
    expect(windows.count).toBe(0);
    for (let sent = 0; sent < 60; sent++) windows.take("192.0.2.1");
    expect(windows.peek("192.0.2.1")).toMatchObject({ admitted: false, governing: { remaining: 0 } });
  });

  test("is given up when nothing counts in it, before any that still counts", () => {
    const clock = new ManualClock();
    const windows = new AddressWindows(clock, 3);
    windows.take("192.0.2.1");
    windows.take("192.0.2.2");
    clock.advance(MINUTE_MS - 1);
    windows.take("192.0.2.1");
    windows.take("192.0.2.3");
    clock.advance(1);
    windows.take("192.0.2.4");
    expect(["1", "2", "3", "4"].map((end) => windows.peek(`192.0.2.${end}`).governing.remaining)).toEqual([
      59, 60, 59, 59,
    ]);
  });

  test("is given up when full of others, the least recently used first", () => {
    const windows = new AddressWindows(new ManualClock(), 3);
    for (const end of ["1", "2", "3", "1", "4"]) windows.take(`192.0.2.${end}`);
    expect(windows.count).toBe(3);
    expect(["1", "2", "3", "4"].map((end) => windows.peek(`192.0.2.${end}`).governing.remaining)).toEqual([
      58, 60, 59, 59,
    ]);
  });

  test("vanishes from memory as others come, once it is empty", () => {
    const clock = new ManualClock();
    const windows = new AddressWindows(clock, 50_000);
    for (let number = 0; number < 1_000; number++) windows.take(ipv4(number));
    clock.advance(MINUTE_MS);
    for (let sent = 0; sent < 600; sent++) windows.take("192.0.2.1");
    expect(windows.count).toBe(1);
  });

  test("costs a bounded amount of memory, though many more addresses come", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const used = () => {
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const clock = new ManualClock();
    const before = used();
    const windows = new AddressWindows(clock, 2_000);
    for (let number = 0; number < 40_000; number++) {
      windows.take(ipv4(number));
      if (number % 20 === 0) clock.advance(1);
    }
    for (let sent = 0; sent < 60; sent++) {
      for (let number = 38_000; number < 40_000; number++) windows.take(ipv4(number));
    }
    expect(windows.count).toBe(2_000);
    expect((used() - before) / windows.count).toBeLessThan(1_500);
  });
});

/** The same by plain lists of times, in the order of their last: with nothing clever in it and nothing shared with what it is held against. */
class PlainWindows {
  readonly #max: number;
  readonly #times = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#times.size;
  }

  take(address: string, now: number): boolean {
    for (let left = 2; left > 0; left--) {
      const [oldest, times = []] = [...this.#times][0] ?? [];
      if (oldest !== undefined && now - (times.at(-1) ?? 0) >= MINUTE_MS) this.#times.delete(oldest);
    }
    const times = this.#counted(address, now);
    if (!this.#times.has(address) && this.#times.size === this.#max) {
      this.#times.delete([...this.#times.keys()][0] ?? "");
    }
    if (times.length === 60) return false;
    this.#times.delete(address);
    this.#times.set(address, [...times, now]);
    return true;
  }

  read(address: string, now: number): { remaining: number; resetInMs: number } {
    const times = this.#counted(address, now);
    const [first] = times;
    return { remaining: 60 - times.length, resetInMs: first === undefined ? 0 : first + MINUTE_MS - now };
  }

  #counted(address: string, now: number): number[] {
    return (this.#times.get(address) ?? []).filter((time) => now < time + MINUTE_MS);
  }
}

test("windows of addresses and plain lists of times agree on every request, in random schedules", () => {
  const schedules = fc.record({
    max: fc.integer({ min: 1, max: 6 }),
    requests: fc.array(
      fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(0, 0, 0, 0, 1, 7, 900, 30_000, 60_000)),
      {
        maxLength: 400,
        size: "max",
      },
    ),
  });
  fc.assert(
    fc.property(schedules, ({ max, requests }) => {
      const clock = new ManualClock();
      const windows = new AddressWindows(clock, max);
      const plain = new PlainWindows(max);
      for (const [number, waitMs] of requests) {
        clock.advance(waitMs);
        // The lower the number, the more it asks, so that some come to their limit.
        for (let sent = 0; sent < 20 / number; sent++) {
          const address = ipv4(number);
          const expected = plain.take(address, clock.monotonicMs());
          const { admitted, governing } = windows.take(address);
          expect({ admitted, ...governing }).toMatchObject({
            admitted: expected,
            ...plain.read(address, clock.monotonicMs()),
          });
        }
        for (const other of [1, 2, 8]) {
          const { remaining, resetInMs } = windows.peek(ipv4(other)).governing;
          expect({ remaining, resetInMs }).toEqual(plain.read(ipv4(other), clock.monotonicMs()));
        }
        expect(windows.count).toBe(plain.count);
      }
    }),
    { numRuns: 60 },
  );
});

describe("the bucket of an address", () => {
  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:0207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:192.0.2.7", "2001:db8:1:2::/64"],
    ["2001:db8::3:4:5:6:7", "2001:db8:0:3::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["fe80::2", "fe80:0:0:0::/64"],
  ])("of %s is %s", (address, bucket) => {
    expect(addressBucket(address)).toBe(bucket);
  });

  test("is one and the same for everything that is no address", () => {
    const made = ["", "unknown", "1.2.3", "1.2.3.4:80", "01.2.3.4", "[::1]", "::1::", "key; drop"].map(addressBucket);
    expect(new Set(made).size).toBe(1);
  });
});
