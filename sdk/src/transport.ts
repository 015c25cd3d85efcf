/**
 * One call: its address, its headers, its attempts. A call is tried again only where that is safe: a read always is, and a write carries an Idempotency-Key,
 * the same with each attempt, under which the server makes it once. The key goes to the address it was made for and nowhere else: redirects are not
 * followed, and it is in no message.
 */
import { ConnectionError, LineupError, RateLimitError } from "./lineup-error.ts";
import { type Answer, readAnswer } from "./read-answer.ts";

export interface CallOptions {
  /** Ends the call, also while it waits; what is thrown is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For each attempt; that of the client where none is given. */
  readonly timeoutMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** A text of your own, new for each write. Keep it with your job where your process may be killed between two attempts. */
  readonly idempotencyKey?: string | undefined;
}

export interface UpdateOptions extends WriteOptions {
  /** The ETag of the record as you have seen it (`etagOf`): where it has changed since, a ConflictError is thrown, and nothing is written. */
  readonly ifMatch?: string | undefined;
}

/** What is told of an attempt that failed and is made again. */
export interface Retry {
  readonly error: LineupError;
  /** The number of the attempt that failed, from 1 on. */
  readonly attempt: number;
  readonly waitMs: number;
}

export interface LineupOptions {
  /** The server's address, such as https://lineup.example.com; with or without /api/public/v1. */
  readonly baseUrl: string;
  /** lineup_live_… */
  readonly key: string;
  /** For each attempt, until the answer is there whole; a minute when left out. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is tried in all. When left out, 7 failures end it, which outlasts a restart of the server, and a full minute is none. The pauses of a call are five minutes in all at most. */
  readonly attempts?: number | undefined;
  /** For your log: is told before each wait. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Another fetch, such as one that knows your proxy. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly query?: object;
  readonly body?: unknown;
}

const PREFIX = "/api/public/v1";
const TIMEOUT_MS = 60_000;
const ATTEMPTS = 7;
const FIRST_PAUSE_MS = 500;
/** For all attempts of a call together: nobody who waits for an answer wants to wait for longer. */
const WAIT_MOST_MS = 300_000;
/** Of a longer time, such as Infinity, a timer makes no time at all. */
const TIMER_MOST_MS = 2 ** 31 - 1;

export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #options: LineupOptions;

  constructor(options: LineupOptions) {
    this.#base = readBaseUrl(options.baseUrl);
    this.#key = readKey(options.key);
    requireTimeout(options.timeoutMs);
    const { attempts } = options;
    if (attempts !== undefined && !(attempts >= 1))
      throw new TypeError("attempts must be 1 or more; leave it out for 7.");
    this.#options = options;
  }

  async send(call: Call, options: UpdateOptions = {}): Promise<Answer> {
    const { attempts, onRetry } = this.#options;
    requireTimeout(options.timeoutMs);
    // What cannot be sent at all is said here, once, and not taken for a broken connection.
    const init = this.#writeInit(call, options);
    let failures = 0;
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#try(call, init, options);
      } catch (error) {
        if (!(error instanceof LineupError) || !error.mayRetry) throw error;
        const isFailure = !isToldToWait(error);
        if (isFailure) failures++;
        const waitMs = waitAfter(error, isFailure ? failures : 1);
        waitedMs += waitMs;
        const isSpent = attempts === undefined ? failures >= ATTEMPTS : attempt >= attempts;
        if (isSpent || waitedMs > WAIT_MOST_MS) throw error;
        onRetry?.({ error, attempt, waitMs });
        await pause(waitMs, options.signal);
      }
    }
  }

  #writeInit({ method, body }: Call, { idempotencyKey, ifMatch }: UpdateOptions): RequestInit {
    const headers = new Headers({ Authorization: `Bearer ${this.#key}`, Accept: "application/json" });
    if (method !== "GET") headers.set("Idempotency-Key", idempotencyKey ?? crypto.randomUUID());
    if (ifMatch !== undefined) headers.set("If-Match", requireTag(ifMatch));
    if (body === undefined) return { method, headers, redirect: "manual" };
    headers.set("Content-Type", "application/json");
    return { method, headers, redirect: "manual", body: JSON.stringify(body) };
  }

  async #try(call: Call, init: RequestInit, options: CallOptions): Promise<Answer> {
    const { method, path, query = {} } = call;
    const { signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS } = options;
    signal?.throwIfAborted();
    const attempt = new AbortController();
    const end = () => attempt.abort(signal?.reason);
    const giveUp = () => attempt.abort(new Error(`no answer within ${timeoutMs / 1_000} s`));
    const timer = setTimeout(giveUp, Math.min(timeoutMs, TIMER_MOST_MS));
    signal?.addEventListener("abort", end);
    try {
      const url = this.#base + path + writeQuery(query);
      const response = await (this.#options.fetch ?? fetch)(url, { ...init, signal: attempt.signal });
      return readAnswer(response, await response.text());
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof LineupError) throw error;
      throw new ConnectionError(`${method} ${this.#base}${path} got no answer: ${reasonOf(error)}.`, error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    }
  }
}

function requireTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs > 0) return;
  throw new TypeError("timeoutMs must be more than 0; leave it out for a minute, or give Infinity for no end.");
}

/** Of what is no tag the server would say that it cannot be read, and not that the record has changed. */
function requireTag(ifMatch: string): string {
  if (/^(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)$/.test(ifMatch)) return ifMatch;
  throw new TypeError("ifMatch must be the etag of a record that was read, several of them with commas between, or *.");
}

/** A server that says when to come back has not failed, however often others are quicker then. */
function isToldToWait(error: LineupError): boolean {
  return error instanceof RateLimitError && error.retryAfterMs !== undefined;
}

/** Growing, and never twice the same: so those that were refused together do not come back together. */
function waitAfter({ retryAfterMs = 0 }: LineupError, failures: number): number {
  return retryAfterMs + FIRST_PAUSE_MS * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
}

/** Ends early, by throwing the reason, where the signal says so. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const goOn = () => {
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(goOn, Math.min(ms, TIMER_MOST_MS));
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** fetch says that it failed, and its causes say why. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : message || String((error as { code?: unknown }).code ?? error);
}

function writeQuery(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (pairs.length === 0) return "";
  const written = pairs.map(([name, value]) => [name, String(value instanceof Date ? value.getTime() : value)]);
  return `?${new URLSearchParams(written)}`;
}

function readBaseUrl(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError("The baseUrl is no URL. Give the server's address, such as https://lineup.example.com.");
  const { protocol, hostname, origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "") throw new TypeError("The baseUrl must hold no user name and no password.");
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
    throw new TypeError(
      `The baseUrl ${origin} is not HTTPS, and others could read the key on its way. Use https:// (plain HTTP is for a server on this machine alone, such as http://127.0.0.1:3000).`,
    );
  }
  const path = pathname.replace(/\/+$/, "");
  return origin + (path.endsWith(PREFIX) ? path : path + PREFIX);
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Of a file or an environment it may have a line break at its end; the message of fetch would repeat a key that it cannot send. */
function readKey(key: string | undefined): string {
  const trimmed = key?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new TypeError(
    trimmed === ""
      ? "There is no key. Make one in Compliance › API Keys, and give it as key, best from the environment."
      : "The key holds characters that no key has. Copy it again, whole: lineup_live_….",
  );
}
