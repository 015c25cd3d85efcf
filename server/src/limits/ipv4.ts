/** IPv4 addresses as texts and as numbers. Character by character, for that takes a fifth of what the regular expression of `node:net` does. */

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const LENGTH_MAX = "255.255.255.255".length;

/** Of 32 bits; -1 for a text that `node:net` would not call an address either. */
export function parseIPv4(text: string): number {
  if (text.length > LENGTH_MAX) return -1;
  let address = 0;
  let part = 0;
  let digits = 0;
  let points = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT) {
      if (digits === 0 || ++points > 3) return -1;
      address = address * 256 + part;
      part = 0;
      digits = 0;
    } else {
      // No part begins with a nought but nought itself.
      const isDigit = code >= ZERO && code <= NINE && (digits === 0 || part > 0);
      part = part * 10 + code - ZERO;
      if (!isDigit || part > 255) return -1;
      digits++;
    }
  }
  return points === 3 && digits > 0 ? address * 256 + part : -1;
}
