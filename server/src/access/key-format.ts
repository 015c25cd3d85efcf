/**
 * The form of a key: `lineup_live_`, 32 random base62 characters, and 6 base62 characters of CRC32 over all that comes
 * before. The checksum lets a mistyped or made-up key be refused without a look-up, and lets scanners of leaked secrets
 * be sure of what they found. Only a SHA-256 of the key is kept: with 190 random bits nothing slower is needed.
 */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export const KEY_PREFIX = "lineup_live_";

/** What a key is made of behind its prefix. */
export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
export const KEY_LENGTH = KEY_PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
/** What comes behind the prefix. */
export const KEY_RANDOM_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH;
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

/**
 * Whether what stands in the text from there to its end has the form of a key and its checksum is right; says nothing about whether
 * anybody holds it. Digit by digit, for that takes less than half of what a regular expression and a call of `crc32` do, and whoever
 * sends keys at random is to cost little.
 */
export function isKeyShaped(text: string, from = 0): boolean {
  if (text.length - from !== KEY_LENGTH || !text.startsWith(KEY_PREFIX, from)) return false;
  const checksumAt = text.length - CHECKSUM_LENGTH;
  let crc = CRC_OF_PREFIX;
  let told = 0;
  for (let at = from + KEY_PREFIX.length; at < text.length; at++) {
    const digit = digitAt(text, at);
    if (digit === NO_DIGIT) return false;
    if (at < checksumAt) crc = (CRC_OF_BYTE[(crc ^ text.charCodeAt(at)) & 0xff] as number) ^ (crc >>> 8);
    else told = told * 62 + digit;
  }
  return told === ~crc >>> 0;
}

/** Of the character that stands there; beyond all digits for one that is in no key. */
export function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < DIGITS.length ? (DIGITS[code] as number) : NO_DIGIT;
}

const NO_DIGIT = 0xff;
/** By the code of a character. */
const DIGITS = new Uint8Array(0x80).fill(NO_DIGIT);
for (const [digit, character] of [...BASE62].entries()) DIGITS[character.charCodeAt(0)] = digit;

/** What CRC32 makes of each byte, and what is left inside it, so to say, behind the prefix. */
const CRC_OF_BYTE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});
const CRC_OF_PREFIX = ~crc32(KEY_PREFIX);

/** As it is kept. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** The same in half as many characters, one for each byte. */
export function digestKey(key: string): string {
  return hash("sha256", key, "latin1");
}

export function hashOfDigest(digest: string): string {
  return Buffer.from(digest, "latin1").toString("hex");
}

/** The first characters, which people may see to tell keys apart. */
export function shownPrefixOf(key: string): string {
  return key.slice(0, KEY_PREFIX.length + SHOWN_RANDOM_LENGTH);
}

const SHOWN_PREFIX = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${SHOWN_RANDOM_LENGTH}}$`);

export function isShownPrefix(text: string): boolean {
  return SHOWN_PREFIX.test(text);
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
