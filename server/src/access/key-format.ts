/**
 * The form of a key: `lineup_live_`, 32 random base62 characters, and 6 base62 characters of CRC32 over all that comes
 * before. The checksum lets a mistyped or made-up key be refused without a look-up, and lets scanners of leaked secrets
 * be sure of what they found. Only a SHA-256 of the key is kept: with 190 random bits nothing slower is needed.
 */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export const KEY_PREFIX = "lineup_live_";

/** What a key is made of behind its prefix. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
export const KEY_LENGTH = KEY_PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
const SHOWN_RANDOM_LENGTH = 4;

export function makeKey(): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte; what lies beyond would favour the first characters.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62[byte % 62];
    }
  }
  const body = KEY_PREFIX + random;
  return body + checksumOf(body);
}

const KEY = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Whether it has the form of a key and its checksum is right; says nothing about whether anybody holds it. */
export function isKeyShaped(text: string): boolean {
  return KEY.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** As it is kept. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** The first characters, which people may see to tell keys apart. */
export function shownPrefixOf(key: string): string {
  return key.slice(0, KEY_PREFIX.length + SHOWN_RANDOM_LENGTH);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
