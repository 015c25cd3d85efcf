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

const FLUSH_AT_LENGTH = 32 * 1024;
const FLUSH_EVERY_MS = 200;
const RETRY_MS = 50;
const GATHERED_MAX_LENGTH = 16 * 1024 * 1024;

export class LogWriter {
  readonly #descriptor: number;
  #gathered = "";
  /** What is being written, less what has been; empty when no write is under way. */
  #pending: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #dropped = 0;
  #isGone = false;
  #onFlushed: (() => void)[] = [];
  readonly #writeRest = (): void => {
    write(this.#descriptor, this.#pending, (error, count) => this.#continue(error, count));
  };

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    process.on("exit", () => this.flushSync());
  }

  write(line: string): void {
    if (this.#isGone) return;
    if (this.#gathered.length >= GATHERED_MAX_LENGTH) {
      this.#dropped++;
      return;
    }
    this.#gathered += line;
    this.#startInTime();
  }

  /** Calls back when all that was logged so far is written, or can never be. */
  flush(onFlushed: () => void = () => undefined): void {
    this.#onFlushed.push(onFlushed);
    this.#start();
  }

  /** For the end of the process: as much as the system takes at once. */
  flushSync(): void {
    const rest = Buffer.concat([this.#pending, Buffer.from(this.#gathered)]);
    this.#gathered = "";
    this.#pending = Buffer.alloc(0);
    try {
      for (let at = 0; at < rest.length && !this.#isGone; ) at += writeSync(this.#descriptor, rest, at);
    } catch {
      // There is nowhere left to say so.
    }
  }

  #startInTime(): void {
    if (this.#gathered.length >= FLUSH_AT_LENGTH) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.length > 0) return;
    if (this.#gathered === "") {
      const waiting = this.#onFlushed;
      this.#onFlushed = [];
      for (const onFlushed of waiting) onFlushed();
      return;
    }
    if (this.#dropped > 0) {
      this.#gathered += `${JSON.stringify({ level: 40, dropped: this.#dropped, msg: "log lines were dropped" })}\n`;
      this.#dropped = 0;
    }
    this.#pending = Buffer.from(this.#gathered);
    this.#gathered = "";
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
      this.#gathered = "";
    }
    this.#pending = error === null ? this.#pending.subarray(count) : Buffer.alloc(0);
    if (this.#pending.length > 0) this.#writeRest();
    else if (this.#onFlushed.length > 0) this.#start();
    else if (this.#gathered !== "") this.#startInTime();
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
