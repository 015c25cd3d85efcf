/** Whether so many bytes are the same in both, each from its own place on. Where one ends before that, they are not. */
export function areSameBytes(
  one: Uint8Array,
  oneStart: number,
  other: Uint8Array,
  otherStart: number,
  length: number,
): boolean {
  if (oneStart + length > one.length || otherStart + length > other.length) return false;
  for (let at = 0; at < length; at++) if (one[oneStart + at] !== other[otherStart + at]) return false;
  return true;
}
