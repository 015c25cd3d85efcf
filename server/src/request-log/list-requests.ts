/**
 * Reads the log, newest first. Blocks may overlap in time, because requests end in another order than they began and several
 * servers write at once; so a request is given out only when no block that is still to come can hold a younger one.
 *
 * What always holds: a page looks at a bounded number of blocks and requests, and for a bounded time, whatever it is asked to find.
 * What it has found by then it returns, with where to go on; so a page may be short, or empty, and still not be the last. A walk
 * returns each request once that was in the log when it began.
 */
import { setImmediate as otherWork } from "node:timers/promises";
import type { OrgStore } from "../store/org-store.ts";
import { type BlockStore, makeSearch, type RequestFilters, type RequestSearch, readBlock } from "./request-block.ts";
import { firstIdAt, justAbove, type LoggedRequest, PAST_ALL_IDS, timeOfId } from "./request-record.ts";
import { BLOCK_SPAN_MAX_MS } from "./request-recorder.ts";

export const REQUESTS_LOOKED_AT_MAX = 60_000;
export const BLOCKS_LOOKED_AT_MAX = 20_000;
const LOOKING_MAX_MS = 60;
/** The youngest blocks are often enough; those who look further back look at more and more at once. */
const FIRST_BLOCKS_AT_ONCE = 2;
const BLOCKS_AT_ONCE_MAX = 512;
/** To read so many takes a few milliseconds; then others have their turn. */
const BLOCKS_READ_AT_ONCE = 8;

export interface PageWanted {
  /** Where the page before has stopped. */
  readonly below?: string | undefined;
  readonly limit: number;
  /** For tests on a machine of which nobody knows how busy it is. */
  readonly lookingMs?: number;
}

export interface RequestPage {
  readonly requests: readonly LoggedRequest[];
  /** Where to go on; undefined when there are no older ones. */
  readonly nextBelow: string | undefined;
  /** How much was looked at. */
  readonly looked: { readonly blocks: number; readonly requests: number };
}

export async function listRequests(
  blocks: BlockStore,
  orgId: string,
  filters: RequestFilters,
  { below, limit, lookingMs = LOOKING_MAX_MS }: PageWanted,
): Promise<RequestPage> {
  const search = makeSearch(filters, below);
  if (search.least >= search.below) return { requests: [], nextBelow: undefined, looked: { blocks: 0, requests: 0 } };
  return blocks.readAtOnce(orgId, (org) => new PageReading(org, search, limit, lookingMs).read());
}

/** One look-up, however large the log is. */
export async function findRequest(blocks: BlockStore, orgId: string, id: string): Promise<LoggedRequest | undefined> {
  const page = await listRequests(blocks, orgId, { id }, { limit: 1, lookingMs: Number.POSITIVE_INFINITY });
  return page.requests[0];
}

interface Head {
  readonly id: string;
  readonly last_id: string;
  readonly requests: number;
  readonly terms: string;
}

class PageReading {
  readonly #org: OrgStore;
  readonly #search: RequestSearch;
  readonly #limit: number;
  readonly #until: number;
  readonly #found: LoggedRequest[] = [];
  /** Those that a block to come may hold a younger one than. Youngest first. */
  #pending: LoggedRequest[] = [];
  readonly #looked = { blocks: 0, requests: 0 };

  constructor(org: OrgStore, search: RequestSearch, limit: number, lookingMs: number) {
    this.#org = org;
    this.#search = search;
    this.#limit = limit;
    this.#until = performance.now() + lookingMs;
  }

  async read(): Promise<RequestPage> {
    const { below } = this.#search;
    let beyond = below === PAST_ALL_IDS ? below : firstIdAt(timeOfId(below) + BLOCK_SPAN_MAX_MS);
    for (let atOnce = FIRST_BLOCKS_AT_ONCE; ; atOnce = Math.min(atOnce * 4, BLOCKS_AT_ONCE_MAX)) {
      // The embedded store answers at once, so that nobody else would have a turn.
      await otherWork();
      const heads = await this.#readHeads(beyond, atOnce);
      const oldest = heads.at(-1)?.last_id;
      this.#looked.blocks += heads.length;
      const mayMatch = heads.filter(({ terms }) => this.#search.mayBeIn(terms));
      for (let from = 0; from < mayMatch.length; from += BLOCKS_READ_AT_ONCE) {
        await this.#lookInto(mayMatch.slice(from, from + BLOCKS_READ_AT_ONCE));
        const isAllRead = heads.length < atOnce && from + BLOCKS_READ_AT_ONCE >= mayMatch.length;
        // Nothing is left to look into: all that was found is given out, however long it took.
        if (isAllRead && this.#found.length < this.#limit) break;
        const next = mayMatch[from + BLOCKS_READ_AT_ONCE]?.last_id ?? oldest ?? "";
        if (this.#isDone(next)) return this.#stopAt(next);
      }
      if (oldest === undefined || heads.length < atOnce) break;
      if (this.#isDone(oldest)) return this.#stopAt(oldest);
      beyond = oldest;
    }
    this.#giveOutAbove("");
    const nextBelow = this.#pending.length > 0 ? this.#found.at(-1)?.id : undefined;
    return { requests: this.#found, nextBelow, looked: this.#looked };
  }

  async #lookInto(heads: readonly Head[]): Promise<void> {
    await otherWork();
    const blocks = await this.#readBlocks(heads);
    for (const head of heads) {
      this.#giveOutAbove(head.last_id);
      if (this.#found.length === this.#limit) return;
      this.#looked.requests += head.requests;
      const block = blocks.get(head.id);
      const requests = block === undefined ? [] : readBlock(block);
      const matches = requests.filter(this.#search.isMatch).map((one) => ({ ...one, at: timeOfId(one.id) }));
      if (matches.length > 0) this.#pending = [...this.#pending, ...matches].sort((a, b) => (a.id < b.id ? 1 : -1));
    }
  }

  /** `next` is the greatest id that can be in a block to come. */
  #isDone(next: string): boolean {
    this.#giveOutAbove(next);
    if (this.#found.length === this.#limit) return true;
    // However long it takes: a page that ended where it began would be asked for again and again.
    if (justAbove(next) >= this.#search.below) return false;
    const { blocks, requests } = this.#looked;
    return requests >= REQUESTS_LOOKED_AT_MAX || blocks >= BLOCKS_LOOKED_AT_MAX || performance.now() > this.#until;
  }

  #stopAt(next: string): RequestPage {
    const isFull = this.#found.length === this.#limit;
    const nextBelow = isFull ? this.#found.at(-1)?.id : justAbove(next);
    return { requests: this.#found, nextBelow, looked: this.#looked };
  }

  #giveOutAbove(id: string): void {
    let count = 0;
    const room = this.#limit - this.#found.length;
    while (count < room && count < this.#pending.length && (this.#pending[count]?.id ?? "") > id) count++;
    this.#found.push(...this.#pending.splice(0, count));
  }

  #readHeads(beyond: string, atOnce: number): Promise<Head[]> {
    return this.#org
      .selectFrom("request_blocks")
      .select(["id", "last_id", "requests", "terms"])
      .where("last_id", ">=", this.#search.least)
      .where("last_id", "<", beyond)
      .where("first_id", "<", this.#search.below)
      .orderBy("last_id", "desc")
      .limit(atOnce)
      .execute();
  }

  async #readBlocks(heads: readonly Head[]) {
    const ids = heads.map(({ id }) => id);
    const query = this.#org.selectFrom("request_blocks").select(["id", "records", "body"]).where("id", "in", ids);
    return new Map((await query.execute()).map((block) => [block.id, block]));
  }
}
