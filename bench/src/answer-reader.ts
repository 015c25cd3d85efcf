/**
 * Reads the answers of one keep-alive connection with one request under way at a time, and judges each of them: status,
 * length, and every byte up to the first that differs from answer to answer (a request id, a new record's id). It does as
 * little as that takes, so that the load never waits for its own reading. Whatever is not as expected throws.
 */

import { ChunkedBody } from "./chunked-body.ts";

export interface Expectation {
  readonly status: number;
  readonly bodyLength: number;
  /** What every body begins with. */
  readonly prefix: Buffer;
  /** One answer in so many is looked at whole. */
  readonly wholeOneIn: number;
  /** How many there were, over all connections and all who are asked alike. */
  readonly tally: { answers: number };
  /** Looks into a whole body and returns what is wrong with it. */
  findFault(body: string): string | undefined;
}

export class WrongAnswer extends Error {}

const HEAD_END = Buffer.from("\r\n\r\n");
const CHUNKED = /\r\ntransfer-encoding: *chunked\r\n/i;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
/** "HTTP/1.1 200": where the status stands. */
const STATUS_AT = 9;
const ZERO = 0x30;
/** The only answers without a length here, and without a body. */
const NOT_MODIFIED = 304;

export class AnswerReader {
  #expected: Expectation | undefined;
  /** What came of a head that is not whole yet. */
  #head: Buffer | undefined;
  readonly #lengthLine = new LengthLine();
  /** Bytes of the body still to come; -1 while the head is. */
  #awaited = -1;
  /** Where the answer comes in chunks. */
  #chunks: ChunkedBody | undefined;
  /** The parts of a body that will be looked at whole. */
  #kept: Buffer[] | undefined;

  /** What the next answer is to be. */
  expect(expected: Expectation): void {
    this.#expected = expected;
  }

  /** Takes what arrived, which is only lent; returns whether the answer is whole. */
  read(chunk: Buffer): boolean {
    const expected = this.#expected;
    if (expected === undefined) throw new WrongAnswer("The server sent something that nobody asked for.");
    const body = this.#awaited < 0 ? this.#readHead(chunk, expected) : chunk;
    if (body === undefined) return false;
    if (this.#chunks === undefined) this.#take(body, expected);
    else for (const part of this.#chunks.read(body)) this.#take(part, expected);
    if (this.#chunks === undefined ? this.#awaited > 0 : !this.#chunks.isWhole) return false;
    if (this.#awaited > 0) throw new WrongAnswer(`An answer is ${this.#awaited} bytes shorter than it should be.`);
    this.#finish(expected);
    return true;
  }

  #take(part: Buffer, expected: Expectation): void {
    this.#comparePrefix(part, expected);
    this.#kept?.push(Buffer.from(part));
    this.#awaited -= part.length;
    if (this.#awaited < 0) throw new WrongAnswer("More bytes came than an answer should have.");
  }

  /** Returns the part of the body that came along; undefined while the head is not whole. */
  #readHead(chunk: Buffer, expected: Expectation): Buffer | undefined {
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = Buffer.from(bytes);
      return undefined;
    }
    this.#head = undefined;
    const body = bytes.subarray(end + HEAD_END.length);
    const status = readStatus(bytes);
    let length = status === NOT_MODIFIED ? 0 : this.#lengthLine.readAgain(bytes, end);
    this.#chunks = undefined;
    if (length === undefined) {
      const head = bytes.toString("latin1", 0, end + 2);
      if (CHUNKED.test(head)) this.#chunks = new ChunkedBody();
      length = this.#chunks === undefined ? this.#lengthLine.find(head) : expected.bodyLength;
    }
    if (status !== expected.status || length !== expected.bodyLength) {
      const { status: wanted, bodyLength } = expected;
      const seen = `${status} with ${length} bytes instead of ${wanted} with ${bodyLength}`;
      throw new WrongAnswer(`An answer was ${seen}: ${body.toString("utf8", 0, 400)}`);
    }
    this.#awaited = length;
    if (expected.tally.answers++ % expected.wholeOneIn === 0) this.#kept = [];
    return body;
  }

  #comparePrefix(body: Buffer, { prefix, bodyLength }: Expectation): void {
    const from = bodyLength - this.#awaited;
    const length = Math.min(prefix.length - from, body.length);
    if (length <= 0 || prefix.compare(body, 0, length, from, from + length) === 0) return;
    throw new WrongAnswer(`An answer has other bytes than it should: ${body.toString("utf8", 0, 400)}`);
  }

  #finish(expected: Expectation): void {
    this.#awaited = -1;
    this.#expected = undefined;
    if (this.#kept === undefined) return;
    const fault = expected.findFault(Buffer.concat(this.#kept).toString());
    this.#kept = undefined;
    if (fault !== undefined) throw new WrongAnswer(fault);
  }
}

/**
 * How long a body is. The answers of one connection say it in the same words at the same place, but for few; there it is enough to see that
 * they do, and nothing is searched or made into text.
 */
class LengthLine {
  #line = Buffer.alloc(0);
  #at = 0;
  #length = 0;

  /** Undefined where the line of the answer before does not stand where it stood. `end` is where the head's lines end. */
  readAgain(bytes: Buffer, end: number): number | undefined {
    const { length } = this.#line;
    if (length === 0 || this.#at + length > end + 2) return undefined;
    for (let index = 0; index < length; index++) {
      if (bytes[this.#at + index] !== this.#line[index]) return undefined;
    }
    return this.#length;
  }

  /** -1 where there is none. */
  find(head: string): number {
    const found = CONTENT_LENGTH.exec(head);
    if (found === null) return -1;
    this.#line = Buffer.from(found[0], "latin1");
    this.#at = found.index;
    this.#length = Number(found[1]);
    return this.#length;
  }
}

/** Not a number where there is none. */
function readStatus(bytes: Buffer): number {
  const digit = (index: number) => (bytes[STATUS_AT + index] ?? Number.NaN) - ZERO;
  return digit(0) * 100 + digit(1) * 10 + digit(2);
}
