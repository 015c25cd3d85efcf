/**
 * One kept connection that asks one thing after another: as little as HTTP needs, so that the walk's time goes to the server. Now and then
 * it is a new one, because a server may answer those quickest that have asked for nothing unusual yet.
 */
import { connect, type Socket } from "node:net";

export interface Asked {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH";
  /** The whole path, with its prefix and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Told {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

interface Waiting {
  readonly isHead: boolean;
  readonly resolve: (told: Told) => void;
  readonly reject: (error: Error) => void;
}

const HEAD_END = "\r\n\r\n";
const RENEWED_AFTER = 50;

export class Line {
  readonly #server: URL;
  /** Undefined until something is asked: a server does not wait long for one who connects and says nothing. */
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;
  #asked = 0;

  constructor(origin: string) {
    this.#server = new URL(origin);
  }

  ask({ method, target, headers, body }: Asked): Promise<Told> {
    if (this.#waiting !== undefined) throw new Error("The line is busy.");
    let head = `${method} ${target} HTTP/1.1\r\nHost: ${this.#server.host}\r\n`;
    for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
    if (body !== undefined) {
      head += `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Told>();
    this.#waiting = { isHead: method === "HEAD", resolve, reject };
    if (++this.#asked % RENEWED_AFTER === 0) this.end();
    this.#socket ??= this.#connect();
    this.#socket.write(`${head}\r\n${body ?? ""}`);
    return promise;
  }

  end(): void {
    this.#socket?.removeAllListeners().destroy();
    this.#socket = undefined;
  }

  #connect(): Socket {
    const { hostname, port } = this.#server;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("data", (piece: Buffer) => this.#take(piece));
    socket.on("error", (error) => this.#break(error));
    socket.on("close", () => {
      this.#socket = undefined;
      this.#break(new Error("The server closed the connection without an answer."));
    });
    return socket;
  }

  #take(piece: Buffer): void {
    this.#received = this.#received.length === 0 ? piece : Buffer.concat([this.#received, piece]);
    const headEnd = this.#received.indexOf(HEAD_END);
    const waiting = this.#waiting;
    if (headEnd < 0 || waiting === undefined) return;
    const [first = "", ...lines] = this.#received.toString("latin1", 0, headEnd).split("\r\n");
    const headers = new Map(lines.map((line) => [nameOf(line), line.slice(line.indexOf(":") + 1).trim()]));
    const status = Number(first.split(" ")[1]);
    const hasBody = !waiting.isHead && status !== 304;
    const from = headEnd + HEAD_END.length;
    const isChunked = hasBody && headers.get("transfer-encoding") === "chunked";
    const chunks = isChunked ? readChunks(this.#received, from) : undefined;
    if (isChunked && chunks === undefined) return;
    const to = chunks?.end ?? from + (hasBody ? Number(headers.get("content-length")) : 0);
    if (Number.isNaN(to)) this.#break(new Error(`An answer without a length: ${first}`));
    if (Number.isNaN(to) || this.#received.length < to) return;
    const body = chunks?.body ?? this.#received.subarray(from, to);
    this.#received = this.#received.subarray(to);
    this.#waiting = undefined;
    waiting.resolve({ status, headers, body });
  }

  #break(error: Error): void {
    this.#received = Buffer.alloc(0);
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

function nameOf(line: string): string {
  return line.slice(0, line.indexOf(":")).toLowerCase();
}

/** Undefined while not all of them are there. */
function readChunks(bytes: Buffer, from: number): { readonly body: Buffer; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const sizeEnd = bytes.indexOf("\r\n", at);
    if (sizeEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, sizeEnd), 16);
    const end = sizeEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(sizeEnd + 2, sizeEnd + 2 + size));
    at = end;
  }
}
