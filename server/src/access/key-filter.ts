/**
 * Tells of most keys that nobody holds, without a query: whoever tries keys at random is to cost less than whoever has one. It never
 * says so of a key that is held.
 */
const BITS = 2 ** 22;

export class KeyFilter {
  readonly #bits = new Uint32Array(BITS / 32);

  /** Of the hashes of all keys there are. */
  constructor(hashes: Iterable<string>) {
    for (const hash of hashes) {
      const place = Number.parseInt(hash.slice(0, 6), 16) >>> 2;
      this.#bits[place >>> 5] = (this.#bits[place >>> 5] as number) | (1 << (place & 31));
    }
  }

  mayBeHeld(digest: string): boolean {
    const place = ((digest.charCodeAt(0) << 16) | (digest.charCodeAt(1) << 8) | digest.charCodeAt(2)) >>> 2;
    return ((this.#bits[place >>> 5] as number) & (1 << (place & 31))) !== 0;
  }
}
