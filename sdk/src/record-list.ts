import type { Answer } from "./read-answer.ts";

export interface Page<T> {
  readonly data: T[];
  /** Where the next page begins, to give as `cursor`; null on the last one. */
  readonly nextCursor: string | null;
  readonly requestId: string;
}

type ReadPage = (cursor: string | undefined) => Promise<Answer>;

/** A list that is read when it is walked. Without a `limit` it is one request, however long it is; with one, a request a page. */
export class RecordList<T> implements AsyncIterable<T> {
  readonly #read: ReadPage;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.page(cursor);
      yield page;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }

  /** The first page, or the one at the cursor. */
  async page(cursor?: string): Promise<Page<T>> {
    const { data, nextCursor, requestId } = await this.#read(cursor);
    return { data: data as T[], nextCursor, requestId };
  }

  async toArray(): Promise<T[]> {
    const records: T[] = [];
    for await (const { data } of this.pages()) for (const record of data) records.push(record);
    return records;
  }
}
