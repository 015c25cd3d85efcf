/** Several nodes on one database and one Redis, each with a port, a pool and, where told, a clock of its own. */
import { Agent, request } from "node:http";
import { type Clock, systemClock } from "../../src/limits/clock.ts";
import { startTestServer, type TestServer } from "../test-server.ts";

export interface NodeGroupOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** One node for each: how far its clock is from the true time, in milliseconds. */
  readonly clocksMs: readonly number[];
}

export interface NodeGroup {
  readonly nodes: readonly TestServer[];
  stop(): Promise<void>;
}

const POOL_SIZE = 3;

export async function startNodes({ databaseUrl, redisUrl, clocksMs }: NodeGroupOptions): Promise<NodeGroup> {
  const config = { databaseUrl, redisUrl, databasePoolSize: POOL_SIZE };
  const nodes = await Promise.all(
    clocksMs.map((offsetMs) => startTestServer({ config, ...(offsetMs === 0 ? {} : { clock: clockOff(offsetMs) }) })),
  );
  return {
    nodes,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

function clockOff(offsetMs: number): Clock {
  return {
    wallMs: () => systemClock.wallMs() + offsetMs,
    monotonicMs: () => systemClock.monotonicMs(),
  };
}

/** What came back, as far as counting needs it. */
export interface Answered {
  readonly status: number;
  /** Undefined where the body was not asked for, or was no error. */
  readonly code: string | undefined;
  /** Whether the key opened nothing: then the request was counted for its address. */
  readonly isRefusedKey: boolean;
}

/** A client that keeps its connections, and costs far less than a browser's way of asking. */
export class PlainClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  get(baseUrl: string, path: string, key: string): Promise<Answered> {
    const { promise, resolve, reject } = Promise.withResolvers<Answered>();
    const headers = { authorization: `Bearer ${key}` };
    const sent = request(`${baseUrl}${path}`, { agent: this.#agent, headers }, (response) => {
      let text = "";
      const isError = (response.statusCode ?? 0) >= 400;
      if (isError) response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      else response.resume();
      response.once("error", reject);
      response.once("end", () => {
        try {
          resolve({
            status: response.statusCode ?? 0,
            code: isError ? JSON.parse(text).error?.code : undefined,
            isRefusedKey: String(response.headers["ratelimit-policy"]).startsWith('"address"'),
          });
        } catch (error) {
          reject(error);
        }
      });
    });
    sent.once("error", reject);
    sent.end();
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
