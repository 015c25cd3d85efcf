/**
 * HalfSipHash-1-3 of a text of Latin-1, for tables whose names strangers choose: without the key nobody can find addresses that all fall
 * into one bucket and make every look-up slow.
 */
import { randomBytes } from "node:crypto";

export interface HashKey {
  readonly low: number;
  readonly high: number;
}

export function makeHashKey(): HashKey {
  const random = randomBytes(8);
  return { low: random.readInt32LE(0), high: random.readInt32LE(4) };
}

export function hashText(text: string, key: HashKey): number {
  let v0 = key.low;
  let v1 = key.high;
  let v2 = 0x6c796765 ^ key.low;
  let v3 = 0x74656462 ^ key.high;
  const { length } = text;
  // One round for each four characters, one for the rest with the length, three to finish.
  const words = (length >>> 2) + 1;
  for (let word = 0; word < words + 3; word++) {
    const message = word < words ? wordOf(text, word * 4) : 0;
    if (word === words) v2 ^= 0xff;
    v3 ^= message;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= message;
  }
  return v1 ^ v3;
}

function wordOf(text: string, at: number): number {
  const { length } = text;
  if (at + 4 <= length) {
    return (
      text.charCodeAt(at) |
      (text.charCodeAt(at + 1) << 8) |
      (text.charCodeAt(at + 2) << 16) |
      (text.charCodeAt(at + 3) << 24)
    );
  }
  let word = length << 24;
  for (let index = at; index < length; index++) word |= text.charCodeAt(index) << ((index - at) * 8);
  return word;
}
