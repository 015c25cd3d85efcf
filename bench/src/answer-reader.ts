/**
 * Reads the answers of one keep-alive connection with one request under way at a time, and judges each of them: status,
 * length, and every byte up to the first that differs from answer to answer (a request id, a new record's id). It does as
 * little as that takes, so that the load never waits for its own reading. Whatever is not as expected throws.
 */

export interface Expectation {
  readonly status: number;
  readonly bodyLength: number;
  /** What every body begins with. */
  readonly prefix: Buffer;
  /** Looks into a whole body and returns what is wrong with it. Asked of some answers, not of all. */
  findFault(body: string): string | undefined;
}

export class WrongAnswer extends Error {}

const HEAD_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
/** "HTTP/1.1 200": where the status stands. */
const STATUS_AT = 9;
const WHOLE_ONE_IN = 64;

export class AnswerReader {
  readonly #expected: Expectation;
  /** What came of a head that is not whole yet. */
  #head: Buffer | undefined;
  /** Bytes of the body still to come; -1 while the head is. */
  #awaited = -1;
  #answers = 0;
  /** The parts of a body that will be looked at whole. */
  #kept: Buffer[] | undefined;

  constructor(expected: Expectation) {
    this.#expected = expected;
  }

  /** Takes what arrived, which is only lent; returns whether the answer is whole. */
  read(chunk: Buffer): boolean {
    const body = this.#awaited < 0 ? this.#readHead(chunk) : chunk;
    if (body === undefined) return false;
    this.#comparePrefix(body);
    this.#kept?.push(Buffer.from(body));
    this.#awaited -= body.length;
    if (this.#awaited < 0) throw new WrongAnswer("More bytes came than Content-Length says.");
    if (this.#awaited > 0) return false;
    this.#finish();
    return true;
  }

  /** Returns the part of the body that came along; undefined while the head is not whole. */
  #readHead(chunk: Buffer): Buffer | undefined {
    const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#head = Buffer.from(bytes);
      return undefined;
    }
    this.#head = undefined;
    const head = bytes.toString("latin1", 0, end + 2);
    const body = bytes.subarray(end + HEAD_END.length);
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? -1);
    if (status !== this.#expected.status || length !== this.#expected.bodyLength) {
      const { status: wanted, bodyLength } = this.#expected;
      const seen = `${status} with ${length} bytes instead of ${wanted} with ${bodyLength}`;
      throw new WrongAnswer(`An answer was ${seen}: ${body.toString("utf8", 0, 400)}`);
    }
    this.#awaited = length;
    if (this.#answers % WHOLE_ONE_IN === 0) this.#kept = [];
    return body;
  }

  #comparePrefix(body: Buffer): void {
    const { prefix, bodyLength } = this.#expected;
    const from = bodyLength - this.#awaited;
    const length = Math.min(prefix.length - from, body.length);
    if (length <= 0 || prefix.compare(body, 0, length, from, from + length) === 0) return;
    throw new WrongAnswer(`An answer has other bytes than it should: ${body.toString("utf8", 0, 400)}`);
  }

  #finish(): void {
    this.#answers++;
    this.#awaited = -1;
    if (this.#kept === undefined) return;
    const fault = this.#expected.findFault(Buffer.concat(this.#kept).toString());
    this.#kept = undefined;
    if (fault !== undefined) throw new WrongAnswer(fault);
  }
}
