/**
 * The quick lane: connections are looked after here for as long as what comes over them is plain (`plain-request.ts`), and their
 * requests answered without any of the streams and objects that Node makes for each. The first thing that is not plain, and be it half
 * a request or two at once, goes to Node's own server with all that follows, and so does the connection: it never comes back.
 *
 * What always holds: a connection is either here or there. Here it has at most one request at a time; what comes before that one's answer
 * has left waits, unread beyond one piece. Nobody stays for longer without a word, before a request, between two or in the middle of an
 * answer, than Node's server would let them.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Verdict } from "../limits/windows.ts";
import type { Answer } from "./answer.ts";
import { type ExchangeTools, exchange } from "./exchange.ts";
import { sendInChunks, sendWhole } from "./lane-sending.ts";
import { STALLED_MS } from "./large-answers.ts";
import { type FoundRequest, PlainReader } from "./plain-request.ts";
import { QuietWatch, type Watched } from "./quiet-watch.ts";
import type { Recipient } from "./recipient.ts";
import { readShared, wordsOf } from "./shared-reads.ts";

/** What a client sends at the end of the time it was told is still on its way then. */
const KEEP_ALIVE_GRACE_MS = 1_000;

export interface LaneOptions {
  readonly tools: ExchangeTools;
  /** Until the first request, and between two of them. */
  readonly firstMs: number;
  readonly keepAliveMs: number;
  /** Without a byte either way for this long, an answer under way is given up. */
  readonly standstillMs: number;
  /** From then on Node's server answers everything, and closes what it has answered. */
  isDraining(): boolean;
  /** For whoever has connected and asked nothing in time. */
  onSilence(socket: Socket): void;
}

/** Puts the lane before the server. `event` is what the server hears of a new connection. */
export function openQuickLane(server: Server, event: "connection" | "secureConnection", options: LaneOptions): void {
  const listeners = server.listeners(event) as ((this: Server, socket: Socket) => void)[];
  const lane: Lane = {
    ...options,
    connections: new Set(),
    watch: new QuietWatch(options.keepAliveMs + KEEP_ALIVE_GRACE_MS),
    keepAlive: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.keepAliveMs / 1000)}\r\n`,
    handOver: (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    },
  };
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    // Reset before it could be looked at; or read, where it tells, so that it stays known when the connection is reset later.
    if (socket.remoteAddress === undefined) socket.destroy();
    else new LaneConnection(lane, socket);
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  Object.assign(server, {
    closeIdleConnections: () => {
      for (const connection of lane.connections) connection.closeIfIdle();
      closeIdle();
    },
    closeAllConnections: () => {
      for (const connection of lane.connections) connection.close();
      closeAll();
    },
  });
}

interface Lane extends LaneOptions {
  readonly connections: Set<LaneConnection>;
  /** Of those who have asked and may ask again. */
  readonly watch: QuietWatch;
  /** What is said of a connection that stays. */
  readonly keepAlive: string;
  handOver(socket: Socket): void;
}

const CLOSING = "Connection: close\r\n";
const NOTHING = Buffer.alloc(0);

class LaneConnection implements Recipient, Watched {
  readonly #lane: Lane;
  readonly #socket: Socket;
  readonly #reader: PlainReader;
  readonly #stopReading: () => void;
  /** Undefined before the first request, and while one is being answered or its answer has not left yet. */
  quietSince: number | undefined;
  /** A request is being answered, or its answer has not left yet. */
  #isBusy = false;
  /** Something was asked before. */
  #hasAsked = false;
  /** The client will ask nothing more. */
  #hasEnded = false;
  /** Something came while another request was being answered, and lies in the socket. */
  #hasNext = false;
  /** What came behind that, before reading stopped. */
  #rest: Buffer | undefined;
  /** To be called when the large answer under way has left, or never will. */
  #onClosed: (() => void) | undefined;

  constructor(lane: Lane, socket: Socket) {
    this.#lane = lane;
    this.#socket = socket;
    this.#reader = new PlainReader(socket);
    lane.connections.add(this);
    socket.setTimeout(lane.firstMs);
    this.#stopReading = readShared(socket, this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("timeout", this.#onTimeout);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  onQuiet(): void {
    this.close();
  }

  deliver(answer: Answer, requestId: string, verdict: Verdict, nowMs: number): void {
    const { release, body } = answer;
    const socket = this.#socket;
    if (socket.destroyed) {
      release?.();
      if (body instanceof Readable) body.destroy();
      return;
    }
    this.#onClosed = release;
    // What was asked before the client closed its side, or before the server began to stop, is still answered.
    const stays = this.#hasNext || !(this.#hasEnded || this.#lane.isDraining());
    const outgoing = { answer, requestId, verdict, connectionLines: stays ? this.#lane.keepAlive : CLOSING };
    if (body instanceof Readable) {
      void this.#deliverStream(sendInChunks(socket, outgoing, body, nowMs), stays);
      return;
    }
    sendWhole(socket, outgoing, body, nowMs);
    if (!stays) socket.destroySoon();
    if (socket.writableLength === 0) this.#goOn();
    else this.#waitUntilTaken(release === undefined ? this.#lane.standstillMs : STALLED_MS);
  }

  /** Cut off where not all of it came: an answer that ends as it should is whole. */
  async #deliverStream(sending: Promise<void>, stays: boolean): Promise<void> {
    const socket = this.#socket;
    socket.setTimeout(STALLED_MS);
    try {
      await sending;
      if (socket.destroyed) return;
      if (!stays) socket.destroySoon();
      this.#waitUntilTaken(STALLED_MS);
    } catch {
      this.close();
    }
  }

  /** Nothing goes out before what was written earlier, so nothing at all is what tells when that is gone. */
  #waitUntilTaken(patienceMs: number): void {
    this.#socket.setTimeout(patienceMs);
    if (!this.#socket.writableEnded) this.#socket.write(NOTHING, () => this.#goOn());
  }

  /** The chunk is good only until this returns. */
  readonly #onData = (chunk: Buffer): void => {
    if (this.#isBusy) {
      this.#putBack(chunk);
      return;
    }
    const found = this.#lane.isDraining() ? undefined : this.#reader.read(chunk, wordsOf(chunk));
    if (found !== undefined) this.#answer(found);
    else this.#leave(chunk);
  };

  /**
   * For later. It is the socket that keeps it, so that the end of what the client sends is not heard of before it was taken: Node's server could not be
   * given a connection that has ended. Over TLS both may come at once, however soon reading stops.
   */
  #putBack(chunk: Buffer): void {
    if (this.#hasNext) {
      this.#rest = Buffer.concat([this.#rest ?? NOTHING, chunk]);
      return;
    }
    this.#hasNext = true;
    this.#socket.pause();
    // To push it instead would have Node read on.
    this.#socket.unshift(Buffer.from(chunk));
  }

  #answer({ request, target, body }: FoundRequest): void {
    this.#isBusy = true;
    this.quietSince = undefined;
    if (!this.#hasAsked) {
      this.#hasAsked = true;
      this.#socket.setTimeout(0);
      this.#lane.watch.add(this);
    }
    const { standstillMs, tools } = this.#lane;
    void exchange(tools, request, this, target, body);
    // Whoever waits for its answer, and has not been given a time for taking it.
    if (this.#isBusy && !this.#socket.timeout) this.#socket.setTimeout(standstillMs);
  }

  /** The answer has left. */
  #goOn(): void {
    const socket = this.#socket;
    this.#reader.forgetKey();
    this.#onClosed?.();
    this.#onClosed = undefined;
    if (socket.timeout) socket.setTimeout(0);
    if (!this.#hasNext) {
      this.#isBusy = false;
      this.quietSince = this.#lane.watch.now;
      // Its client closed its side while the answer was on its way.
      if (this.#hasEnded) socket.end();
    }
    // Not from within the answer before, or a row of requests would be a row of calls.
    else setImmediate(this.#takeNext);
  }

  readonly #takeNext = (): void => {
    const socket = this.#socket;
    // All of it: without a number Node may give the first piece alone.
    const next: Buffer | null = socket.destroyed ? null : socket.read(socket.readableLength);
    const rest = this.#rest;
    this.#hasNext = false;
    this.#rest = undefined;
    this.#isBusy = false;
    if (next === null) return;
    socket.resume();
    this.#onData(rest === undefined ? next : Buffer.concat([next, rest]));
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#isBusy) this.#socket.end();
  };

  readonly #onTimeout = (): void => {
    if (this.#hasAsked) {
      this.close();
      return;
    }
    this.#stopReading();
    this.#lane.onSilence(this.#socket);
  };

  readonly #onError = (): void => this.close();

  readonly #onClose = (): void => {
    this.#lane.connections.delete(this);
    this.#lane.watch.delete(this);
    this.#onClosed?.();
    this.#onClosed = undefined;
  };

  /** Node's server gets the connection as if it had just been opened, and what was read of it first. */
  #leave(chunk: Buffer): void {
    const socket = this.#socket;
    this.#forget();
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(Buffer.from(chunk));
    this.#lane.handOver(socket);
    socket.resume();
  }

  #forget(): void {
    const socket = this.#socket;
    this.#lane.connections.delete(this);
    this.#lane.watch.delete(this);
    this.#stopReading();
    socket.off("end", this.#onEnd);
    socket.off("timeout", this.#onTimeout);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
  }
}
