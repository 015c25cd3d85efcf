/**
 * One attempt to hand a message to an endpoint. Whatever is at the other end, it costs a bounded time and a bounded memory: 15 seconds from
 * the name's look-up to the answer's head, 8 KiB of headers, and 4 KiB of a body that nobody looks at. Redirects are not followed: they
 * would lead past what was judged.
 */
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import type { Change } from "@lineup/api/changes";
import { PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { type AddressGuard, ForbiddenAddress } from "./address-guard.ts";
import { signMessage } from "./webhook-secret.ts";

const ATTEMPT_MAX_MS = 15_000;
const HEADERS_MAX_BYTES = 8 * 1024;
const BODY_READ_MAX_BYTES = 4 * 1024;
/** Of an answer to come, such as 103 Early Hints. */
const HINTS_MAX = 10;
/** An answer's body that takes longer is not waited for. */
const BODY_PATIENCE_MS = 500;
/** Less than most servers keep a connection that nobody uses. */
const IDLE_CONNECTION_MS = 4_000;
/** To one host, which may have many webhooks: a connection costs more than a message. */
const IDLE_CONNECTIONS_MAX = 256;
/** Connections that the other side had closed before we wrote to them. */
const STALE_CONNECTIONS_MAX = 3;

export interface Message {
  readonly id: string;
  readonly body: string;
}

export interface Attempt {
  readonly at: number;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why it did not succeed, for a person; null where it did. */
  readonly fault: string | null;
}

export interface AttemptResult extends Attempt {
  /** How long the endpoint asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

export interface RequesterOptions {
  readonly guard: AddressGuard;
  readonly version: string;
  /** The certificate to trust in place of those that Node brings, for tests. */
  readonly ca?: string | undefined;
  /** How long an attempt may take, for tests that cannot wait for it. */
  readonly attemptMaxMs?: number | undefined;
  now(): number;
}

export class WebhookRequester {
  readonly #agent: Agent;
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
    this.#agent = new Agent({
      keepAlive: true,
      maxFreeSockets: IDLE_CONNECTIONS_MAX,
      timeout: IDLE_CONNECTION_MS,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
  }

  /** Never rejects. */
  async send(url: string, secrets: readonly string[], message: Message): Promise<AttemptResult> {
    const at = this.#options.now();
    const begun = performance.now();
    const durationMs = () => Math.round(performance.now() - begun);
    try {
      if (secrets.length === 0) throw new AttemptFault(UNREADABLE_SECRET);
      const { status, retryAfter, headMs } = await this.#post(new URL(url), secrets, message, at);
      const fault = faultOfStatus(status);
      const retryAfterMs = fault === null ? undefined : parseRetryAfter(retryAfter, at);
      return { at, status, durationMs: Math.round(headMs - begun), fault, retryAfterMs };
    } catch (error) {
      return { at, status: null, durationMs: durationMs(), fault: faultOfError(error) };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(url: URL, secrets: readonly string[], message: Message, at: number): Promise<Answer> {
    this.#options.guard.refuseLiteral(url);
    const timestamp = Math.floor(at / 1_000);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(message.body),
      "user-agent": `Lineup-Webhooks/${this.#options.version}`,
      "webhook-id": message.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signMessage(secrets, { ...message, timestamp }),
    };
    const maxMs = this.#options.attemptMaxMs ?? ATTEMPT_MAX_MS;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), maxMs);
    try {
      for (let stale = 0; ; stale++) {
        const answer = await this.#exchange(url, headers, message.body, deadline.signal);
        if (answer !== "stale") return answer;
        if (stale >= STALE_CONNECTIONS_MAX)
          throw Object.assign(new Error("Only stale connections."), { code: "ECONNRESET" });
      }
    } catch (error) {
      throw deadline.signal.aborted ? new AttemptFault(`gave no answer within ${maxMs / 1_000} seconds`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #exchange(
    url: URL,
    headers: Record<string, string | number>,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer | "stale"> {
    return new Promise((resolve, reject) => {
      const { lookup } = this.#options.guard;
      const posted = request(url, {
        method: "POST",
        headers,
        agent: this.#agent,
        lookup,
        signal,
        maxHeaderSize: HEADERS_MAX_BYTES,
      });
      posted.on("error", (error: NodeJS.ErrnoException) => {
        if (posted.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE")) resolve("stale");
        else reject(error);
      });
      // Whatever Node makes of what comes back, nobody waits for longer.
      signal.addEventListener("abort", () => reject(new Error("The deadline has passed.")), { once: true });
      // Nobody asked to speak another protocol; without this Node would close the connection and say nothing.
      posted.on("upgrade", ({ statusCode: status = 0 }, socket) => {
        socket.destroy();
        resolve({ status, retryAfter: undefined, headMs: performance.now() });
      });
      // Each may be followed by another, without end.
      let hints = 0;
      posted.on("information", () => {
        if (++hints > HINTS_MAX) posted.destroy(Object.assign(new Error("Too many hints."), { code: "HPE_HINTS" }));
      });
      posted.on("response", (answer) => {
        const headMs = performance.now();
        const { statusCode: status = 0, headers: received } = answer;
        finish(answer).then(() => resolve({ status, retryAfter: received["retry-after"], headMs }), reject);
      });
      posted.end(body);
    });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly headMs: number;
}

/** Reads the little that most endpoints send, so that the connection can serve the next message; else the connection goes. */
function finish(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const patience = setTimeout(() => answer.destroy(), BODY_PATIENCE_MS);
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_READ_MAX_BYTES) answer.destroy();
    });
    // What the status says stands, however the body ends.
    answer.on("error", () => undefined);
    answer.on("close", () => {
      clearTimeout(patience);
      resolve();
    });
  });
}

/** Its message is for the one who keeps the webhook. */
class AttemptFault extends Error {}

const UNREADABLE_SECRET = "was not asked: its secret cannot be read with this server's LINEUP_SECRET; rotate it";

function faultOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `answered ${status}; redirects are not followed, so give the final address`;
  return `answered ${status}`;
}

/** Words of our own: what comes from the other side, or from inside, is not repeated. */
const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ECONNRESET: "closed the connection without an answer",
  EPIPE: "closed the connection without an answer",
  ENOTFOUND: "has a name that DNS does not know",
  ENODATA: "has a name that DNS has no address for",
  ETIMEOUT: "has a name that DNS did not answer for in time",
  ESERVFAIL: "has a name that DNS could not answer for",
  ETIMEDOUT: "could not be reached in time",
  EHOSTUNREACH: "could not be reached",
  ENETUNREACH: "could not be reached",
  HPE_HEADER_OVERFLOW: "answered with headers that are too large",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another name",
};

function faultOfError(error: unknown): string {
  if (error instanceof ForbiddenAddress || error instanceof AttemptFault) return error.message;
  const code = codeOf(error);
  const known = FAULTS[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "answered with something that is not HTTP";
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return `has a certificate that is not trusted (${code})`;
  if (/SSL|TLS/.test(code)) return "could not agree on TLS";
  return code === "" ? "could not be reached" : `could not be reached (${code})`;
}

function codeOf(error: unknown): string {
  // Several addresses were tried, each with a fault of its own.
  const one: unknown = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = one instanceof Error && "code" in one ? String(one.code) : "";
  return /^[A-Z0-9_]{1,60}$/.test(code) ? code : "";
}

/** Seconds, or a date. */
function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const at = /^\d+$/.test(text) ? now + Number(text) * 1_000 : Date.parse(text);
  return Number.isNaN(at) || at <= now ? undefined : at - now;
}

/** What is sent: `{type, timestamp, data}`, by https://www.standardwebhooks.com. A message about a change has the change's id. */
export function messageOfChange(change: Change): Message {
  return { id: change.id, body: write(change.type, change.occurredAt, change) };
}

/** For trying an endpoint out. */
export function messageOfPing(pingId: string, webhookId: string, now: number): Message {
  return { id: pingId, body: write(PING_TYPE, now, { id: pingId, webhookId }) };
}

function write(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
