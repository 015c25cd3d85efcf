/**
 * The bytes of a row of `passes`: key after key, each as the length of its id and the id, the number of its first admission here, how many
 * there are, and their times, oldest first. Of these, the first is how long before the row was written it was, the others are how
 * long after the one before. All numbers are in as many bytes as they need, seven bits in each, the lowest first: for
 * nearly all times that is one.
 */
import type { KeyAdmissions, WritableRing } from "./key-admissions.ts";

const FIRST_ROOM = 64 * 1024;
/** Of a number up to 2^53, and of one below 2^32. */
const NUMBER_BYTES_MAX = 8;
const TIME_BYTES_MAX = 5;

/** Keys are added to memory that is used again for the next row. */
export class PassBytes {
  #bytes = Buffer.allocUnsafe(FIRST_ROOM);
  #length = 0;

  /** Good until the next `clear`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Adds what of a key is not written; false, and nothing is added, if all of that has left the window. */
  add(key: KeyAdmissions<WritableRing>, nowMs: number): boolean {
    const { ring, nextNumber, keyId } = key;
    ring.advance(nowMs);
    const firstLive = nextNumber - ring.length;
    const first = Math.max(firstLive, key.writtenTo);
    const count = nextNumber - first;
    if (count <= 0) return false;
    this.#reserve(keyId.length * 3 + 3 * NUMBER_BYTES_MAX + count * TIME_BYTES_MAX);
    this.#addText(keyId);
    this.#addNumber(first);
    this.#addNumber(count);
    this.#addTimes(ring, first - firstLive, nowMs);
    return true;
  }

  #addTimes(ring: WritableRing, from: number, nowMs: number): void {
    // Threads of one process may differ by a fraction of a millisecond in what they call now.
    let ageMs = Math.max(0, ring.ageMs(from, nowMs));
    this.#addNumber(ageMs);
    for (let index = from + 1; index < ring.length; index++) {
      const nextAgeMs = Math.max(0, ring.ageMs(index, nowMs));
      this.#addNumber(ageMs - nextAgeMs);
      ageMs = nextAgeMs;
    }
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  #addNumber(number: number): void {
    let left = number;
    while (left >= 0x80) {
      const low = left & 0x7f;
      this.#bytes[this.#length++] = low | 0x80;
      left = (left - low) / 0x80;
    }
    this.#bytes[this.#length++] = left;
  }

  #addText(text: string): void {
    const start = this.#length;
    this.#addNumber(text.length);
    if (this.#addAscii(text)) return;
    this.#length = start;
    this.#addNumber(Buffer.byteLength(text));
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Ids are short and of ASCII, for which a call out of JavaScript would take longer than this; false if the text is not. */
  #addAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.#length = at;
    return true;
  }
}

/** Hands over key after key, with times as they were given when the row was written. Throws where that cannot be what was written. */
export function readPassBytes(
  bytes: Buffer,
  writtenMs: number,
  visit: (keyId: string, first: number, times: number[]) => void,
): void {
  let at = 0;
  const readNumber = () => {
    let number = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("it ends too soon");
      number += (byte & 0x7f) * unit;
      if (number > Number.MAX_SAFE_INTEGER) throw new Error("a number is too large");
      if (byte < 0x80) return number;
    }
  };
  while (at < bytes.length) {
    const length = readNumber();
    if (at + length > bytes.length) throw new Error("it ends too soon");
    const keyId = bytes.toString("utf8", at, at + length);
    at += length;
    const first = readNumber();
    const count = readNumber();
    if (count === 0 || count > bytes.length - at) throw new Error("a count is wrong");
    let timeMs = writtenMs - readNumber();
    const times = [timeMs];
    while (times.length < count) {
      timeMs += readNumber();
      times.push(timeMs);
    }
    if (timeMs > writtenMs) throw new Error("a time is later than the row");
    visit(keyId, first, times);
  }
}
