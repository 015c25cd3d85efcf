/**
 * The load: a fixed number of keep-alive connections, each with one request under way, the next one sent the moment the
 * answer to the last is whole. Requests are bytes made beforehand. Throughput is therefore what the server can do, and
 * latencies are those of a server that is fully busy.
 */
import { connect, type Socket } from "node:net";
import { AnswerReader, type Expectation } from "./answer-reader.ts";

/** A round goes on until both have passed. */
export interface Span {
  readonly durationMs: number;
  readonly minAnswers: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly elapsedMs: number;
  /** Ascending. */
  readonly latenciesMs: Float64Array;
}

/** Larger than the largest answer here, so that reading one takes few calls. */
const READ_BUFFER_BYTES = 256 * 1024;

/** Opens the connections, and keeps them for all rounds of a case. */
export async function openConnections(port: number, count: number, expected: Expectation): Promise<Connections> {
  const opening = Array.from({ length: count }, () => Connection.open(port, expected));
  return new Connections(await Promise.all(opening));
}

export class Connections {
  readonly #connections: readonly Connection[];

  constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  /** Loads the server for that long; every request that was sent is also answered and counted. */
  async drive({ durationMs, minAnswers }: Span, nextRequest: () => Buffer): Promise<LoadResult> {
    const latencies: number[] = [];
    const startedAt = performance.now();
    const round: Round = { endsAt: startedAt + durationMs, minAnswers, latencies, nextRequest };
    await Promise.all(this.#connections.map((connection) => connection.run(round)));
    const elapsedMs = performance.now() - startedAt;
    return { answers: latencies.length, elapsedMs, latenciesMs: Float64Array.from(latencies).sort() };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

interface Round {
  readonly endsAt: number;
  readonly minAnswers: number;
  readonly latencies: number[];
  nextRequest(): Buffer;
}

class Connection {
  readonly #socket: Socket;
  readonly #reader: AnswerReader;
  #round: Round | undefined;
  #sentAt = 0;
  #settle: { resolve(): void; reject(error: unknown): void } | undefined;

  static open(port: number, expected: Expectation): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(port, expected, () => resolve(connection), reject);
    });
  }

  constructor(port: number, expected: Expectation, onOpen: () => void, onFailure: (error: unknown) => void) {
    this.#reader = new AnswerReader(expected);
    this.#settle = { resolve: onOpen, reject: onFailure };
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
        callback: (length, buffer) => this.#receive(Buffer.from(buffer.buffer, buffer.byteOffset, length)),
      },
    });
    this.#socket.on("connect", () => this.#settle?.resolve());
    this.#socket.on("error", (error) => this.#settle?.reject(error));
    this.#socket.on("close", () => this.#settle?.reject(new Error("The server closed a connection.")));
  }

  run(round: Round): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#socket.destroyed) return reject(new Error("The server closed a connection between two rounds."));
      this.#round = round;
      this.#send(round, performance.now());
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #send(round: Round, now: number): void {
    this.#sentAt = now;
    this.#socket.write(round.nextRequest());
  }

  #receive(chunk: Buffer): boolean {
    const round = this.#round;
    try {
      if (round === undefined) throw new Error("The server sent something that nobody asked for.");
      if (!this.#reader.read(chunk)) return true;
    } catch (error) {
      this.#settle?.reject(error);
      this.close();
      return false;
    }
    const now = performance.now();
    round.latencies.push(now - this.#sentAt);
    if (now < round.endsAt || round.latencies.length < round.minAnswers) {
      this.#send(round, now);
      return true;
    }
    this.#round = undefined;
    this.#settle?.resolve();
    return true;
  }
}
