/**
 * Reads requests that are as plain as nearly every one is: come whole in one piece, with a path of the API, and headers that mean nothing
 * here or only what is known to be meant. Whatever differs in the least, in its grammar, a header that is not in the
 * list, one that stands twice, is not read here but by Node's own parser; so a mistake that is not made here cannot be made.
 */
import type { Socket } from "node:net";
import { KEY_PREFIX } from "../access/key-format.ts";
import { HeaderReader } from "./header-reader.ts";
import type { PlainHeaders } from "./plain-headers.ts";
import { findPlainTarget } from "./plain-target.ts";
import { RepeatedHead } from "./repeated-head.ts";
import type { RequestHead, Target } from "./request-head.ts";
import { areSameBytes } from "./same-bytes.ts";

/** Longer ones are rare, and Node knows how to bound them. */
const HEAD_MAX_BYTES = 4_096;
/** A write is longer by its body. */
const WRITE_MAX_BYTES = 16 * 1_024;
/** Those that are read here, with the space behind them. */
const METHODS = ["GET", "POST", "PATCH"].map((name) => ({ name, bytes: Buffer.from(`${name} `) }));
const LINE_END = Buffer.from(" HTTP/1.1\r\n");
/** Longer ones are asked once, not again and again. */
const LINE_KEPT_MAX_BYTES = 512;
const BODY_LENGTH = /^[1-9]\d{0,5}$/;
const FIRST_PRINTABLE = 0x21;
const LAST_PRINTABLE = 0x7e;
const NUMBER_SIGN = 0x23;
const NOTHING = new Uint8Array(0);

export interface FoundRequest {
  readonly request: RequestHead;
  readonly target: Target;
  /** All of it, where the request is a write. */
  readonly body?: Buffer | undefined;
}

/** What the line of a request says. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly target: Target;
}

/** Reads the requests of one connection. One is read when the one before it is answered, so all may share their headers. */
export class PlainReader {
  readonly #socket: Socket;
  readonly #repeated = new RepeatedHead();
  readonly #headers = new HeaderReader();
  /** The line of the last request, and room for more. */
  #line = NOTHING;
  #lineLength = 0;
  #asked: Asked | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /**
   * Undefined for whatever is not plain. Keeps nothing of the chunk itself. `words` is the memory of the chunk from its beginning on,
   * where it can be had four bytes at a time.
   */
  read(chunk: Buffer, words?: Int32Array): FoundRequest | undefined {
    const repeated = words && this.#repeat(chunk, words);
    if (repeated === undefined || this.#asked === undefined) return this.#readAnew(chunk);
    return this.#found(this.#asked, repeated);
  }

  /** To be called when the request is answered: its key has no business here any more. */
  forgetKey(): void {
    this.#headers.forgetKey();
  }

  /** The very same read as before, but for its key. */
  #repeat(chunk: Buffer, words: Int32Array): PlainHeaders | undefined {
    const keyStart = this.#repeated.findKey(chunk, words);
    return keyStart < 0 ? undefined : this.#headers.repeat(chunk, keyStart);
  }

  #readAnew(chunk: Buffer): FoundRequest | undefined {
    // Until all of this is read, what is remembered belongs to no one request.
    this.#repeated.forget();
    if (chunk.length > WRITE_MAX_BYTES) return undefined;
    const start = this.#readLine(chunk);
    const headers = start < 0 ? undefined : this.#headers.read(chunk, start, Math.min(chunk.length, HEAD_MAX_BYTES));
    const asked = this.#asked;
    if (headers === undefined || asked === undefined) return undefined;
    const { end, keyStart } = this.#headers;
    const length = headers["content-length"];
    if (asked.method !== "GET") {
      // A copy: it may have to wait, and what was read is good only for now.
      const hasBody = isLengthOf(chunk.length - end, length);
      return hasBody ? this.#found(asked, headers, Buffer.from(chunk.subarray(end))) : undefined;
    }
    if (length !== undefined || end !== chunk.length) return undefined;
    if (keyStart >= 0) this.#repeated.note(chunk, keyStart);
    return this.#found(asked, headers);
  }

  /** Where the headers begin; -1 where the line before them is not plain. */
  #readLine(chunk: Buffer): number {
    const length = this.#lineLength;
    if (length > 0 && areSameBytes(chunk, 0, this.#line, 0, length)) return length;
    const method = METHODS.find(({ bytes }) => areSameBytes(chunk, 0, bytes, 0, bytes.length));
    if (method === undefined) return -1;
    const start = method.bytes.length;
    const end = findTargetEnd(chunk, start);
    if (!areSameBytes(chunk, end, LINE_END, 0, LINE_END.length)) return -1;
    const url = chunk.toString("latin1", start, end);
    const target = findPlainTarget(method.name, url);
    if (target === undefined || url.includes(KEY_PREFIX)) return -1;
    this.#asked = { method: method.name, url, target };
    this.#keepLine(chunk, end + LINE_END.length);
    return end + LINE_END.length;
  }

  /** In memory of its own, and the same for all lines of a connection. */
  #keepLine(chunk: Buffer, length: number): void {
    this.#lineLength = length <= LINE_KEPT_MAX_BYTES ? length : 0;
    if (this.#line.length < this.#lineLength) this.#line = new Uint8Array(LINE_KEPT_MAX_BYTES);
    for (let at = 0; at < this.#lineLength; at++) this.#line[at] = chunk[at] as number;
  }

  #found({ method, url, target }: Asked, headers: PlainHeaders, body?: Buffer): FoundRequest {
    return { request: { method, url, headers, socket: this.#socket }, target, body };
  }
}

/** Whether that is what a request may say of a body of so many bytes. */
function isLengthOf(bytes: number, told: string | undefined): boolean {
  return told !== undefined && BODY_LENGTH.test(told) && Number(told) === bytes;
}

/** Behind all that may stand in a target; a fragment may not. */
function findTargetEnd(chunk: Buffer, start: number): number {
  let at = start;
  for (; at < chunk.length; at++) {
    const byte = chunk[at] as number;
    if (byte < FIRST_PRINTABLE || byte > LAST_PRINTABLE || byte === NUMBER_SIGN) break;
  }
  return at;
}
