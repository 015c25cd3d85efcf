/**
 * The few numbers that all threads of a server share. Each is changed by one atomic step, so a thread that dies in the middle of
 * anything leaves none of them half done.
 */
import type { WriteCount } from "../store/store-ties.ts";
import { WORKERS_MAX } from "./worker-count.ts";

const WRITES = 0;
const SERVING = 1;
/** Two of them, at an even place, are one of 64 bits. */
const ID_TICKET = 2;
const GATE_HOLDER = 4;
const GATE_STATES = 16;
const ORGANIZATION_WRITES = 128;
/** A power of two. */
const ORGANIZATION_PLACES = 1_024;

/** The thread that started the others counts as one of those who write. */
export const COORDINATOR = 0;
const MEMBERS_MAX = WORKERS_MAX + 1;
const WORDS = ORGANIZATION_WRITES + ORGANIZATION_PLACES;

export class SharedWords {
  readonly words: Int32Array<SharedArrayBuffer>;

  constructor(buffer = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)) {
    this.words = new Int32Array(buffer);
  }

  get buffer(): SharedArrayBuffer {
    return this.words.buffer;
  }

  get writes(): WriteCount {
    const { words } = this;
    return {
      read: () => Atomics.load(words, WRITES),
      raise: () => void Atomics.add(words, WRITES, 1),
      readOf: (orgId) => Atomics.load(words, ORGANIZATION_WRITES + placeOf(orgId)),
      raiseOf: (orgId) => void Atomics.add(words, ORGANIZATION_WRITES + placeOf(orgId), 1),
    };
  }

  /** Where ids made by any of the threads count up. */
  get idTicket(): BigInt64Array<SharedArrayBuffer> {
    return new BigInt64Array(this.buffer, ID_TICKET * Int32Array.BYTES_PER_ELEMENT, 1);
  }

  /** How many workers serve at this moment. */
  get serving(): number {
    return Atomics.load(this.words, SERVING);
  }

  set serving(count: number) {
    Atomics.store(this.words, SERVING, count);
  }

  /** One word for who is inside, and one for each who may want to be. */
  get gate(): { readonly holder: Int32Array<SharedArrayBuffer>; readonly states: Int32Array<SharedArrayBuffer> } {
    return {
      holder: this.words.subarray(GATE_HOLDER, GATE_HOLDER + 1),
      states: this.words.subarray(GATE_STATES, GATE_STATES + MEMBERS_MAX),
    };
  }
}

/** The last digits of an id are random. */
function placeOf(orgId: string): number {
  let place = 0;
  for (let at = Math.max(0, orgId.length - 4); at < orgId.length; at++) place = place * 31 + orgId.charCodeAt(at);
  return place & (ORGANIZATION_PLACES - 1);
}
