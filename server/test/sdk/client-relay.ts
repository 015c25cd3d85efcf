/** Stands between a client and a real server, as a proxy does: counts what comes through, and may spoil some of it. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { takeEach } from "../take-each.ts";

/** What becomes of a request instead of an answer. `pass` gets the answer of the server, which the client then does not see. */
export type Fault = (response: ServerResponse, pass: () => Promise<Response>) => void | Promise<void>;

export const cutOff: Fault = (response) => void response.destroy();
/** The request arrives, and its answer is lost. */
export const loseAnswer: Fault = async (response, pass) => {
  await (await pass()).text();
  response.destroy();
};
export const answerWith =
  (status: number, headers: Record<string, string> = {}, body = "<html>Not Lineup</html>"): Fault =>
  (response) =>
    void response.writeHead(status, headers).end(body);

export class ClientRelay {
  /** Such as "GET /api/public/v1/players?limit=2", in the order in which they came. */
  readonly requests: string[] = [];
  /** The next requests meet these, one each. */
  readonly faults: Fault[] = [];
  readonly #server: Server;
  readonly #target: string;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer(takeEach((request, response) => this.#take(request, response)));
  }

  static async start(target: string): Promise<ClientRelay> {
    const relay = new ClientRelay(target);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All requests since the last time this was asked. */
  takeRequests(): string[] {
    return this.requests.splice(0);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    this.requests.push(`${method} ${url}`);
    const body = Buffer.concat(await request.toArray());
    const kept = Object.entries(headers).filter(([name]) => !/^(?:host|connection|content-length)$/.test(name));
    const pass = () =>
      fetch(this.#target + url, {
        method,
        headers: kept as [string, string][],
        ...(method === "GET" ? {} : { body }),
      });
    const fault = this.faults.shift();
    if (fault !== undefined) return await fault(response, pass);
    const answer = await pass();
    const text = await answer.text();
    const shown = [...answer.headers].filter(
      ([name]) => !/^(?:content-(?:encoding|length)|transfer-encoding)$/.test(name),
    );
    response.writeHead(answer.status, Object.fromEntries(shown)).end(text);
  }
}
