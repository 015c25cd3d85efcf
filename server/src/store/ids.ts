/**
 * Makes TypeIDs over UUIDv7. Ids made by one process strictly increase, whatever the wall clock does: the time never
 * goes back, and ids of one millisecond count up in the random part, which leaves room for billions of them.
 */
import { randomFillSync } from "node:crypto";
import type { IdPrefix } from "@lineup/api/endpoints";

const pool = new Uint8Array(4_096);
let poolUsed = pool.length;
let lastMs = 0;
/** The 74 random bits, as 12 bits after the version, 30 and 32 bits after the variant. */
let high = 0;
let middle = 0;
let low = 0;

const randoms = new DataView(pool.buffer);

export function makeId(prefix: IdPrefix): string {
  advance();
  if (prefix !== writtenPrefix) writePrefix(prefix);
  if (lastMs !== writtenMs || high !== writtenHigh || middle !== writtenMiddle) writeHighWords();
  writeLowWord();
  return text.toString("latin1", UUID_AT - 1 - prefix.length, UUID_AT + UUID_LENGTH);
}

/** Five bits each. */
const BASE32 = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz");
const UUID_LENGTH = 26;
const UUID_AT = 32;
/**
 * The last id, as it is written: an id differs from the one before in few of its characters, and one text that is made of bytes takes
 * less than one that is put together of parts, most of all where it is compared or sent.
 */
const text = Buffer.alloc(UUID_AT + UUID_LENGTH, "_");
let writtenPrefix: IdPrefix | undefined;
let writtenMs = -1;
let writtenHigh = -1;
let writtenMiddle = -1;

function writePrefix(prefix: IdPrefix): void {
  text.write(prefix, UUID_AT - 1 - prefix.length, "latin1");
  writtenPrefix = prefix;
}

/**
 * A UUIDv7 in four words of 32 bits: 48 of time, 4 of version, 12 random, 2 of variant, 62 random. A TypeID writes them as 26
 * characters of 5 bits, the first two of which are zero. These are those in which the last word has no part.
 */
function writeHighWords(): void {
  writtenMs = lastMs;
  writtenHigh = high;
  writtenMiddle = middle;
  const a = Math.floor(lastMs / 0x1_0000);
  const b = ((lastMs % 0x1_0000) << 16) | 0x7000 | high;
  const c = 0x8000_0000 | middle;
  writeTen(0, a >>> 24);
  writeTen(2, a >>> 14);
  writeTen(4, a >>> 4);
  writeTen(6, (a << 6) | (b >>> 26));
  writeTen(8, b >>> 16);
  writeTen(10, b >>> 6);
  writeTen(12, (b << 4) | (c >>> 28));
  writeTen(14, c >>> 18);
  writeTen(16, c >>> 8);
}

function writeLowWord(): void {
  writeTen(18, (middle << 2) | (low >>> 30));
  writeTen(20, low >>> 20);
  writeTen(22, low >>> 10);
  writeTen(24, low);
}

/** Ten bits as two characters. */
function writeTen(at: number, bits: number): void {
  text[UUID_AT + at] = BASE32[(bits >>> 5) & 31] as number;
  text[UUID_AT + at + 1] = BASE32[bits & 31] as number;
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
