/**
 * Node's own HTTP server, bounded in time and size, with a gate before the framework: what Node lets pass and HTTP forbids
 * is refused here, and what Node would answer by itself, without envelope or headers, goes the way of everything else.
 */
import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type ExchangeTools, exchange } from "./exchange.ts";
import { answerClientError, answerMalformedRequest } from "./malformed.ts";
import {
  createServer,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "./node-http.ts";
import { announcesBody, findPlainTarget } from "./request-target.ts";
import { type TlsFiles, tlsOptions } from "./tls.ts";

/** A client that is slower than this is let go. */
export interface ArrivalLimits {
  /** Until the head of a request is whole. */
  readonly headersMs: number;
  /** Until its body is; a file that comes quickly enough has as long again (`allowFile`). */
  readonly requestMs: number;
  /** Without a byte either way for this long, an answer under way is given up. */
  readonly standstillMs?: number;
}

export const ARRIVAL_LIMITS: ArrivalLimits = { headersMs: 10_000, requestMs: 30_000 };

/** What of a file must come in a second: far below any line that people send files over, far above what holds a connection for its own sake. */
const FILE_LEAST_BYTES_A_SECOND = 32 * 1024;
/** However quickly it comes, a file has as many times `requestMs`. */
const FILE_TERMS_MAX = 40;
const ARRIVAL_CHECK_MS = 1_000;
/** Longer than the idle time of common balancers, so that it is they who close, never we under their feet. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const STANDSTILL_MS = 120_000;
/** Requests of one connection that wait for the one before them. A client that sends more has stopped listening. */
const WAITING_MAX = 1_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** A list of some hundred items is taken by the system in one piece; with less room than that, each would be announced as taken up late. */
const ROOM_BYTES = 256 * 1024;

export interface NodeServerOptions {
  readonly tls: TlsFiles | undefined;
  readonly arrival: ArrivalLimits;
  /** Once the server is about to stop, every answer is the last on its connection. */
  readonly stopping: AbortSignal;
}

export function makeNodeServer(
  tools: ExchangeTools,
  { tls, arrival, stopping }: NodeServerOptions,
  route: RequestListener,
): Server {
  const options = {
    headersTimeout: arrival.headersMs,
    requestTimeout: arrival.requestMs * FILE_TERMS_MAX,
    connectionsCheckingInterval: Math.min(ARRIVAL_CHECK_MS, arrival.headersMs),
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's own answer to a missing Host has no envelope.
    requireHostHeader: false,
    // A header that may stand once but stands twice must not pass for its first.
    joinDuplicateHeaders: true,
    // What announces no body is not made a stream, to be opened, read to its end and closed for nothing.
    optimizeEmptyRequests: true,
    highWaterMark: ROOM_BYTES,
  };
  const handle: RequestListener = (request, response) => {
    const fault = findHttpFault(request);
    const target = fault === undefined ? findPlainTarget(request.method, request.url) : undefined;
    if (fault !== undefined) answerMalformedRequest(tools, response, fault);
    else if (target === undefined) route(request, response);
    else void exchange(tools, request, response, target);
    limitStandstill(response, arrival.standstillMs ?? STANDSTILL_MS);
  };
  const tooSlow = (response: ServerResponse) => {
    const error = Object.assign(new Error("The body took too long."), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    answerClientError(tools, error, response.req.socket, response);
  };
  // The last answer on a connection closes it, and its client comes back over a new one, which leads to another server. What was sent
  // behind a request is read in the same turn as its end; so only the next turn knows whether it is the last.
  const judge = (response: ServerResponse) => {
    if (!response.headersSent && latestOf.get(response.req.socket) === response) response.shouldKeepAlive = false;
  };
  const judgeAtEnd = (response: ServerResponse) => {
    if (response.req.complete) judge(response);
    else response.req.once("end", () => setImmediate(judge, response));
  };
  const underWay = new Set<ServerResponse>();
  stopping.addEventListener("abort", () => setImmediate(() => underWay.forEach(judgeAtEnd)), { once: true });
  const begin: RequestListener = (request, response) => {
    if (request.socket.destroyed) return;
    if (stopping.aborted) {
      setImmediate(() => {
        judgeAtEnd(response);
        if (!request.socket.destroyed) handle(request, response);
      });
      return;
    }
    handle(request, response);
    if (response.headersSent) return;
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
  };
  // Requests sent one behind the other are begun one after the other: each sees what those before it have written, and none holds
  // what an earlier one waits for.
  const waiting = new WeakMap<Duplex, number>();
  const gate: RequestListener = (request, response) => {
    const { socket } = request;
    if (announcesBody(request)) limitBody(response, arrival.requestMs, tooSlow);
    const earlier = followExchange(response);
    if (earlier === undefined) return begin(request, response);
    const before = waiting.get(socket) ?? 0;
    if (before >= WAITING_MAX) return void socket.destroy();
    waiting.set(socket, before + 1);
    earlier.once("close", () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      begin(request, response);
    });
  };
  const server: Server =
    tls === undefined
      ? createServer(options, gate)
      : createTlsServer(
          {
            ...options,
            ...tlsOptions(tls),
            allowHalfOpen: true,
            handshakeTimeout: Math.min(arrival.headersMs, HANDSHAKE_MS),
          },
          gate,
        );
  server.maxHeadersCount = 0;
  // Who closes its own side after asking still waits for the answer. Over TLS that has to be said twice, here and above.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Well-formed HTTP, and a wish that a server is free to leave unmet: it goes the way of every request, key first.
  server.on("checkExpectation", gate);
  // Where the CONNECT has a body, what Node hands over is not the socket but a stream around it.
  server.on("connect", (_request, stream) => {
    stream.on("error", ignoreFault);
    answerClientError(tools, new Error("CONNECT"), stream, latestOf.get(stream));
  });
  // Node takes its own listener off a socket that it hands over, and an error that nobody listens for would end the process. So every
  // socket has this one for its whole life.
  for (const event of ["connection", "secureConnection"]) {
    server.prependListener(event, (socket: Socket) => {
      socket.on("error", ignoreFault);
      // Reset before it could be looked at; or read here, so that it stays known when the connection is reset later.
      if (socket.remoteAddress === undefined) socket.destroy();
    });
  }
  return server;
}

/** The latest exchange of each connection. */
const latestOf = new WeakMap<Duplex, ServerResponse>();

export function findLatestExchange(socket: Duplex): ServerResponse | undefined {
  return latestOf.get(socket);
}

/** Returns the exchange before it on its connection, where that is still under way. */
function followExchange(response: ServerResponse): ServerResponse | undefined {
  const { socket } = response.req;
  const before = latestOf.get(socket);
  latestOf.set(socket, response);
  return before === undefined || before.closed ? undefined : before;
}

/** A connection that fails is closed by Node, and there is nobody left to tell. */
function ignoreFault(): void {}

/**
 * Most answers are with the system when this is called, and then no clock needs to be set for them: Node's own are for the
 * time before a request is whole and for that until the next. Who waits for its answer, or has yet to take it, is given one.
 */
function limitStandstill(response: ServerResponse, standstillMs: number): void {
  if (response.writableEnded && response.writableLength === 0) return;
  const { socket } = response.req;
  // An answer that was given less time keeps it.
  if (!socket.timeout) socket.setTimeout(standstillMs);
}

const bringsFile = new WeakSet<IncomingMessage>();

/** The body of this request may be large, and who sends it is known: it has time for as long as it keeps coming. */
export function allowFile(request: IncomingMessage): void {
  bringsFile.add(request);
}

/** Ends a request whose body comes too slowly. It has one term; a file has more, while it keeps coming. */
function limitBody(response: ServerResponse, termMs: number, end: (response: ServerResponse) => void): void {
  const { req: request } = response;
  const { socket } = request;
  const leastBytes = (FILE_LEAST_BYTES_A_SECOND * termMs) / 1_000;
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    const isComing = socket.bytesRead - seen >= leastBytes;
    seen = socket.bytesRead;
    if (isComing && bringsFile.has(request) && !request.complete) return;
    clearInterval(timer);
    if (!request.complete) end(response);
  }, termMs);
  timer.unref();
  request.once("close", () => clearInterval(timer));
}

const KNOWN_METHODS = new Set(METHODS);
const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

/** What is wrong with a request that Node could read, in words for the client; undefined when nothing is. */
function findHttpFault({ headers, httpVersion, method, url }: IncomingMessage): string | undefined {
  if ((httpVersion !== "1.1" && httpVersion !== "1.0") || !KNOWN_METHODS.has(method ?? "")) {
    return "Only HTTP/1.1 and HTTP/1.0 are spoken here. Send the request in one of them.";
  }
  const { host, "transfer-encoding": coding } = headers;
  if (host === undefined) {
    if (httpVersion === "1.1") return "The request has no Host header. Send one; HTTP/1.1 requires it.";
  } else if (!HOST.test(host)) {
    return "The Host header must be there once and hold a host, with a port where needed. Send it so.";
  }
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion === "1.0")) {
    return "The only transfer coding that is read is chunked, and only in HTTP/1.1. Send the body so, or with its Content-Length.";
  }
  if (url?.includes("#") || (url === "*" && method !== "OPTIONS")) {
    return "The request target must be a path, with a query where needed and without a fragment. Send it so.";
  }
  return undefined;
}

/** For how long clients may keep coming to be accepted; on a busy machine it takes long to accept those who were there before. */
const ACCEPT_MOST_MS = 3_000;
/** By then, what a client sent while the server was listening has arrived. */
const LAST_REQUESTS_MS = 100;
/** Connections that were busy fall idle later. */
const SWEEP_EVERY_MS = 50;
const CUT_OFF_AFTER_MS = 8_000;
/** Less than that: a connection that is not one of HTTP yet is not cut off with the others. */
const HANDSHAKE_MS = 7_000;

/**
 * Ends a server such that what clients sent before is answered. Everybody who waits to be accepted is; then nobody is. Connections that are idle
 * stay open for one more request, because a client may have sent it before it could know; every answer meanwhile closes its connection
 * (`stopping` of the server). Those under way are waited for, up to a deadline, so that a stop always ends.
 */
export async function closeServer(server: Server): Promise<void> {
  await acceptWaiting(server);
  const closed = once(server, "close");
  // HTTP's own `close` would also close idle connections at once, with what has just arrived on them.
  NetServer.prototype.close.call(server);
  await Promise.race([closed, sleep(LAST_REQUESTS_MS)]);
  // Everything that has arrived is read before the first connection is closed.
  await nextTurn();
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  const cutOff = setTimeout(() => server.closeAllConnections(), CUT_OFF_AFTER_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}

/** A turn of the event loop accepts one connection, if any waits; so nobody is waiting where two turns accepted none. */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const onConnection = () => {
    hasAccepted = true;
  };
  server.on("connection", onConnection);
  const giveUpAt = performance.now() + ACCEPT_MOST_MS;
  while (hasAccepted && performance.now() < giveUpAt) {
    hasAccepted = false;
    await nextTurn();
    await nextTurn();
  }
  server.off("connection", onConnection);
}
