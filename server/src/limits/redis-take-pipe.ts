/**
 * Takes places in Redis's rings at given times, millions of them, for the tests that hold the script against the oracle: one write for
 * thousands of commands, and replies read as they lie in the stream. Only replies of bulk strings are understood; anything else
 * fails the test that asked.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Tier } from "@lineup/api/tiers";
import { ringName } from "./redis-ring-layout.ts";
import { NO_TICKET, TAKE_SCRIPTS } from "./redis-ring-script.ts";
import { type RingReading, readTakeReply } from "./redis-take-place.ts";

const CR = 0x0d;
/** The "$" of a bulk string. */
const BULK = 0x24;

export class TakePipe {
  readonly #socket: Socket;
  readonly #checks: ((reading: RingReading) => void)[] = [];
  #written = "";
  #received: Buffer = Buffer.alloc(0);
  #checked = 0;
  #error: unknown;
  #wake: (() => void) | undefined;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (piece: Buffer) => this.#read(piece));
    this.#socket.on("error", (error) => this.#fail(error));
  }

  /** How many are not answered yet. */
  get pending(): number {
    return this.#checks.length - this.#checked;
  }

  take(keyId: string, tier: Tier, timeMs: number, check: (reading: RingReading) => void): void {
    const time = String(timeMs);
    const name = ringName(keyId);
    this.#written += `*6\r\n$7\r\nEVALSHA\r\n$40\r\n${TAKE_SCRIPTS[tier].sha}\r\n$1\r\n1\r\n$${name.length}\r\n${name}\r\n$1\r\n${NO_TICKET}\r\n$${time.length}\r\n${time}\r\n`;
    this.#checks.push(check);
  }

  /** Sends what was asked for and waits for all replies; rejects with what the first failed check has thrown. */
  async settle(): Promise<void> {
    this.#socket.write(this.#written);
    this.#written = "";
    if (this.pending > 0 && this.#error === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (this.#error !== undefined) throw this.#error;
    this.#checks.length = 0;
    this.#checked = 0;
  }

  async close(): Promise<void> {
    this.#socket.end();
    await once(this.#socket, "close");
  }

  #read(piece: Buffer): void {
    const buffer = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    let at = 0;
    while (at + 8 < buffer.length) {
      const end = buffer.indexOf(CR, at);
      const length = Number(buffer.toString("latin1", at + 1, end));
      if (buffer[at] !== BULK) {
        this.#fail(new Error(`Redis answers: ${buffer.toString("latin1", at, end)}`));
        return;
      }
      if (end + 2 + length + 2 > buffer.length) break;
      this.#check(buffer.subarray(end + 2, end + 2 + length));
      at = end + 2 + length + 2;
    }
    this.#received = buffer.subarray(at);
    if (this.pending === 0) this.#wake?.();
  }

  #check(reply: Buffer): void {
    try {
      this.#checks[this.#checked++]?.(readTakeReply(reply));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    this.#wake?.();
  }
}
