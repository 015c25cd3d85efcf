/**
 * Makes TypeIDs over UUIDv7. Ids made by one process strictly increase, whatever the wall clock does: the time never
 * goes back, and ids of one millisecond count up in the random part, which leaves room for billions of them.
 */
import { randomBytes } from "node:crypto";
import type { IdPrefix } from "@lineup/api/endpoints";

let lastMs = 0;
/** The 74 random bits, as 12 bits after the version, 30 and 32 bits after the variant. */
let high = 0;
let middle = 0;
let low = 0;

/** Five bits each. */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
/** Ten bits as two characters. */
const PAIRS = Array.from({ length: 1_024 }, (_, bits) => BASE32.charAt(bits >>> 5) + BASE32.charAt(bits & 31));

export function makeId(prefix: IdPrefix): string {
  advance();
  return writeId(prefix, lastMs, high, middle, low);
}

/** The id of what is known by a moment and a SHA-256 hash, in hexadecimal: always the same one, and another for every other hash. */
export function idOfHash(prefix: IdPrefix, ms: number, hash: string): string {
  const bits = (from: number) => Number.parseInt(hash.slice(from, from + 8), 16);
  return writeId(prefix, ms, bits(0) & 0xfff, bits(8) & 0x3fff_ffff, bits(16));
}

/**
 * A UUIDv7 in four words of 32 bits: 48 of time, 4 of version, 12 random, 2 of variant, 62 random. A TypeID writes them as 26
 * characters of 5 bits, the first two of which are zero.
 */
function writeId(prefix: IdPrefix, ms: number, high: number, middle: number, low: number): string {
  const a = Math.floor(ms / 0x1_0000);
  const b = ((ms % 0x1_0000) << 16) | 0x7000 | high;
  const c = 0x8000_0000 | middle;
  const time = pair(a >>> 24) + pair(a >>> 14) + pair(a >>> 4) + pair((a << 6) | (b >>> 26)) + pair(b >>> 16);
  const between = pair(b >>> 6) + pair((b << 4) | (c >>> 28)) + pair(c >>> 18) + pair(c >>> 8);
  const end = pair((c << 2) | (low >>> 30)) + pair(low >>> 20) + pair(low >>> 10) + pair(low);
  return `${prefix}_${time}${between}${end}`;
}

function pair(bits: number): string {
  return PAIRS[bits & 0x3ff] ?? "";
}

function advance(): void {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    drawRandom();
  } else {
    countUp();
  }
}

function drawRandom(): void {
  const bytes = randomBytes(10);
  // The top bit stays clear, so that counting up within a millisecond never overflows into the time.
  high = bytes.readUInt16BE(0) & 0x7ff;
  middle = bytes.readUInt32BE(2) & 0x3fff_ffff;
  low = bytes.readUInt32BE(6);
}

function countUp(): void {
  low += 1;
  if (low <= 0xffff_ffff) return;
  low = 0;
  middle += 1;
  if (middle <= 0x3fff_ffff) return;
  middle = 0;
  high += 1;
}

/** In the order of creation. */
export function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
