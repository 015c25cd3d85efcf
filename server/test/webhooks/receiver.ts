/** An endpoint for webhooks, in this process: what came to it, and what it answers. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { makeSelfSigned } from "../hostile/self-signed.ts";
import { takeEach } from "../take-each.ts";

export interface Received {
  readonly at: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answering = (
  request: IncomingMessage,
  response: ServerResponse,
  received: Received,
) => void | Promise<void>;

/** One for all endpoints of a process: a server trusts it by `ca`, a process of its own by NODE_EXTRA_CA_CERTS. */
export const RECEIVER_TLS = makeSelfSigned(4_711);

export const LOOPBACK = ["127.0.0.0/8"] as const;

export class Receiver {
  readonly received: Received[] = [];
  connections = 0;
  /** What is done with a request once its body is there. */
  answering: Answering;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(answering: Answering) {
    this.answering = answering;
    this.#server = createServer(
      RECEIVER_TLS,
      takeEach((request, response) => this.#take(request, response)),
    );
    this.#server.on("connection", (socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => undefined);
    });
    this.#server.on("tlsClientError", () => undefined);
  }

  static async start(answering: Answering = answerWith(200)): Promise<Receiver> {
    const receiver = new Receiver(answering);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}/hook`;
  }

  /** The ids of all messages but pings, in the order in which they came. */
  get changeIds(): string[] {
    return this.received.map(({ headers }) => headers["webhook-id"] ?? "").filter((id) => id.startsWith("change_"));
  }

  get types(): string[] {
    return this.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  }

  /** Ends all connections, as a restart of the endpoint would. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.hangUp();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const received = { at: Date.now(), path: request.url ?? "", headers, body: Buffer.concat(chunks).toString() };
    this.received.push(received);
    await this.answering(request, response, received);
  }
}

export function answerWith(status: number, headers: Readonly<Record<string, string>> = {}): Answering {
  return (_request, response) => void response.writeHead(status, headers).end();
}
