/** The change feed: what has changed, in the order of commits, none skipped and none twice. */
import { CursorExpiredError, LineupError } from "./lineup-error.ts";
import type { Change, ListChangesQuery } from "./record-types.ts";
import { type CallOptions, pause, type Transport } from "./transport.ts";

export interface ChangePage {
  readonly changes: Change[];
  /** Where to go on. Keep it with what you have made of the changes: who goes on from it misses none. */
  readonly cursor: string;
}

export interface FollowOptions extends CallOptions {
  /** A cursor that was kept, or that of `latest()`. When left out it begins with the first page that comes, which is later than now where the server is away. */
  readonly from?: string | undefined;
  /** Between two looks while nothing happens. When left out, following takes a quarter of the key's requests of a day, and looks every 5 s at most. */
  readonly pauseMs?: number | undefined;
}

interface ReadPage extends ChangePage {
  readonly dayLimit: number | undefined;
}

const PAGE = 500;
const DAY_MS = 86_400_000;
const PAUSE_LEAST_MS = 5_000;
const PAUSE_UNKNOWN_MS = 60_000;

export class ChangeFeed {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The cursor of now. Ask for it before you read the lists: what changes meanwhile is then told. It remembers `type`. */
  async latest(query: Pick<ListChangesQuery, "type"> = {}, options: CallOptions = {}): Promise<string> {
    return (await this.page({ ...query, limit: PAGE }, options)).cursor;
  }

  /** One page. With fewer changes than `limit` (100 when left out) it is the last for now. */
  async page(query: ListChangesQuery = {}, options: CallOptions = {}): Promise<ChangePage> {
    const { changes, cursor } = await this.#read(query, options);
    return { changes, cursor };
  }

  /**
   * Yields changes as they happen, without end: the first page at once, though it may be empty, then every one with which the cursor moves. A server that is away, or a
   * full minute, is waited for as long as it lasts (`onRetry` of the client hears of it); a key that is revoked, a full day and an expired cursor end it.
   */
  async *follow({ from, pauseMs, ...options }: FollowOptions = {}): AsyncGenerator<ChangePage, never, undefined> {
    let cursor = from;
    for (let isFirst = true; ; ) {
      const page = await this.#read({ cursor, limit: PAGE }, options).catch(passOver);
      if (page !== undefined) {
        const { changes, cursor: next } = page;
        if (isFirst || next !== cursor) yield { changes, cursor: next };
        cursor = next;
        isFirst = false;
      }
      if (page?.changes.length !== PAGE) await pause(pauseMs ?? pauseFor(page?.dayLimit), options.signal);
    }
  }

  async #read(query: ListChangesQuery, options: CallOptions): Promise<ReadPage> {
    const answer = await this.#transport.send({ method: "GET", path: "/changes", query }, options).catch((error) => {
      throw isOfCursor(error) && !error.message.includes("other types")
        ? new CursorExpiredError(error.code, error.message, error)
        : error;
    });
    // Of the feed a cursor is always there.
    return { changes: answer.data as Change[], cursor: answer.nextCursor as string, dayLimit: answer.dayLimit };
  }
}

function pauseFor(dayLimit: number | undefined): number {
  return dayLimit === undefined ? PAUSE_UNKNOWN_MS : Math.max(PAUSE_LEAST_MS, (4 * DAY_MS) / dayLimit);
}

function passOver(error: unknown): undefined {
  if (!(error instanceof LineupError && error.mayRetry)) throw error;
}

function isOfCursor(error: unknown): error is LineupError {
  return error instanceof LineupError && error.details.some(({ field }) => field === "cursor");
}
