/**
 * The load: a fixed number of keep-alive connections, each with one request under way, the next one sent the moment the
 * answer to the last is whole. Requests are bytes made beforehand. Throughput is therefore what the server can do, and
 * latencies are those of a server that is fully busy.
 */
import { connect, type Socket } from "node:net";
import { AnswerReader, type Expectation } from "./answer-reader.ts";

/** A round goes on until both have passed, or as many were asked as may be, or it has gone on for as long as it may. */
export interface Span {
  readonly durationMs: number;
  readonly minAnswers: number;
  readonly maxRequests?: number;
  readonly maxMs?: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly elapsedMs: number;
  /** Ascending. */
  readonly latenciesMs: Float64Array;
}

/** A request as it goes over the wire, and what its answer is to be. */
export interface LoadRequest {
  readonly bytes: Buffer;
  readonly expected: Expectation;
}

/**
 * Larger than all but the largest answers here, so that reading one takes few calls. All connections share it, for each piece is looked at as
 * it comes: a load that reads everything into the same place leaves the caches of a core that it shares with a server to that server.
 */
const shared = Buffer.allocUnsafeSlow(256 * 1024);

/** Opens the connections, and keeps them for all rounds of a case. */
export async function openConnections(port: number, count: number): Promise<Connections> {
  const connections = new Connections(port, count);
  await connections.openClosed();
  return connections;
}

export class Connections {
  readonly #port: number;
  readonly #connections: (Connection | undefined)[];

  constructor(port: number, count: number) {
    this.#port = port;
    this.#connections = Array.from({ length: count }, () => undefined);
  }

  /** A server closes what was idle for long, and between two rounds others have theirs. */
  async openClosed(): Promise<Connection[]> {
    const open = await Promise.all(
      this.#connections.map((one) => (one === undefined || one.isClosed ? Connection.open(this.#port) : one)),
    );
    this.#connections.splice(0, open.length, ...open);
    return open;
  }

  /** Loads the server for that long; every request that was sent is also answered and counted. */
  async drive(
    { durationMs, minAnswers, maxRequests = Number.POSITIVE_INFINITY, maxMs = Number.POSITIVE_INFINITY }: Span,
    nextRequest: () => LoadRequest,
  ): Promise<LoadResult> {
    const connections = await this.openClosed();
    const latencies: number[] = [];
    const startedAt = performance.now();
    const round: Round = {
      endsAt: startedAt + durationMs,
      minAnswers,
      lastEndsAt: startedAt + maxMs,
      left: maxRequests,
      latencies,
      nextRequest,
    };
    await Promise.all(connections.map((connection) => connection.run(round)));
    const elapsedMs = performance.now() - startedAt;
    return { answers: latencies.length, elapsedMs, latenciesMs: Float64Array.from(latencies).sort() };
  }

  close(): void {
    for (const connection of this.#connections) connection?.close();
  }
}

interface Round {
  readonly endsAt: number;
  readonly minAnswers: number;
  /** It ends then, however few were answered. */
  readonly lastEndsAt: number;
  /** How many may still be sent. */
  left: number;
  readonly latencies: number[];
  nextRequest(): LoadRequest;
}

class Connection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #round: Round | undefined;
  #sentAt = 0;
  #settle: { resolve(): void; reject(error: unknown): void } | undefined;

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection: Connection = new Connection(port, () => resolve(connection), reject);
    });
  }

  constructor(port: number, onOpen: () => void, onFailure: (error: unknown) => void) {
    this.#settle = { resolve: onOpen, reject: onFailure };
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length) => this.#receive(shared.subarray(0, length)),
      },
    });
    this.#socket.on("connect", () => this.#settle?.resolve());
    this.#socket.on("error", (error) => this.#settle?.reject(error));
    this.#socket.on("close", () => this.#settle?.reject(new Error("The server closed a connection.")));
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  run(round: Round): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.isClosed) return reject(new Error("The server closed a connection."));
      if (round.left <= 0) return resolve();
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
    round.left--;
    const { bytes, expected } = round.nextRequest();
    this.#reader.expect(expected);
    this.#socket.write(bytes);
  }

  #receive(chunk: Buffer): boolean {
    const round = this.#round;
    try {
      if (!this.#reader.read(chunk) || round === undefined) return true;
    } catch (error) {
      this.#settle?.reject(error);
      this.close();
      return false;
    }
    const now = performance.now();
    round.latencies.push(now - this.#sentAt);
    const isOver = now >= round.endsAt && (round.latencies.length >= round.minAnswers || now >= round.lastEndsAt);
    if (round.left > 0 && !isOver) {
      this.#send(round, now);
      return true;
    }
    this.#round = undefined;
    this.#settle?.resolve();
    return true;
  }
}
