/**
 * The quick lane: connections are looked after here for as long as what comes over them is plain (`plain-request.ts`), and their
 * requests answered without the streams and objects that Node makes for each. The first thing that is not plain, and be it half
 * a request or two at once, goes to Node's own server with all that follows, and so does the connection: it never comes back.
 *
 * What always holds: a connection is either here or there. Here it has at most one request at a time; what comes before that one's answer
 * has left waits in its socket, which is not read meanwhile. A connection stays no longer without a byte, before a request, between two or in the middle of an
 * answer, than Node's server would let it.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Verdict } from "../../limits/windows.ts";
import type { Answer } from "../answer.ts";
import { type ExchangeTools, exchange } from "../exchange.ts";
import { STALLED_MS, untilDrained } from "../large-answers.ts";
import type { Recipient } from "../recipient.ts";
import { headText } from "./answer-head.ts";
import { readPlainRequest } from "./plain-request.ts";

/** What a client sends at the end of the time it was told is still on its way then. */
const KEEP_ALIVE_GRACE_MS = 1_000;
/** Of a large answer, so much at a time: that it is being taken shows by how the steps go. */
const STEP_BYTES = 128 * 1_024;
const CLOSING = "Connection: close\r\n";

export interface LaneOptions {
  readonly tools: ExchangeTools;
  /** Until the first request, and between two of them. */
  readonly firstMs: number;
  readonly keepAliveMs: number;
  /** Without a byte either way for this long, an answer under way is given up. */
  readonly standstillMs: number;
  /** From then on Node's server answers everything, and closes what it has answered. */
  isDraining(): boolean;
  /** For a client that has connected and asked nothing in time. */
  onSilence(socket: Socket): void;
}

/** The connections that are on the lane, to be closed with the server. */
export interface QuickLane {
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

/** Puts the lane before the server. `event` is what the server hears of a new connection. */
export function openQuickLane(
  server: Server,
  event: "connection" | "secureConnection",
  options: LaneOptions,
): QuickLane {
  const listeners = server.listeners(event);
  const lane: Lane = {
    ...options,
    connections: new Set(),
    keepAlive: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.keepAliveMs / 1000)}\r\n`,
    handOver: (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    },
  };
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    if (!socket.destroyed) new LaneConnection(lane, socket);
  });
  return {
    closeIdleConnections: () => {
      for (const connection of lane.connections) connection.closeIfIdle();
    },
    closeAllConnections: () => {
      for (const connection of lane.connections) connection.close();
    },
  };
}

interface Lane extends LaneOptions {
  readonly connections: Set<LaneConnection>;
  /** What is said of a connection that stays. */
  readonly keepAlive: string;
  handOver(socket: Socket): void;
}

class LaneConnection implements Recipient {
  readonly #lane: Lane;
  readonly #socket: Socket;
  /** Something was asked before. */
  #hasAsked = false;
  /** A request is being answered, or its answer has not left yet. */
  #isBusy = false;
  /** Something came meanwhile, and lies in the socket. */
  #hasNext = false;
  /** The client will ask nothing more. */
  #hasEnded = false;
  /** To be called when the large answer under way has left, or never will. */
  #release: (() => void) | undefined;
  /** Ends an answer under way that nobody takes. Not the socket's own: a client that goes on sending would put that off. */
  #deadline: NodeJS.Timeout | undefined;

  constructor(lane: Lane, socket: Socket) {
    this.#lane = lane;
    this.#socket = socket;
    lane.connections.add(this);
    socket.setTimeout(lane.firstMs);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("timeout", this.#onTimeout);
    socket.on("close", this.#onClose);
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isBusy) {
      // The socket keeps it, so that the end of what the client sends is not heard of before this was taken: Node's server could not be given a
      // connection that has ended.
      this.#hasNext = true;
      this.#socket.pause();
      this.#socket.unshift(chunk);
      return;
    }
    this.#hasNext = false;
    const found = this.#lane.isDraining() ? undefined : readPlainRequest(chunk, this.#socket);
    if (found === undefined) {
      this.#leave(chunk);
      return;
    }
    this.#isBusy = true;
    if (!this.#hasAsked) this.#socket.setTimeout(this.#lane.keepAliveMs + KEEP_ALIVE_GRACE_MS);
    this.#hasAsked = true;
    void exchange(this.#lane.tools, found.request, this, found.target, found.body);
    // Most answers have left by now.
    if (this.#isBusy && this.#deadline === undefined) this.#setDeadline(this.#lane.standstillMs);
  };

  #setDeadline(ms: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.close(), ms).unref();
  }

  deliver(answer: Answer, requestId: string, verdict: Verdict, nowMs: number): void {
    const { body, release } = answer;
    const socket = this.#socket;
    if (socket.destroyed) {
      release?.();
      if (body instanceof Readable) body.destroy();
      return;
    }
    this.#release = release;
    // What was asked before the client closed its side, or before the server began to stop, is still answered.
    const stays = this.#hasNext || !(this.#hasEnded || this.#lane.isDraining());
    const head = headText(
      { answer, requestId, verdict, connectionLines: stays ? this.#lane.keepAlive : CLOSING },
      nowMs,
    );
    if (body instanceof Readable || (release !== undefined && typeof body !== "string")) {
      void this.#deliverInSteps(head, body, stays);
      return;
    }
    if (typeof body === "string") socket.write(head + body, "latin1");
    else {
      socket.cork();
      socket.write(head, "latin1");
      for (const part of body) socket.write(part);
      socket.uncork();
    }
    this.#finish(stays);
  }

  /** No faster than it is taken. Cut off where not all of it came: an answer that ends as it should is whole. */
  async #deliverInSteps(head: string, body: Readable | readonly Buffer[], stays: boolean): Promise<void> {
    const socket = this.#socket;
    const isChunked = body instanceof Readable;
    this.#setDeadline(STALLED_MS);
    try {
      socket.write(head, "latin1");
      // What a stream has gathered comes as one part; a client that is slow but takes some of it is no stalled one.
      for await (const part of body as AsyncIterable<Buffer> | readonly Buffer[]) {
        for (const step of inSteps(part)) {
          const isTaken = isChunked ? writeChunk(socket, step) : socket.write(step);
          if (!isTaken) await untilDrained(socket);
          if (socket.destroyed) return;
          this.#deadline?.refresh();
        }
      }
      if (isChunked) socket.write("0\r\n\r\n", "latin1");
      this.#finish(stays);
    } catch {
      this.close();
    }
  }

  /** All of the answer is written. */
  #finish(stays: boolean): void {
    const socket = this.#socket;
    const isTaken = socket.writableLength === 0;
    if (!stays) socket.destroySoon();
    if (isTaken) this.#goOn();
    else {
      if (this.#deadline === undefined) this.#setDeadline(this.#lane.standstillMs);
      // Nothing goes out before what was written earlier, so nothing at all is what tells when that is gone.
      if (stays) socket.write("", () => this.#goOn());
    }
  }

  /** The answer has left. */
  #goOn(): void {
    this.#isBusy = false;
    this.#settle();
    if (this.#hasNext) this.#socket.resume();
    // Its client closed its side while the answer was on its way.
    else if (this.#hasEnded) this.#socket.end();
  }

  #settle(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#release?.();
    this.#release = undefined;
  }

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    if (!this.#isBusy) this.#socket.end();
  };

  readonly #onTimeout = (): void => {
    if (!this.#hasAsked) {
      this.#forget();
      this.#lane.onSilence(this.#socket);
    } else if (!this.#isBusy) this.close();
  };

  readonly #onClose = (): void => {
    this.#lane.connections.delete(this);
    this.#settle();
  };

  /** Node's server gets the connection as if it had just been opened, and what was read of it first. */
  #leave(chunk: Buffer): void {
    const socket = this.#socket;
    this.#forget();
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(chunk);
    this.#lane.handOver(socket);
    socket.resume();
  }

  #forget(): void {
    const socket = this.#socket;
    this.#lane.connections.delete(this);
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("timeout", this.#onTimeout);
    socket.off("close", this.#onClose);
  }
}

function* inSteps(part: Buffer): Generator<Buffer> {
  for (let at = 0; at < part.length; at += STEP_BYTES) yield part.subarray(at, at + STEP_BYTES);
}

function writeChunk(socket: Socket, part: Buffer): boolean {
  socket.cork();
  socket.write(`${part.length.toString(16)}\r\n`, "latin1");
  socket.write(part);
  const isTaken = socket.write("\r\n", "latin1");
  socket.uncork();
  return isTaken;
}
