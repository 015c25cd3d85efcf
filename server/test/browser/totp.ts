/** The code that an authenticator app shows, by RFC 6238: made here anew, so that the server's own is held against another. */
import { createHmac } from "node:crypto";

export const TOTP_STEP_MS = 30_000;
const DIGITS = 6;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function makeTotp(secret: string, now = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / TOTP_STEP_MS)));
  const digest = createHmac("sha1", decodeBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, "0");
}

function decodeBase32(text: string): Buffer {
  let bits = "";
  for (const letter of text.replaceAll(/[\s=]/g, "").toUpperCase()) {
    const value = BASE32.indexOf(letter);
    if (value < 0) throw new Error(`${letter} is no letter of base32.`);
    bits += value.toString(2).padStart(5, "0");
  }
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
