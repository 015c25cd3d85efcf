/**
 * Records requests by keys. On the way of a request they are only gathered in memory, in an open block for each organization that was heard
 * of lately; about once a second blocks are written, up to every three seconds where there are hundreds of them, or sooner where much
 * waits. A block is written whole, also when only its last requests are new, until it has grown enough to be worth a row.
 *
 * What always holds: recording neither fails nor waits. Where there is no room for more, requests are not recorded but counted as
 * dropped. So are a key's refusals with 429 beyond as many a minute as the largest tier admits requests, because nothing else bounds
 * those. How much each key is used is counted in any case. When the log cannot be written, what fits waits, and is written as soon as
 * it can be; a stop writes what is left; `kill -9` loses what was not written. All requests of a block began within `BLOCK_SPAN_MAX_MS`.
 */
import { MINUTE_MS, TIERS } from "@lineup/api/tiers";
import type { Store } from "../store/store.ts";
import { type ErasedTexts, redactRequests } from "./erased-requests.ts";
import { KeyUsage } from "./key-usage.ts";
import { toStored } from "./logged-texts.ts";
import { RepeatedWork } from "./repeated-work.ts";
import { type BlockRow, type BlockStore, toBlockRow, writeBlocks } from "./request-block.ts";
import { firstIdAt, type RequestRecord, type StoredRequest, timeOfId } from "./request-record.ts";

const HELD_MAX_BYTES = 24 * 1024 * 1024;
/** About what a request takes in memory beside its longer texts. */
const REQUEST_BYTES = 250;
const BLOCK_MAX_REQUESTS = 500;
const BLOCK_MAX_BYTES = 256 * 1024;
/** A block that was written with so many requests is not added to any more. */
const GROWN_REQUESTS = 64;
/** For how long a block is added to, and how much earlier than its first request others in it may have begun. */
const BLOCK_OPEN_MS = 5 * 60_000;
const BEGUN_EARLIER_MS = 2 * 60_000;
/** How far the ids of a block may lie apart. */
export const BLOCK_SPAN_MAX_MS = BLOCK_OPEN_MS + BEGUN_EARLIER_MS;
const OPEN_BLOCKS_MAX = 1_000;
const BLOCKS_A_WRITE = 32;
const REQUESTS_A_WRITE = 1_000;
/** A block is written whole each time, so where hundreds of organizations have one open, they are written less often. */
const BLOCKS_PAUSE_MS = 800;
const BLOCKS_PAUSE_MS_A_BLOCK = 3;
const BLOCKS_PAUSE_MAX_MS = 2_800;
/** The store's writer is shared with requests, so many rows are written less often: to write one takes some 6 µs. */
const USE_PAUSE_MS = 900;
const USE_PAUSE_MS_A_ROW = 4;
const USE_PAUSE_MAX_MS = 15_000;
const REFUSALS_A_MINUTE = TIERS.Enterprise.perMinute;

interface Block {
  readonly orgId: string;
  readonly openedAt: number;
  /** It takes ids from here on, and up to but not including there. */
  readonly least: string;
  readonly below: string;
  readonly requests: StoredRequest[];
  bytes: number;
  /** How many of its requests are in the store. */
  written: number;
}

export interface RecorderOptions {
  readonly store: Store;
  /** Undefined where no requests are kept, but only how many there were. */
  readonly blocks: BlockStore | undefined;
  now(): number;
  /** `what` names what cannot be written, in words for the log; it is tried again. */
  onFault(what: string, error: unknown): void;
  onRecovery(what: string): void;
}

export class RequestRecorder {
  /** Requests that are in the log. */
  recorded = 0;
  /** Requests that are not in the log and will not be. */
  dropped = 0;
  readonly #now: () => number;
  readonly #usage: KeyUsage;
  readonly #usageWork: RepeatedWork;
  readonly #blocks: BlockStore | undefined;
  readonly #blockWork: RepeatedWork;
  /** By organization, the one that was opened first in front. */
  readonly #open = new Map<string, Block>();
  /** Nothing is added to these any more, and not all of them is in the store. */
  readonly #full = new Set<Block>();
  #heldBytes = 0;
  #blocksWritten = 0;
  #isWritingEarly = false;
  #refusals = new Map<string, number>();
  #refusalMinute = 0;

  constructor({ store, blocks, now, onFault, onRecovery }: RecorderOptions) {
    this.#now = now;
    this.#usage = new KeyUsage(store);
    this.#blocks = blocks;
    this.#usageWork = new RepeatedWork({
      work: () => this.#usage.write(),
      pauseMs: () => pauseFor(this.#usage.rowsWritten, USE_PAUSE_MS, USE_PAUSE_MS_A_ROW, USE_PAUSE_MAX_MS),
      onFault: (error) => onFault("how much keys are used", error),
      onRecovery: () => onRecovery("how much keys are used"),
    });
    this.#blockWork = new RepeatedWork({
      work: () => this.#writeAll(),
      pauseMs: () => pauseFor(this.#blocksWritten, BLOCKS_PAUSE_MS, BLOCKS_PAUSE_MS_A_BLOCK, BLOCKS_PAUSE_MAX_MS),
      onFault: (error) => onFault("the request log", error),
      onRecovery: () => onRecovery("the request log"),
    });
  }

  /** How often something could not be written. */
  get faults(): number {
    return this.#usageWork.faults + this.#blockWork.faults;
  }

  record(record: RequestRecord): void {
    try {
      const now = this.#now();
      this.#usage.count(record, now);
      if (this.#blocks === undefined) return;
      const isRefused = record.status === 429 && !this.#mayRecordRefusal(record.keyId, now);
      if (isRefused || this.#heldBytes >= HELD_MAX_BYTES) {
        this.dropped++;
        return;
      }
      this.#add(record.orgId, toStored(record), now);
      if (this.#isHalfFull) this.#writeEarly();
    } catch {
      this.dropped++;
    }
  }

  /** What is held in memory is written again, as a whole; so what is erased must not be in it either. */
  redact(orgId: string, texts: ErasedTexts): void {
    for (const block of [...this.#full, ...this.#open.values()]) {
      if (block.orgId !== orgId) continue;
      const redacted = redactRequests(block.requests, texts);
      if (redacted !== undefined) block.requests.splice(0, redacted.length, ...redacted);
    }
  }

  /** Writes what was recorded so far. */
  writeRequests(): Promise<void> {
    return this.#blockWork.run();
  }

  /** And how much keys were used. */
  async flush(): Promise<void> {
    await Promise.all([this.#blockWork.run(), this.#usageWork.run()]);
  }

  /** Returns what could not be written, in words for the log. */
  async close(): Promise<string[]> {
    await Promise.all([this.#blockWork.stop(), this.#usageWork.stop()]);
    await this.flush();
    let requests = 0;
    for (const block of this.#unwritten()) requests += block.requests.length - block.written;
    this.dropped += requests;
    const left = requests > 0 ? [`${requests} requests of the request log`] : [];
    return this.#usage.isEmpty ? left : [...left, "how much keys were used lately"];
  }

  get #isHalfFull(): boolean {
    return this.#heldBytes >= HELD_MAX_BYTES / 2;
  }

  #add(orgId: string, request: StoredRequest, now: number): void {
    const open = this.#open.get(orgId);
    const isTaken = open !== undefined && request.id >= open.least && request.id < open.below;
    const block = isTaken ? open : this.#openBlock(orgId, request.id, now);
    const bytes = REQUEST_BYTES + request.target.length + (request.userAgent?.length ?? 0);
    block.requests.push(request);
    block.bytes += bytes;
    this.#heldBytes += bytes;
    if (block.requests.length >= BLOCK_MAX_REQUESTS || block.bytes >= BLOCK_MAX_BYTES) this.#close(block);
  }

  #openBlock(orgId: string, id: string, now: number): Block {
    const [oldest] = this.#open.size >= OPEN_BLOCKS_MAX ? this.#open.values() : [];
    const replaced = this.#open.get(orgId) ?? oldest;
    if (replaced !== undefined) this.#close(replaced);
    const at = timeOfId(id);
    const [least, below] = [firstIdAt(at - BEGUN_EARLIER_MS), firstIdAt(at + BLOCK_OPEN_MS)];
    const block: Block = { orgId, openedAt: now, least, below, requests: [], bytes: 0, written: 0 };
    this.#open.set(orgId, block);
    return block;
  }

  #close(block: Block): void {
    this.#open.delete(block.orgId);
    if (block.written < block.requests.length) this.#full.add(block);
    else this.#heldBytes -= block.bytes;
  }

  *#unwritten(): Generator<Block> {
    yield* this.#full;
    for (const block of this.#open.values()) if (block.written < block.requests.length) yield block;
  }

  /** What cannot be written is not tried again with every request. */
  #writeEarly(): void {
    if (this.#isWritingEarly || this.#blockWork.isFaulty) return;
    this.#isWritingEarly = true;
    void this.#blockWork.run().finally(() => {
      this.#isWritingEarly = false;
    });
  }

  async #writeAll(): Promise<void> {
    const now = this.#now();
    for (const block of this.#open.values()) {
      // Where memory is short, what is written need not be held to be added to.
      if (this.#isHalfFull || Math.abs(now - block.openedAt) > BLOCK_OPEN_MS) this.#close(block);
    }
    const waiting = [...this.#unwritten()];
    this.#blocksWritten = waiting.length;
    await this.#write(waiting);
  }

  /** In pieces, between which other work is done. */
  async #write(blocks: readonly Block[]): Promise<void> {
    let piece: [Block, BlockRow][] = [];
    let requests = 0;
    for (const [index, block] of blocks.entries()) {
      const row = await toBlockRow(block.orgId, block.requests);
      piece.push([block, row]);
      requests += row.requests;
      const isLast = index === blocks.length - 1;
      if (!isLast && piece.length < BLOCKS_A_WRITE && requests < REQUESTS_A_WRITE) continue;
      const rows = piece.map(([, each]) => each);
      if (this.#blocks !== undefined) await writeBlocks(this.#blocks, rows);
      for (const [written, each] of piece) this.#noteWritten(written, each.requests);
      piece = [];
      requests = 0;
    }
  }

  #noteWritten(block: Block, count: number): void {
    this.recorded += count - block.written;
    block.written = count;
    if (this.#full.has(block)) {
      if (count < block.requests.length) return;
      this.#full.delete(block);
      this.#heldBytes -= block.bytes;
    } else if (count >= GROWN_REQUESTS) this.#close(block);
  }

  #mayRecordRefusal(keyId: string, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#refusalMinute) {
      this.#refusalMinute = minute;
      this.#refusals = new Map();
    }
    const refusals = (this.#refusals.get(keyId) ?? 0) + 1;
    this.#refusals.set(keyId, refusals);
    return refusals <= REFUSALS_A_MINUTE;
  }
}

function pauseFor(written: number, least: number, forEach: number, most: number): number {
  return Math.min(Math.max(least, written * forEach), most);
}
