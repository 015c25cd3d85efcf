/**
 * A client that sends whatever bytes it is given and reads answers strictly. It forgives nothing: an answer must have a
 * well-formed status line, header lines with one colon, no header of framing twice, and exactly as many bytes of body as it
 * says. What arrives beyond an answer stays in the buffer and is taken for the next one, as any other client would.
 */
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The statuses below 200 that came before. */
  readonly interim: readonly number[];
}

export const ANSWER_TIMEOUT_MS = 25_000;

export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#isEnded = true;
      this.#wake();
    };
    // A reset is an end like any other to who reads; what had arrived before it counts.
    socket.on("error", end);
    socket.on("end", end);
    socket.on("close", end);
  }

  send(bytes: string | Uint8Array): void {
    if (this.socket.writable) this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** The next answer; throws when the connection ends or the time is over before it is whole. */
  async readAnswer(options: { readonly toHead?: boolean; readonly timeoutMs?: number } = {}): Promise<RawAnswer> {
    const deadline = performance.now() + (options.timeoutMs ?? ANSWER_TIMEOUT_MS);
    const interim: number[] = [];
    for (;;) {
      const head = parseHead(await this.#takeHead(deadline));
      if (head.status < 200) {
        interim.push(head.status);
        continue;
      }
      const length = options.toHead === true ? 0 : requireLength(head.headers);
      return { ...head, interim, body: (await this.#take(length, deadline)).toString("utf8") };
    }
  }

  /** Waits for the end of the connection; what came that was not read as an answer. */
  async readToEnd(timeoutMs = ANSWER_TIMEOUT_MS): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    while (!this.#isEnded) await this.#more(deadline, "the end of the connection");
    return this.#received.toString("latin1");
  }

  /** What has arrived and was not read. */
  get unread(): string {
    return this.#received.toString("latin1");
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  close(): void {
    this.socket.destroy();
  }

  async #takeHead(deadline: number): Promise<string> {
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end >= 0) return (await this.#take(end + 4, deadline)).toString("latin1");
      await this.#more(deadline, "the head of an answer");
    }
  }

  async #take(length: number, deadline: number): Promise<Buffer> {
    while (this.#received.length < length) await this.#more(deadline, "the body of an answer");
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  async #more(deadline: number, what: string): Promise<void> {
    const seen = this.unread.slice(0, 300);
    if (this.#isEnded) throw new Error(`The connection ended before ${what}; unread: ${JSON.stringify(seen)}`);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new Error(`${what} never came; unread: ${JSON.stringify(seen)}`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, leftMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

export async function openRaw(origin: string): Promise<RawConnection> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return new RawConnection(socket);
}

function parseHead(text: string): { status: number; headers: Map<string, string> } {
  const [statusLine = "", ...lines] = text.slice(0, -4).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`This is no status line: ${JSON.stringify(statusLine.slice(0, 200))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`This is no header: ${JSON.stringify(line)}`);
    if (headers.has(name.toLowerCase())) throw new Error(`The header ${name} is there twice`);
    headers.set(name.toLowerCase(), value);
  }
  return { status: Number(status), headers };
}

function requireLength(headers: ReadonlyMap<string, string>): number {
  const text = headers.get("content-length") ?? "";
  if (!/^\d+$/.test(text) || headers.has("transfer-encoding")) {
    throw new Error(`An answer must say its length once; these headers do not: ${JSON.stringify([...headers])}`);
  }
  return Number(text);
}
