/**
 * What a connection asked last, to tell whether it asks the very same again but for its key, as most do. Compared four bytes at a time, which is
 * as far as the memory that connections are read into allows it.
 */
import { KEY_RANDOM_LENGTH } from "../access/key-format.ts";
import { areSameBytes } from "./same-bytes.ts";

/** Grown by as much where that is not enough. */
const ROOM_BYTES = 512;
const NOTHING = Buffer.alloc(0);
const NO_WORDS = new Int32Array(0);

export class RepeatedHead {
  /** -1 where nothing is known. */
  #length = -1;
  #keyStart = 0;
  #bytes = NOTHING;
  #words = NO_WORDS;

  /** Keeps all of it but the random part of the key, which begins there. */
  note(chunk: Buffer, keyStart: number): void {
    if (chunk.length > this.#bytes.length) {
      const room = Math.ceil(chunk.length / ROOM_BYTES) * ROOM_BYTES;
      // In memory of its own: in a piece that is shared, it would keep what others have left there, keys among it.
      this.#bytes = Buffer.alloc(room);
      this.#words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, room / 4);
    }
    this.#bytes.set(chunk);
    this.#bytes.fill(0, keyStart, keyStart + KEY_RANDOM_LENGTH);
    this.#length = chunk.length;
    this.#keyStart = keyStart;
  }

  forget(): void {
    this.#length = -1;
  }

  /** Where the random part of the key begins, if that is all that may differ; else -1. `words` is the memory of the chunk from its beginning on. */
  findKey(chunk: Buffer, words: Int32Array): number {
    const { length } = chunk;
    if (length !== this.#length) return -1;
    const keyStart = this.#keyStart;
    const keyEnd = keyStart + KEY_RANDOM_LENGTH;
    // The key's first word and its last hold bytes of others, too.
    const isSame =
      this.#isSameBytes(chunk, keyStart & ~3, keyStart) &&
      this.#isSameBytes(chunk, keyEnd, Math.min((keyEnd + 3) & ~3, length)) &&
      this.#isSameBytes(chunk, Math.max(length & ~3, keyEnd), length) &&
      this.#areSameWords(words, 0, keyStart >>> 2) &&
      this.#areSameWords(words, (keyEnd + 3) >>> 2, length >>> 2);
    return isSame ? keyStart : -1;
  }

  #areSameWords(words: Int32Array, from: number, end: number): boolean {
    const own = this.#words;
    for (let at = from; at < end; at++) if (words[at] !== own[at]) return false;
    return true;
  }

  #isSameBytes(chunk: Buffer, from: number, end: number): boolean {
    return end <= from || areSameBytes(chunk, from, this.#bytes, from, end - from);
  }
}
