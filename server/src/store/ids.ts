/**
 * Makes TypeIDs over UUIDv7. Ids made by one process strictly increase, whatever the wall clock does: the time never
 * goes back, and ids of one millisecond count up in the random part, which leaves room for billions of them.
 */
import { randomFillSync } from "node:crypto";
import type { IdPrefix } from "@lineup/api/ids";

const pool = new Uint8Array(4_096);
let poolUsed = pool.length;
let lastMs = 0;
/** The 74 random bits, as 12 bits after the version, 30 and 32 bits after the variant. */
let high = 0;
let middle = 0;
let low = 0;

const randoms = new DataView(pool.buffer);

export function makeId(prefix: IdPrefix): string {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    drawRandom();
  } else {
    countUp();
  }
  // A UUIDv7 in four words of 32 bits: 48 of time, 4 of version, 12 random, 2 of variant, 62 random.
  const timeHigh = Math.floor(lastMs / 0x1_0000);
  const timeLow = ((lastMs % 0x1_0000) << 16) | 0x7000 | high;
  return `${prefix}_${encode(timeHigh, timeLow, 0x8000_0000 | middle, low)}`;
}

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
/** All pairs of characters, for ten bits at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => BASE32.charAt(bits >> 5) + BASE32.charAt(bits & 31));

/** 128 bits as a TypeID writes them: 26 characters of 5 bits, the first two of which are zero. */
function encode(a: number, b: number, c: number, d: number): string {
  return (
    pair(a >>> 24) +
    pair(a >>> 14) +
    pair(a >>> 4) +
    pair((a << 6) | (b >>> 26)) +
    pair(b >>> 16) +
    pair(b >>> 6) +
    pair((b << 4) | (c >>> 28)) +
    pair(c >>> 18) +
    pair(c >>> 8) +
    pair((c << 2) | (d >>> 30)) +
    pair(d >>> 20) +
    pair(d >>> 10) +
    pair(d)
  );
}

function pair(bits: number): string {
  return PAIRS[bits & 1023] as string;
}

function drawRandom(): void {
  if (poolUsed + 10 > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  // The top bit stays clear, so that counting up within a millisecond never overflows into the time.
  high = randoms.getUint16(poolUsed) & 0x7ff;
  middle = randoms.getUint32(poolUsed + 2) & 0x3fff_ffff;
  low = randoms.getUint32(poolUsed + 6);
  poolUsed += 10;
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
