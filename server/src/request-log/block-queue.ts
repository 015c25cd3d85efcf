/**
 * Requests on their way into the log: an open block for each organization that has just been heard of, and all blocks with
 * something in them that is not in the store.
 *
 * What always holds: what waits to be written is bounded; whoever asks first is told when there is no room. A block is written whole, also
 * when only its last requests are new, so it is closed once it has grown enough to be worth a row. What cannot be written
 * stays, and does not keep the rest from being written.
 */
import { type BlockStore, BlockWriter } from "./block-store.ts";
import { BLOCK_OPEN_MS, LONG_REQUEST_MS, OpenBlock } from "./open-block.ts";
import type { RequestRecord } from "./request-record.ts";
import type { KeyInUse } from "./use-counts.ts";

const WAITING_MAX_BYTES = 24 * 1024 * 1024;
/** A block that was written with so many requests is not added to any more. */
const GROWN_REQUESTS = 64;
const OPEN_BLOCKS_MAX = 1_000;
const BLOCKS_A_WRITE = 32;
/** To make JSON of so many and to hand it over takes some tenths of a millisecond, in which nobody is served. */
const REQUESTS_A_WRITE = 1_000;

export class BlockQueue {
  /** Requests that are in the store. */
  written = 0;
  /** Blocks that were written when all that waited last were. */
  blocksWritten = 0;
  readonly #writer: BlockWriter;
  /** The one that was opened first in front. */
  readonly #open = new Map<string, OpenBlock>();
  readonly #unwritten = new Set<OpenBlock>();
  #waitingBytes = 0;
  #closedBlocks = 0;
  #blocksAtOnce = BLOCKS_A_WRITE;

  constructor(blocks: BlockStore) {
    this.#writer = new BlockWriter(blocks);
  }

  get hasRoom(): boolean {
    return this.#waitingBytes < WAITING_MAX_BYTES;
  }

  get isHalfFull(): boolean {
    return this.#waitingBytes >= WAITING_MAX_BYTES / 2;
  }

  get isEmpty(): boolean {
    return this.#unwritten.size === 0;
  }

  /** Blocks that wait although nothing will be added to them. */
  get closedBlocks(): number {
    return this.#closedBlocks;
  }

  countUnwritten(): number {
    let requests = 0;
    for (const block of this.#unwritten) requests += block.requests - block.written;
    return requests;
  }

  add(record: RequestRecord, key: KeyInUse, now: number): void {
    const last = key.block;
    const block = last?.isClosed === false && takes(last, record, now) ? last : this.#blockFor(record, now);
    if (block !== last) {
      key.block = block;
      key.place = block.addKey(record.keyId);
    }
    if (block.requests === block.written) this.#unwritten.add(block);
    this.#waitingBytes += block.add(record, key.place);
    if (block.isFull || isLong(record)) this.#close(block);
  }

  /**
   * Writes what waits now, or of that only what nothing will be added to, in pieces between which other work is done. Throws when something
   * cannot be written.
   */
  async write(which: "all" | "closed" = "all"): Promise<void> {
    const waiting = [...this.#unwritten].filter((block) => which === "all" || block.isClosed);
    if (which === "all") this.blocksWritten = waiting.length;
    for (const some of inPieces(waiting, this.#blocksAtOnce)) {
      const taken = some.map((block) => ({ block, requests: block.requests, bytes: block.unwrittenBytes }));
      const rows = some.map((block) => block.toRow());
      try {
        await this.#writer.write(rows);
      } catch (error) {
        // One that cannot be written for its own sake must not stand before all others for ever.
        this.#blocksAtOnce = 1;
        for (const block of some) {
          this.#unwritten.delete(block);
          this.#unwritten.add(block);
        }
        throw error;
      }
      for (const { block, requests, bytes } of taken) this.#noteWritten(block, requests, bytes);
    }
    this.#blocksAtOnce = BLOCKS_A_WRITE;
  }

  /** Nobody will add to these any more, so they need not be remembered. */
  closeOld(now: number): void {
    for (const block of this.#open.values()) {
      if (isOver(block, now)) this.#close(block);
    }
  }

  #blockFor(record: RequestRecord, now: number): OpenBlock {
    const open = this.#open.get(record.orgId);
    if (open !== undefined) {
      if (takes(open, record, now)) return open;
      this.#close(open);
    } else if (this.#open.size >= OPEN_BLOCKS_MAX) {
      const [oldest] = this.#open.values();
      if (oldest !== undefined) this.#close(oldest);
    }
    const block = new OpenBlock(record.orgId, record.id, now);
    this.#open.set(record.orgId, block);
    return block;
  }

  #close(block: OpenBlock): void {
    if (block.isClosed) return;
    block.isClosed = true;
    if (this.#open.get(block.orgId) === block) this.#open.delete(block.orgId);
    if (this.#unwritten.has(block)) this.#closedBlocks++;
    else block.release();
  }

  #noteWritten(block: OpenBlock, requests: number, bytes: number): void {
    this.written += requests - block.written;
    block.written = requests;
    block.unwrittenBytes -= bytes;
    this.#waitingBytes -= bytes;
    if (block.requests === requests) {
      this.#unwritten.delete(block);
      if (block.isClosed) {
        this.#closedBlocks--;
        block.release();
      }
    }
    if (requests >= GROWN_REQUESTS) this.#close(block);
  }
}

function isOver(block: OpenBlock, now: number): boolean {
  return Math.abs(now - block.openedAt) > BLOCK_OPEN_MS;
}

function isLong(record: RequestRecord): boolean {
  return record.durationUs > LONG_REQUEST_MS * 1_000;
}

function takes(block: OpenBlock, record: RequestRecord, now: number): boolean {
  return !isOver(block, now) && !isLong(record);
}

function* inPieces(blocks: readonly OpenBlock[], blocksAtOnce: number): Generator<OpenBlock[]> {
  let some: OpenBlock[] = [];
  let requests = 0;
  for (const block of blocks) {
    if (some.length > 0 && (some.length >= blocksAtOnce || requests + block.requests > REQUESTS_A_WRITE)) {
      yield some;
      some = [];
      requests = 0;
    }
    some.push(block);
    requests += block.requests;
  }
  if (some.length > 0) yield some;
}
