/** Reads a body that comes in chunks, as a server sends what it does not know the length of yet. */

const LF = 0x0a;
const SIZE_LINE_MAX = 64;

export class ChunkedBody {
  /** What came of a line that is not whole yet. */
  #line = "";
  /** Bytes of the present chunk still to come, its line end included; 0 while its size is. */
  #left = 0;
  #isLast = false;
  isWhole = false;

  /** The content in what arrived, in order. The parts are views of it. */
  read(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.isWhole) throw new Error("More bytes came than the last chunk.");
      at = this.#left > 0 ? this.#takeContent(bytes, at, parts) : this.#takeLine(bytes, at);
    }
    return parts;
  }

  #takeContent(bytes: Buffer, at: number, parts: Buffer[]): number {
    const taken = Math.min(this.#left, bytes.length - at);
    // The last two are the line end.
    const content = Math.min(taken, Math.max(0, this.#left - 2));
    if (content > 0) parts.push(bytes.subarray(at, at + content));
    this.#left -= taken;
    return at + taken;
  }

  #takeLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(LF, at);
    this.#line += bytes.toString("latin1", at, end < 0 ? bytes.length : end);
    if (this.#line.length > SIZE_LINE_MAX) throw new Error("What should be the size of a chunk is none.");
    if (end < 0) return bytes.length;
    const line = this.#line.trim();
    this.#line = "";
    if (this.#isLast) {
      this.isWhole = line === "";
      return end + 1;
    }
    const size = Number.parseInt(line, 16);
    if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`"${line}" is not the size of a chunk.`);
    this.#isLast = size === 0;
    this.#left = size === 0 ? 0 : size + 2;
    return end + 1;
  }
}
