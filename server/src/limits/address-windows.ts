/**
 * The windows of client addresses, for requests without a valid key: the times of at most sixty admissions each.
 *
 * What always holds: at most `maxAddresses` windows are in memory. The map has them in the order of their last admission, so those in which nothing
 * counts any more come first, and after them the least recently used. Each request drops a few of the empty ones; a new address that finds the
 * map full takes the room of the first. Addresses are not remembered across restarts.
 */

import { isIPv4, isIPv6 } from "node:net";
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS } from "@lineup/api/tiers";
import type { Clock } from "./clock.ts";
import { addressVerdict, type Verdict } from "./windows.ts";

const DROPPED_PER_REQUEST = 2;

export class AddressWindows {
  readonly #clock: Clock;
  readonly #maxAddresses: number;
  /** Times of admissions, oldest first. */
  readonly #windows = new Map<string, number[]>();

  constructor(clock: Clock, maxAddresses: number) {
    this.#clock = clock;
    this.#maxAddresses = Math.max(1, maxAddresses);
  }

  get count(): number {
    return this.#windows.size;
  }

  take(address: string): Verdict {
    const bucket = addressBucket(address);
    const nowMs = this.#clock.monotonicMs();
    this.#dropEmpty(nowMs);
    const times = this.#windows.get(bucket) ?? [];
    forgetOld(times, nowMs);
    const admitted = times.length < ADDRESS_LIMIT_PER_MINUTE;
    if (admitted) {
      times.push(nowMs);
      this.#putLast(bucket, times);
    }
    return this.#verdict(admitted, times, nowMs);
  }

  peek(address: string): Verdict {
    const nowMs = this.#clock.monotonicMs();
    const times = this.#windows.get(addressBucket(address)) ?? [];
    forgetOld(times, nowMs);
    return this.#verdict(times.length < ADDRESS_LIMIT_PER_MINUTE, times, nowMs);
  }

  #putLast(bucket: string, times: number[]): void {
    this.#windows.delete(bucket);
    const [first] = this.#windows.size < this.#maxAddresses ? [] : this.#windows.keys().take(1);
    if (first !== undefined) this.#windows.delete(first);
    this.#windows.set(bucket, times);
  }

  #dropEmpty(nowMs: number): void {
    for (const [bucket, times] of this.#windows.entries().take(DROPPED_PER_REQUEST)) {
      if (nowMs - (times.at(-1) ?? 0) < MINUTE_MS) return;
      this.#windows.delete(bucket);
    }
  }

  #verdict(admitted: boolean, times: readonly number[], nowMs: number): Verdict {
    const [oldestMs = nowMs] = times;
    return addressVerdict(admitted, { count: times.length, decisiveAgeMs: nowMs - oldestMs }, this.#clock.wallMs());
  }
}

function forgetOld(times: number[], nowMs: number): void {
  const counting = times.findIndex((time) => nowMs - time < MINUTE_MS);
  if (counting !== 0) times.splice(0, counting === -1 ? times.length : counting);
}

/** Whatever is no address shares one window: made-up text must not buy anybody a fresh one. */
const NO_ADDRESS = "unknown";

/** The name of the window an address draws on: an IPv4 address itself, the /64 of an IPv6 one. */
export function addressBucket(address: string): string {
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return NO_ADDRESS;
  const groups = parseIPv6(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of an address that is known to be well-formed; its zone is of no interest. URLs write every spelling in one way. */
function parseIPv6(address: string): number[] {
  const [withoutZone = ""] = address.split("%", 1);
  const [before = "", after = ""] = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1).split("::");
  const parse = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [parse(before), parse(after)];
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
