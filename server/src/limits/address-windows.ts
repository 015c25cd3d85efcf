/**
 * The windows of client addresses, for requests without a valid key, of a process that counts by itself: those of shared-addresses.ts, in
 * memory that no other thread has. None of it is an object, so tens of thousands of addresses are nothing that the collector
 * has to go through.
 */
import type { Clock } from "./clock.ts";
import { makeHashKey } from "./keyed-hash.ts";
import { reserveAddresses } from "./shared-address-places.ts";
import { SharedAddresses } from "./shared-addresses.ts";
import { COORDINATOR, reserveHeader } from "./shared-memory.ts";

/** Nobody else ever holds the lock. */
const PATIENCE_MS = 1_000;

export class AddressWindows extends SharedAddresses {
  constructor(clock: Clock, maxAddresses: number) {
    const memory = { header: reserveHeader(), ...reserveAddresses(Math.max(1, maxAddresses)), hashKey: makeHashKey() };
    super(memory, clock, COORDINATOR, PATIENCE_MS);
  }
}
