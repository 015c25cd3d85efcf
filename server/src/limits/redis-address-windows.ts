/**
 * The windows of client addresses, one minute's ring each in Redis, so that an address has sixty requests over all nodes.
 *
 * What always holds: a node keeps the windows it has seen as well, a bounded number of them, and holds addresses to its share by them
 * while Redis does not decide. It puts no more addresses into Redis than it keeps itself, so that a flood from
 * made-up ones fills neither. Nothing is given back: a minute later none of it counts.
 */
import { ADDRESS_LIMIT_PER_MINUTE, MINUTE_MS } from "@lineup/api/tiers";
import { addressBucket } from "./address-bucket.ts";
import { AddressWindows } from "./address-windows.ts";
import type { Clock } from "./clock.ts";
import type { Call, CallsInFlight } from "./redis-calls.ts";
import { addressName } from "./redis-ring-layout.ts";
import { ADDRESS_SCRIPT } from "./redis-ring-script.ts";
import type { RedisStanding } from "./redis-standing.ts";
import { readTakeReply } from "./redis-take-place.ts";
import { addressVerdict, type Verdict } from "./windows.ts";

export class RedisAddressWindows {
  readonly #own: AddressWindows;
  readonly #maxAddresses: number;
  readonly #standing: RedisStanding;
  readonly #calls: CallsInFlight;
  readonly #fail: (call: Call, error: Error) => void;
  decidedAlone = 0;

  constructor(
    options: { readonly clock: Clock; readonly maxAddresses: number },
    standing: RedisStanding,
    calls: CallsInFlight,
    fail: (call: Call, error: Error) => void,
  ) {
    this.#own = new AddressWindows(options.clock, options.maxAddresses);
    this.#maxAddresses = options.maxAddresses;
    this.#standing = standing;
    this.#calls = calls;
    this.#fail = fail;
  }

  take(address: string): Verdict | Promise<Verdict> {
    if (this.#standing.mode !== "together" || this.#own.count >= this.#maxAddresses) return this.#takeAlone(address);
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const call = this.#calls.add(() => resolve(this.#takeAlone(address)));
    this.#standing.link.run(ADDRESS_SCRIPT, [addressName(addressBucket(address))]).then(
      (reply) => {
        const { admitted, minuteCount, minuteAgeMs, nowMs } = readTakeReply(reply as Buffer);
        if (!this.#calls.settle(call)) return;
        if (admitted) this.#own.take(address);
        resolve(addressVerdict(admitted, { count: minuteCount, decisiveAgeMs: minuteAgeMs }, nowMs));
      },
      (error: Error) => this.#fail(call, error),
    );
    return promise;
  }

  /** By what this node has itself seen of the address. */
  peek(address: string): Verdict {
    const { admitted, governing } = this.#own.peek(address);
    return this.#describe(admitted, ADDRESS_LIMIT_PER_MINUTE - governing.remaining, governing.resetInMs);
  }

  #takeAlone(address: string): Verdict {
    this.decidedAlone++;
    const share = Math.max(1, Math.floor(ADDRESS_LIMIT_PER_MINUTE / this.#standing.nodes));
    const before = this.#own.peek(address).governing;
    const admitted = ADDRESS_LIMIT_PER_MINUTE - before.remaining < share;
    const { remaining, resetInMs } = admitted ? this.#own.take(address).governing : before;
    const left = Math.max(0, share - (ADDRESS_LIMIT_PER_MINUTE - remaining));
    return this.#describe(admitted, ADDRESS_LIMIT_PER_MINUTE - left, resetInMs);
  }

  #describe(admitted: boolean, count: number, resetInMs: number): Verdict {
    return addressVerdict(admitted, { count, decisiveAgeMs: MINUTE_MS - resetInMs }, this.#standing.nowMs());
  }
}
