/**
 * What is remembered of keys, without remembering the keys. A key is known here by its mark: 128 bits of a sum of its characters, each pair
 * of them multiplied by numbers that this process has drawn for itself and tells nobody. That takes a fifth of a SHA-256, and is sure enough: of
 * two keys that differ, whichever they are, 2^-128 of all such numbers give both the same mark (a multilinear hash of eight times
 * 32 bits, of which the upper 16 are kept), and who cannot see a mark cannot learn anything about the numbers. A mark says nothing about
 * its key without them, and nothing in another process.
 *
 * What always holds: at most `max` are remembered; then those go that were remembered first. Two whose marks share the bits that lead to
 * them cannot both be, which costs the one that goes a look-up, and nothing else.
 */
import { randomFillSync } from "node:crypto";
import { KEY_LENGTH, KEY_PREFIX, KEY_RANDOM_LENGTH } from "./key-format.ts";

const PAIRS = KEY_RANDOM_LENGTH / 2;
const SUMS = 8;
/** What each sum begins with, and then what each pair is multiplied by in it. */
const factors = new Int32Array(SUMS * (1 + PAIRS));
randomFillSync(factors);

interface Entry<T> {
  readonly mark: Mark;
  readonly value: T;
}

interface Mark {
  first: number;
  second: number;
  third: number;
  fourth: number;
}

export class KnownKeys<T> {
  readonly #max: number;
  readonly #entries = new Map<number, Entry<T>>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The key is what stands in the text from there to its end. */
  find(text: string, from = 0): T | undefined {
    if (!markKey(text, from)) return undefined;
    const entry = this.#entries.get(placeOf(last));
    return entry !== undefined && isSame(entry.mark, last) ? entry.value : undefined;
  }

  /** Nothing but a key can be remembered. */
  remember(key: string, value: T): void {
    if (!markKey(key, 0)) return;
    if (this.#entries.size >= this.#max) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(placeOf(last), { mark: { ...last }, value });
  }

  forgetAll(): void {
    this.#entries.clear();
  }
}

/** The mark that was made last: most are looked for, and only few kept. */
const last: Mark = { first: 0, second: 0, third: 0, fourth: 0 };

/** False for a text that has not the length and the beginning of a key. */
function markKey(text: string, from: number): boolean {
  if (text.length - from !== KEY_LENGTH || !text.startsWith(KEY_PREFIX, from)) return false;
  const start = from + KEY_PREFIX.length;
  let a = factors[0] as number;
  let b = factors[1] as number;
  let c = factors[2] as number;
  let d = factors[3] as number;
  let e = factors[4] as number;
  let f = factors[5] as number;
  let g = factors[6] as number;
  let h = factors[7] as number;
  let all = 0;
  for (let pair = 0; pair < PAIRS; pair++) {
    const one = text.charCodeAt(start + 2 * pair);
    const other = text.charCodeAt(start + 2 * pair + 1);
    all |= one | other;
    const both = one | (other << 8);
    const at = SUMS * (1 + pair);
    a = (a + Math.imul(factors[at] as number, both)) | 0;
    b = (b + Math.imul(factors[at + 1] as number, both)) | 0;
    c = (c + Math.imul(factors[at + 2] as number, both)) | 0;
    d = (d + Math.imul(factors[at + 3] as number, both)) | 0;
    e = (e + Math.imul(factors[at + 4] as number, both)) | 0;
    f = (f + Math.imul(factors[at + 5] as number, both)) | 0;
    g = (g + Math.imul(factors[at + 6] as number, both)) | 0;
    h = (h + Math.imul(factors[at + 7] as number, both)) | 0;
  }
  last.first = upperOf(a, b);
  last.second = upperOf(c, d);
  last.third = upperOf(e, f);
  last.fourth = upperOf(g, h);
  // Beyond a byte, two characters would run into each other.
  return all <= 0xff;
}

function upperOf(one: number, other: number): number {
  return (one & ~0xffff) | (other >>> 16);
}

function isSame(one: Mark, other: Mark): boolean {
  return (
    one.first === other.first && one.second === other.second && one.third === other.third && one.fourth === other.fourth
  );
}

/** 30 bits, which V8 holds as they are. */
function placeOf({ first }: Mark): number {
  return first & 0x3fff_ffff;
}
