/**
 * A large list on its way: its bytes as they are read, for everybody who waits for them. It is read at full speed, so that
 * the state of the store that it is read from is soon let go of, whoever takes the bytes how slowly; until then they stay here. So it is
 * the list that has a place among the large answers, and not one of those who wait for it: it is given back when nobody
 * reads the list or waits for it any more.
 *
 * Whoever follows it sees all of it from the beginning, and then either that it is whole or the fault that ended it. When the last
 * of them has gone before that, whoever reads it is told to stop.
 */
import { Encodings, GzipParts } from "./encoded-answer.ts";
import { TagMaker, tellTag } from "./entity-tag.ts";
import { ClientGone } from "./json-body.ts";
import type { GiveBack } from "./large-answers.ts";

export interface WholeList {
  readonly json: readonly Buffer[];
  readonly count: number;
  readonly tag: string;
}

export class ComingList {
  /** Told before anything is known of the content. Once that is known, both tags are known to mean the same. */
  readonly tag: string;
  /** For those who have it sent when it is whole: what was made of it for those who take it compressed. */
  readonly encodings = new Encodings(() => undefined);
  readonly #opening: Buffer;
  readonly #giveBack: GiveBack;
  readonly #parts: Buffer[] = [];
  readonly #tagMaker = new TagMaker();
  readonly #whole = Promise.withResolvers<WholeList>();
  #more = Promise.withResolvers<void>();
  #gzip: GzipParts | undefined;
  #count = 0;
  #followers = 0;
  #isAbandoned = false;
  #isOver = false;

  /** `opening` is what stands before it, for everybody. */
  constructor(promisedTag: string, opening: Buffer, giveBack: GiveBack) {
    this.tag = promisedTag;
    this.#opening = opening;
    this.#giveBack = giveBack;
    // Whoever follows it hears of a fault; where nobody does, it is nobody's.
    this.#whole.promise.catch(() => undefined);
  }

  get whole(): Promise<WholeList> {
    return this.#whole.promise;
  }

  /** Nobody waits for it any more, and nobody is to begin to: its place may be another's. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** To be told, once, when this one no longer waits. */
  follow(): () => void {
    this.#followers++;
    return () => {
      this.#followers--;
      if (this.#followers > 0) return;
      this.#isAbandoned = true;
      if (this.#isOver) this.#giveBack();
    };
  }

  add(part: Buffer, count: number): void {
    this.#parts.push(part);
    this.#tagMaker.add(part);
    this.#count += count;
    this.#tellMore();
  }

  finish(): WholeList {
    const whole = { json: this.#parts, count: this.#count, tag: this.#tagMaker.finish() };
    tellTag(this.tag, whole.tag);
    this.#whole.resolve(whole);
    this.#end();
    return whole;
  }

  fail(fault: unknown): void {
    this.#whole.reject(this.#isAbandoned ? new ClientGone() : fault);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#tellMore();
    if (this.#isAbandoned) this.#giveBack();
  }

  /** There is something to send; or the fault that there is nothing. */
  async begun(): Promise<void> {
    if (this.#parts.length === 0) await Promise.race([this.#more.promise, this.#whole.promise]);
    if (this.#parts.length === 0) await this.#whole.promise;
  }

  /** What stands before it, each part as soon as it is there, and what stands behind it. */
  async *read(endOf: (count: number) => Buffer): AsyncGenerator<Buffer> {
    yield this.#opening;
    yield* this.#readParts((part) => part);
    const { count } = await this.#whole.promise;
    yield endOf(count);
  }

  /** The same in gzip. What is compressed for one is there for all: only what stands behind it is each client's own. */
  async *readGzip(endOf: (count: number) => Buffer): AsyncGenerator<Buffer> {
    this.#gzip ??= new GzipParts(this.#opening);
    const gzip = this.#gzip;
    yield gzip.begin();
    yield* this.#readParts((part, index) => gzip.partAt(index, part));
    const { count } = await this.#whole.promise;
    yield gzip.end(endOf(count));
  }

  async *#readParts(sentAs: (part: Buffer, index: number) => Buffer | Promise<Buffer>): AsyncGenerator<Buffer> {
    for (let index = 0; ; index++) {
      while (index >= this.#parts.length && !this.#isOver) await this.#more.promise;
      const part = this.#parts[index];
      if (part === undefined) return;
      yield await sentAs(part, index);
    }
  }

  #tellMore(): void {
    const told = this.#more;
    this.#more = Promise.withResolvers<void>();
    told.resolve();
  }
}
