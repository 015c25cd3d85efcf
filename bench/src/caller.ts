/** One client on one connection, who asks one thing at a time and looks at the clock: when the first byte came, and when the last. */
import { connect, type Socket } from "node:net";
import { AnswerReader } from "./answer-reader.ts";
import type { LoadRequest } from "./load.ts";

export interface Timing {
  readonly firstByteMs: number;
  readonly wholeMs: number;
}

export class Caller {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #sentAt = 0;
  #firstByteMs = -1;
  #settle: { resolve(timing: Timing): void; reject(error: unknown): void } | undefined;

  static open(port: number): Promise<Caller> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.once("error", reject);
      socket.once("connect", () => resolve(new Caller(socket)));
    });
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("The server closed a connection.")));
  }

  ask({ bytes, expected }: LoadRequest): Promise<Timing> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#firstByteMs = -1;
      this.#reader.expect(expected);
      this.#sentAt = performance.now();
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const elapsedMs = performance.now() - this.#sentAt;
    if (this.#firstByteMs < 0) this.#firstByteMs = elapsedMs;
    try {
      if (this.#reader.read(chunk)) this.#settle?.resolve({ firstByteMs: this.#firstByteMs, wholeMs: elapsedMs });
    } catch (error) {
      this.#settle?.reject(error);
    }
  }
}
