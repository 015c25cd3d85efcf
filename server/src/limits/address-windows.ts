/**
 * The windows of client addresses, for requests without a valid key.
 *
 * What always holds: at most `maxAddresses` windows are kept. They are linked in the order of their last admission, so that
 * those with nothing left to count are always the first, and after them comes the least recently used. A few of the empty
 * ones are dropped with every request; a newcomer that finds no place takes that of the first. (The order is kept by links,
 * because finding the first entry of a Map takes time in proportion to what was deleted before it.) Addresses are not
 * remembered across restarts.
 */
import { isIPv4, isIPv6 } from "node:net";
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS } from "@lineup/api/tiers";
import type { Clock } from "./clock.ts";
import { AdmissionRing } from "./ring.ts";
import { addressVerdict, type Verdict } from "./windows.ts";

const DROPPED_PER_REQUEST = 2;

/** Whatever is no address shares one window: made-up text must not buy anybody a fresh one. */
const NO_ADDRESS = "unknown";

interface AddressWindow {
  readonly bucket: string;
  readonly ring: AdmissionRing;
  older: AddressWindow | undefined;
  newer: AddressWindow | undefined;
}

export class AddressWindows {
  readonly #clock: Clock;
  readonly #maxAddresses: number;
  readonly #windows = new Map<string, AddressWindow>();
  #oldest: AddressWindow | undefined;
  #newest: AddressWindow | undefined;

  constructor(clock: Clock, maxAddresses: number) {
    this.#clock = clock;
    this.#maxAddresses = Math.max(1, maxAddresses);
  }

  get count(): number {
    return this.#windows.size;
  }

  take(address: string): Verdict {
    const nowMs = this.#clock.monotonicMs();
    for (let left = DROPPED_PER_REQUEST; left > 0 && this.#oldest?.ring.isIdle(nowMs); left--) this.#drop(this.#oldest);
    const bucket = addressBucket(address);
    const window = this.#windows.get(bucket) ?? this.#add(bucket);
    window.ring.advance(nowMs);
    const admitted = window.ring.length < ADDRESS_LIMIT_PER_MINUTE;
    if (admitted) {
      window.ring.push(nowMs);
      this.#unlink(window);
      this.#linkAsNewest(window);
    }
    return this.#verdict(admitted, window.ring, nowMs);
  }

  peek(address: string): Verdict {
    const nowMs = this.#clock.monotonicMs();
    const ring = this.#windows.get(addressBucket(address))?.ring;
    ring?.advance(nowMs);
    return this.#verdict(ring === undefined || ring.length < ADDRESS_LIMIT_PER_MINUTE, ring, nowMs);
  }

  #verdict(admitted: boolean, ring: AdmissionRing | undefined, nowMs: number): Verdict {
    const count = ring?.length ?? 0;
    const decisiveAgeMs = ring !== undefined && count > 0 ? ring.ageMs(0, nowMs) : 0;
    return addressVerdict(admitted, { count, decisiveAgeMs }, this.#clock.wallMs());
  }

  #add(bucket: string): AddressWindow {
    if (this.#oldest !== undefined && this.#windows.size >= this.#maxAddresses) this.#drop(this.#oldest);
    const window = { bucket, ring: new AdmissionRing(MINUTE_MS), older: undefined, newer: undefined };
    this.#windows.set(bucket, window);
    this.#linkAsNewest(window);
    return window;
  }

  #drop(window: AddressWindow): void {
    this.#windows.delete(window.bucket);
    this.#unlink(window);
  }

  #linkAsNewest(window: AddressWindow): void {
    window.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = window;
    else this.#newest.newer = window;
    this.#newest = window;
  }

  #unlink(window: AddressWindow): void {
    if (window.older === undefined) this.#oldest = window.newer;
    else window.older.newer = window.newer;
    if (window.newer === undefined) this.#newest = window.older;
    else window.newer.older = window.older;
    window.older = undefined;
    window.newer = undefined;
  }
}

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

/** The eight groups of an address that is known to be well-formed; its zone is of no interest. */
function parseIPv6(address: string): number[] {
  const [withoutZone = ""] = address.split("%", 1);
  const [before = "", after] = withoutZone.split("::");
  const head = parseGroups(before);
  if (after === undefined) return head;
  const tail = parseGroups(after);
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function parseGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
