/**
 * Tells of most keys that nobody holds, without a query: whoever tries keys at random is to cost less than whoever has one. It never
 * says so of a key that is held. The first characters of a key, which people may see, tell it of nearly all, without a SHA-256.
 */
import { digitAt, isShownPrefix, KEY_PREFIX } from "./key-format.ts";

/** 24 bits are known of each, and the upper 22 say where it stands. */
const BITS = 2 ** 22;

/** What is kept of a key that it is known by here. */
export interface FilteredKey {
  readonly hash: string;
  readonly shown_prefix: string;
}

export class KeyFilter {
  readonly #hashes = new Uint32Array(BITS / 32);
  readonly #beginnings = new Uint32Array(BITS / 32);
  /** False if one has a beginning that no key has: then beginnings tell nothing. */
  readonly #knowsBeginnings: boolean;

  /** Of all keys there are. */
  constructor(keys: readonly FilteredKey[]) {
    this.#knowsBeginnings = keys.every(({ shown_prefix }) => isShownPrefix(shown_prefix));
    for (const { hash, shown_prefix } of keys) {
      setBit(this.#hashes, Number.parseInt(hash.slice(0, 6), 16) >>> 2);
      setBit(this.#beginnings, placeOfBeginning(shown_prefix, 0));
    }
  }

  /** Whether one that is held begins like the key that stands in the text from there on. */
  mayBegin(text: string, from: number): boolean {
    return !this.#knowsBeginnings || isSet(this.#beginnings, placeOfBeginning(text, from));
  }

  mayBeHeld(digest: string): boolean {
    const place = ((digest.charCodeAt(0) << 16) | (digest.charCodeAt(1) << 8) | digest.charCodeAt(2)) >>> 2;
    return isSet(this.#hashes, place);
  }
}

function setBit(bits: Uint32Array, place: number): void {
  bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31));
}

function isSet(bits: Uint32Array, place: number): boolean {
  return ((bits[place >>> 5] as number) & (1 << (place & 31))) !== 0;
}

/** By the four characters behind the prefix. What cannot be in a key may stand anywhere. */
function placeOfBeginning(text: string, from: number): number {
  const at = from + KEY_PREFIX.length;
  const upper = (digitAt(text, at) << 18) | (digitAt(text, at + 1) << 12);
  return ((upper | (digitAt(text, at + 2) << 6) | digitAt(text, at + 3)) >>> 2) & (BITS - 1);
}
