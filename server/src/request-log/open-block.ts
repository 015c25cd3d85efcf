/**
 * A block that is being filled: requests of one organization, in the order in which they ended. Texts stand in it once and are
 * named by their place, ids are bytes behind one another, and a request is a row of numbers, of which only those are kept that differ from one
 * request to another; so adding one costs a few look-ups, leaves nothing behind for the garbage collector, and the whole becomes JSON
 * in one go, of some 40 to 90 bytes a request.
 *
 * What always holds: all requests of a block began within `BLOCK_SPAN_MAX_MS`. So whoever looks for an id knows how much later
 * than it a block can end that still holds it.
 */
import { putAscii } from "../ascii.ts";
import { freeBytes } from "../own-bytes.ts";
import type { RequestBlocksTable } from "../store/people-schema.ts";
import { keptAddress, keptMethod, keptTarget, keptUserAgent, mayHoldKey } from "./kept-texts.ts";
import { codeMark, keyMark, methodMark, statusMark } from "./marks.ts";
import type { RequestRecord } from "./request-record.ts";

const REQUESTS_MAX = 500;
const BYTES_MAX = 128 * 1024;
/** For how long a block is added to. */
export const BLOCK_OPEN_MS = 5 * 60_000;
/** A request that lasted longer than this is alone in its block. */
export const LONG_REQUEST_MS = 60_000;
export const BLOCK_SPAN_MAX_MS = BLOCK_OPEN_MS + LONG_REQUEST_MS + 60_000;
/** In bytes, the numbers and the id of a request. */
const PLAIN_BYTES = 70;
const TARGET_REMEMBERED_MAX = 1_000;
const FILLED_SLOWLY_MAX = 64;
const IDS_AT_FIRST = 8;

export type BlockRow = Readonly<RequestBlocksTable>;

/** Where the text that was met last stands. It is what the next request is likely to have as well. */
interface Met {
  text: string | null | undefined;
  place: number;
}

/** One number of each request; most are the same for all of them. */
class Column {
  only = 0;
  all: number[] | undefined;

  add(index: number, value: number): void {
    if (this.all !== undefined) this.all.push(value);
    else if (index === 0) this.only = value;
    else if (value !== this.only) {
      this.all = new Array<number>(index).fill(this.only);
      this.all.push(value);
    }
  }
}

export class OpenBlock {
  readonly orgId: string;
  readonly openedAt: number;
  /** Nothing is added any more. */
  isClosed = false;
  /** How many of its requests are in the store. */
  written = 0;
  /** About as many bytes as the others take. */
  unwrittenBytes = 0;
  readonly #id: string;
  #firstId: string;
  #lastId: string;
  #bytes = 0;
  #keyMarks = 0;
  #kindMarks = 0;
  #lastStatus = 0;
  #ids: Buffer;
  #count = 0;
  /** By their place. The first stands for what is not there. */
  readonly #words: (string | null)[] = [null];
  readonly #places = new Map<string, number>();
  /** As they were sent, to the place of what is kept of them. */
  readonly #targets = new Map<string, number>();
  readonly #target: Met = { text: undefined, place: 0 };
  readonly #method: Met = { text: undefined, place: 0 };
  readonly #endpoint: Met = { text: undefined, place: 0 };
  readonly #code: Met = { text: null, place: 0 };
  readonly #address: Met = { text: null, place: 0 };
  readonly #agent: Met = { text: null, place: 0 };
  /** `block-body.ts` reads them in the same order. */
  readonly #facts = {
    key: new Column(),
    method: new Column(),
    target: new Column(),
    endpoint: new Column(),
    status: new Column(),
    code: new Column(),
    durationUs: new Column(),
    address: new Column(),
    agent: new Column(),
  };

  constructor(orgId: string, firstId: string, openedAt: number) {
    this.orgId = orgId;
    this.openedAt = openedAt;
    this.#id = firstId;
    this.#firstId = firstId;
    this.#lastId = firstId;
    this.#ids = Buffer.allocUnsafeSlow(IDS_AT_FIRST * firstId.length);
  }

  get requests(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= REQUESTS_MAX || this.#bytes >= BYTES_MAX;
  }

  /**
   * Returns its place, for whoever remembers keys and so need not have it looked up with every request. They are forgotten now and then,
   * which a block that fills slowly sees often; one that fills at once may have a key twice, for less than it would take to look.
   */
  addKey(keyId: string): number {
    this.#keyMarks |= keyMark(keyId);
    return this.#count < FILLED_SLOWLY_MAX ? this.#placeOf(keyId) : this.#addWord(keyId);
  }

  /** Returns about how many bytes it takes. */
  add(record: RequestRecord, keyPlace: number): number {
    const before = this.#bytes;
    const { id, method, target, endpoint, status, code, address, userAgent } = record;
    if (id > this.#lastId) this.#lastId = id;
    else if (id < this.#firstId) this.#firstId = id;
    if (target !== this.#target.text) this.#meetTarget(target);
    if (method !== this.#method.text) this.#meetMethod(method);
    if (endpoint !== this.#endpoint.text) meet(this.#endpoint, endpoint, this.#placeOf(endpoint));
    if (code !== this.#code.text) this.#meetCode(code);
    if (status !== this.#lastStatus) this.#meetStatus(status);
    if (address !== this.#address.text) meet(this.#address, address, this.#placeOf(keptAddress(address)));
    if (userAgent !== this.#agent.text) this.#meetAgent(userAgent);
    const index = this.#count++;
    this.#addId(id, index);
    const facts = this.#facts;
    facts.key.add(index, keyPlace);
    facts.method.add(index, this.#method.place);
    facts.target.add(index, this.#target.place);
    facts.endpoint.add(index, this.#endpoint.place);
    facts.status.add(index, status);
    facts.code.add(index, this.#code.place);
    facts.durationUs.add(index, record.durationUs);
    facts.address.add(index, this.#address.place);
    facts.agent.add(index, this.#agent.place);
    this.#bytes += PLAIN_BYTES;
    const bytes = this.#bytes - before;
    this.unwrittenBytes += bytes;
    return bytes;
  }

  toRow(): BlockRow {
    if (this.#words.length === 0) throw new Error("This block was given up; written again, it would be empty.");
    return {
      org_id: this.orgId,
      id: this.#id,
      first_id: this.#firstId,
      last_id: this.#lastId,
      requests: this.#count,
      key_marks: this.#keyMarks,
      kind_marks: this.#kindMarks,
      body: JSON.stringify({
        ids: this.#ids.toString("latin1", 0, this.#count * this.#id.length),
        words: this.#words,
        facts: Object.values(this.#facts).map(({ all, only }) => all ?? only),
      }),
    };
  }

  /** All of it is in the store, and nothing is added. Keys that it was filled with may know of it for longer than it is worth its memory. */
  release(): void {
    freeBytes(this.#ids);
    this.#words.length = 0;
    this.#places.clear();
    this.#targets.clear();
    for (const column of Object.values(this.#facts)) column.all = undefined;
  }

  /** All ids are of one length, and nothing is added to a block that is full. */
  #addId(id: string, index: number): void {
    const at = index * id.length;
    if (at + id.length > this.#ids.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(2 * this.#ids.length, REQUESTS_MAX * id.length));
      this.#ids.copy(larger);
      freeBytes(this.#ids);
      this.#ids = larger;
    }
    putAscii(this.#ids, id, at);
  }

  #meetMethod(method: string): void {
    const kept = keptMethod(method);
    this.#kindMarks |= methodMark(kept);
    meet(this.#method, method, this.#placeOf(kept));
  }

  #meetCode(code: string | null): void {
    if (code !== null) this.#kindMarks |= codeMark(code);
    meet(this.#code, code, this.#placeOf(code));
  }

  #meetStatus(status: number): void {
    this.#kindMarks |= statusMark(status);
    this.#lastStatus = status;
  }

  #meetAgent(userAgent: string | null): void {
    const kept = userAgent === null ? null : keptUserAgent(userAgent);
    // A text that is not kept as it was sent may hold a key, and is not remembered.
    meet(this.#agent, kept === userAgent ? kept : undefined, this.#placeOf(kept));
  }

  #meetTarget(target: string): void {
    const known = this.#targets.get(target);
    if (known !== undefined) {
      meet(this.#target, target, known);
      return;
    }
    const kept = keptTarget(target);
    const place = this.#placeOf(kept);
    const isRemembered = target.length <= TARGET_REMEMBERED_MAX && !mayHoldKey(kept);
    meet(this.#target, isRemembered ? target : undefined, place);
    if (!isRemembered) return;
    this.#targets.set(target, place);
    this.#bytes += target.length;
  }

  #placeOf(kept: string | null): number {
    if (kept === null) return 0;
    const known = this.#places.get(kept);
    if (known !== undefined) return known;
    const place = this.#addWord(kept);
    this.#places.set(kept, place);
    return place;
  }

  #addWord(word: string): number {
    this.#bytes += word.length;
    return this.#words.push(word) - 1;
  }
}

function meet(met: Met, text: string | null | undefined, place: number): void {
  met.text = text;
  met.place = place;
}
