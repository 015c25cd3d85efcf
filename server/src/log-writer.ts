/**
 * Where log lines go: gathered, and handed to the system in large pieces outside the thread that serves, for a write of its
 * own for every few lines costs more than answering from memory does.
 *
 * What always holds: lines are written whole and in order, at the latest `FLUSH_EVERY_MS` after they were logged, and what is
 * left when the process ends is written then, if need be twice rather than not at all. `kill -9` loses that last moment.
 * When nobody reads the log, what is gathered is bounded: further lines are dropped, and a line says how many. When its
 * reader is gone for good, logging ends.
 */
import { write, writeSync } from "node:fs";
import { putAscii } from "./ascii.ts";
import { freeBytes } from "./own-bytes.ts";

/** Who takes the pieces: the system, or another thread that does. */
export interface PieceTaker {
  /** Calls back with how many of the bytes it has written. */
  write(piece: Buffer, onWritten: (error: NodeJS.ErrnoException | null, count: number) => void): void;
  /** For the end of the thread: as much as it takes at once. */
  writeSync(piece: Buffer): void;
  /** Whether what it was given is written even where the thread ends first, and so need not be given again. */
  readonly isSure: boolean;
}

function descriptorTaker(descriptor: number): PieceTaker {
  return {
    write: (piece, onWritten) => write(descriptor, piece, onWritten),
    writeSync: (piece) => {
      for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
    },
    isSure: false,
  };
}

const PIECE_BYTES = 256 * 1024;
const FLUSH_AT_BYTES = 128 * 1024;
const FLUSH_EVERY_MS = 200;
const RETRY_MS = 50;
export const GATHERED_MAX_BYTES = 16 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** What waits to be written. */
interface Filled {
  readonly bytes: Buffer;
  /** The memory it lies in, where that is to be filled again. */
  readonly piece: Buffer | undefined;
}

export class LogWriter {
  readonly #taker: PieceTaker;
  readonly #gatheredMaxBytes: number;
  /** Lines are encoded as they come: to join them first would copy every character twice. */
  #piece: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #used = 0;
  /** One that was written, to be filled next. Were each a new one, megabytes of them would wait for V8's slow collector every second. */
  #spare: Buffer | undefined;
  /** Filled pieces that wait behind the one being written. */
  #filled: Filled[] = [];
  #filledBytes = 0;
  /** What is being written, less what has been; empty when no write is under way. */
  #pending: Buffer = NOTHING;
  #pendingPiece: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #isGone = false;
  #onFlushed: (() => void)[] = [];
  readonly #writeRest = (): void => {
    this.#taker.write(this.#pending, (error, count) => this.#continue(error, count));
  };

  /** Bounded in bytes by `gatheredMaxBytes`, which several threads share among them. */
  constructor(to: number | PieceTaker, gatheredMaxBytes = GATHERED_MAX_BYTES) {
    this.#taker = typeof to === "number" ? descriptorTaker(to) : to;
    this.#gatheredMaxBytes = gatheredMaxBytes;
    process.on("exit", () => this.flushSync());
  }

  write(line: string): void {
    if (this.#refuses()) return;
    this.#append(line);
    this.#wake();
  }

  /** For a line of nothing but ASCII, whose characters need not be looked at, in parts, which need not be joined first. */
  writeAscii(parts: readonly string[]): void {
    if (this.#refuses()) return;
    let length = 0;
    for (const part of parts) length += part.length;
    this.#makeRoom(length);
    const piece = this.#piece;
    let at = this.#used;
    for (const part of parts) at = putAscii(piece, part, at);
    this.#used = at;
    this.#wake();
  }

  #refuses(): boolean {
    if (this.#isGone) return true;
    if (this.#filledBytes < this.#gatheredMaxBytes) return false;
    this.#dropped++;
    return true;
  }

  #wake(): void {
    if (this.#used >= FLUSH_AT_BYTES || this.#filled.length > 0) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS).unref();
  }

  /** Whole lines that another thread has gathered. Calls back when they are written, or can never be. */
  writeLines(lines: Buffer, onWritten: () => void): void {
    if (!this.#isGone) {
      this.#setAside();
      this.#filled.push({ bytes: lines, piece: undefined });
      this.#filledBytes += lines.length;
    }
    this.flush(onWritten);
  }

  #append(line: string): void {
    // A character of a string takes at most three bytes in UTF-8.
    this.#makeRoom(line.length * 3);
    this.#used += this.#piece.write(line, this.#used);
  }

  #makeRoom(bytes: number): void {
    if (this.#used + bytes <= this.#piece.length) return;
    this.#setAside();
    if (bytes > this.#piece.length) this.#piece = Buffer.allocUnsafeSlow(bytes);
  }

  /** Begins a new piece; the present one waits to be written. */
  #setAside(): void {
    if (this.#used === 0) return;
    const piece = this.#piece;
    this.#filled.push({
      bytes: piece.subarray(0, this.#used),
      piece: piece.length === PIECE_BYTES ? piece : undefined,
    });
    this.#filledBytes += this.#used;
    this.#piece = this.#spare ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#spare = undefined;
    this.#used = 0;
  }

  /** Calls back when all that was logged so far is written, or can never be. */
  flush(onFlushed: () => void = () => undefined): void {
    this.#onFlushed.push(onFlushed);
    this.#start();
  }

  /** For the end of the process: as much as the system takes at once. */
  flushSync(): void {
    this.#setAside();
    const waiting = this.#filled.map(({ bytes }) => bytes);
    const rest = Buffer.concat([this.#taker.isSure ? NOTHING : this.#pending, ...waiting]);
    this.#forget();
    this.#pending = NOTHING;
    // Whoever was given it may still be reading it.
    this.#pendingPiece = undefined;
    try {
      if (!this.#isGone && rest.length > 0) this.#taker.writeSync(rest);
    } catch {
      // There is nowhere left to say so.
    }
  }

  /** Where many waited, all but one of them are given back. */
  #reusePending(): void {
    const piece = this.#pendingPiece;
    this.#pendingPiece = undefined;
    if (this.#spare === undefined) this.#spare = piece;
    else if (piece !== undefined) freeBytes(piece);
  }

  #forget(): void {
    this.#used = 0;
    this.#filled = [];
    this.#filledBytes = 0;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length > 0) return;
    if (this.#filled.length === 0) this.#setAside();
    const next = this.#filled.shift();
    if (next === undefined) {
      const waiting = this.#onFlushed;
      this.#onFlushed = [];
      for (const onFlushed of waiting) onFlushed();
      return;
    }
    this.#filledBytes -= next.bytes.length;
    if (this.#dropped > 0) {
      this.#append(`${JSON.stringify({ level: 40, dropped: this.#dropped, msg: "log lines were dropped" })}\n`);
      this.#dropped = 0;
    }
    this.#pending = next.bytes;
    this.#pendingPiece = next.piece;
    this.#writeRest();
  }

  #continue(error: NodeJS.ErrnoException | null, count: number): void {
    if (error?.code === "EAGAIN" || error?.code === "EBUSY") {
      setTimeout(this.#writeRest, RETRY_MS);
      return;
    }
    // A full disk loses these lines and not the next; a reader that is gone loses all.
    if (error?.code === "EPIPE") {
      this.#isGone = true;
      this.#forget();
    }
    this.#pending = error === null ? this.#pending.subarray(count) : NOTHING;
    if (this.#pending.length > 0) {
      this.#writeRest();
      return;
    }
    this.#reusePending();
    if (this.#onFlushed.length > 0 || this.#filled.length > 0) this.#start();
    else if (this.#used > 0) this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS).unref();
  }
}

let lastMs = 0;
let lastTime = "";

/** The time as every line has it, ISO 8601. Many lines fall into one millisecond. */
export function logTime(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastTime = `,"time":"${new Date(nowMs).toISOString()}"`;
  }
  return lastTime;
}
