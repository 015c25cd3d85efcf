/**
 * What is remembered by the digest of a key. Found by a few of its bits and then compared whole: a text that was just made is looked up
 * in a `Map` only after it was entered into V8's table of all texts, which takes longer than the rest of it.
 *
 * What always holds: at most `max` are remembered; then those go that were remembered first. Two that share those bits cannot both be, which
 * costs the one that goes a look-up, and nothing else.
 */
export class KnownKeys<T> {
  readonly #max: number;
  readonly #entries = new Map<number, { readonly digest: string; readonly value: T }>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(digest: string): T | undefined {
    const entry = this.#entries.get(placeOf(digest));
    return entry !== undefined && entry.digest === digest ? entry.value : undefined;
  }

  remember(digest: string, value: T): void {
    if (this.#entries.size >= this.#max) {
      const oldest = this.#entries.keys().next().value;
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(placeOf(digest), { digest, value });
  }

  forgetAll(): void {
    this.#entries.clear();
  }
}

/** 30 bits, which V8 holds as they are. A digest is as good as random. */
function placeOf(digest: string): number {
  return (
    digest.charCodeAt(0) |
    (digest.charCodeAt(1) << 8) |
    (digest.charCodeAt(2) << 16) |
    ((digest.charCodeAt(3) & 0x3f) << 24)
  );
}
