/**
 * Makes TypeIDs over UUIDv7. Ids made by one process strictly increase, whatever the wall clock does: the time never
 * goes back, and ids of one millisecond count up in the random part, which leaves room for billions of them.
 */
import { randomFillSync } from "node:crypto";
import type { IdPrefix } from "@lineup/api/ids";
import { TypeID } from "typeid-js";

const pool = new Uint8Array(4_096);
let poolUsed = pool.length;
let lastMs = 0;
/** The 74 random bits, as 12 bits after the version, 30 and 32 bits after the variant. */
let high = 0;
let middle = 0;
let low = 0;

const bytes = new Uint8Array(16);
const view = new DataView(bytes.buffer);
const randoms = new DataView(pool.buffer);

export function makeId(prefix: IdPrefix): string {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    drawRandom();
  } else {
    countUp();
  }
  view.setUint16(0, Math.floor(lastMs / 0x1_0000_0000));
  view.setUint32(2, lastMs % 0x1_0000_0000);
  view.setUint16(6, 0x7000 | high);
  view.setUint32(8, (0x8000_0000 | middle) >>> 0);
  view.setUint32(12, low);
  return TypeID.fromUUIDBytes(prefix, bytes).toString();
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
