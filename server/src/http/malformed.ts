/**
 * Answers what never becomes a request: HTTP that is not well-formed, too slow, or too large in its headers. Node gives it
 * to us as a bare socket, so the answer is written by hand, with the same envelope and headers as any other, and the
 * connection is closed. It counts against no window: there is nothing to guess here, and the answer is always the same 400.
 * A connection on which nothing was ever sent is only closed.
 */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { ApiError } from "@lineup/api/errors";
import { makeId } from "../store/ids.ts";
import { answerHeaders } from "./answer.ts";
import { abandon, type ExchangeTools, exchange } from "./exchange.ts";
import { IncomingMessage, METHODS, ServerResponse } from "./node-http.ts";
import { describeAddress } from "./pipeline.ts";
import { errorAnswer } from "./refusals.ts";
import { isUnderPrefix, originForm } from "./request-target.ts";

const REASONS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it without pausing.",
  HPE_HEADER_OVERFLOW: "The headers or the URL are too large. Send less in them; 16 KiB is the limit.",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "The chunk extensions are too large. Send the body without them.",
};

const NOT_HTTP = "The request is not well-formed HTTP. Check the request line, the headers and the length of the body.";

const refused = new WeakSet<Duplex>();

/** Node's `clientError`: beside the fault, the packet it was found in. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** `latest` is the latest exchange of the connection: a fault on it lies either in that request's body or in what follows. */
export function answerClientError(
  tools: ExchangeTools,
  error: ClientError,
  socket: Duplex,
  latest: ServerResponse | undefined,
): void {
  // Node repeats itself with every packet that still arrives.
  if (refused.has(socket)) return;
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && isUnused(socket)) {
    // A request that came in time may still lie unread where this process was late; it is read in this turn.
    setImmediate(() => isUnused(socket) && socket.destroy());
    return;
  }
  refused.add(socket);
  // A connection that was reset, or on which TLS failed, has nobody left to tell.
  if (/^(?:ECONNRESET$|ERR_SSL_|ERR_TLS_)/.test(error.code ?? "") || !socket.writable) socket.destroy();
  else if (latest === undefined) refuse(tools, error, socket);
  else if (!latest.req.complete) refuseBody(tools, error, latest, socket);
  // What was asked before is answered before.
  else if (latest.closed) refuse(tools, error, socket);
  else latest.once("close", () => refuse(tools, error, socket));
}

/**
 * Such a connection is closed without a word, for nothing was asked: browsers open connections ahead of need, and take what they find on one
 * for the answer to what they ask next.
 */
const isUnused = (socket: Duplex) => "bytesRead" in socket && socket.bytesRead === 0;

/** The rest of a body whose request was answered already gets no second answer. */
function refuseBody(tools: ExchangeTools, error: ClientError, response: ServerResponse, socket: Duplex): void {
  if (!response.headersSent) answerMalformedRequest(tools, response, reasonOf(error));
  else if (response.closed) close(socket);
  else response.once("close", () => close(socket));
}

function refuse(tools: ExchangeTools, error: ClientError, socket: Duplex): void {
  if (!socket.writable) return;
  try {
    const request = error.code === "HPE_INVALID_METHOD" ? findUnknownMethodRequest(error.rawPacket, socket) : undefined;
    if (request === undefined) writeRefusal(tools, reasonOf(error), socket);
    else answerUnknownMethod(tools, request, socket);
  } catch (fault) {
    abandon(tools, socket, fault);
  }
}

function writeRefusal(tools: ExchangeTools, reason: string, socket: Duplex): void {
  const address = "remoteAddress" in socket ? String(socket.remoteAddress ?? "") : "";
  const { status, headers, body } = makeAnswer(tools, reason, address);
  let head = "";
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  close(socket, `HTTP/1.1 ${status} Bad Request\r\n${head}${date}Connection: close\r\n\r\n${body}`);
}

function answerUnknownMethod(tools: ExchangeTools, request: IncomingMessage, socket: Duplex): void {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => close(socket));
  void exchange(tools, request, response, { endpoint: undefined, id: "" });
}

/** The client may go on sending; what arrives after the answer is nobody's, but closing at once could lose the answer. */
function close(socket: Duplex, lastWords = ""): void {
  socket.end(lastWords, "latin1");
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

/** For requests that parse but that HTTP forbids, such as one without a Host. */
export function answerMalformedRequest(tools: ExchangeTools, response: ServerResponse, reason: string): void {
  const { req: request } = response;
  // Its connection failed while it waited for those before it.
  if (response.headersSent) return void request.socket.destroy();
  try {
    const { status, headers, body } = makeAnswer(tools, reason, tools.resolveClient(request).address);
    response.writeHead(status, [...headers, "Connection", "close"]);
    response.end(request.method === "HEAD" ? "" : body, "latin1");
  } catch (error) {
    abandon(tools, request.socket, error);
  }
}

function makeAnswer(tools: ExchangeTools, reason: string, address: string) {
  const requestId = makeId("req");
  const answer = errorAnswer(new ApiError("VALIDATION_ERROR", reason), requestId, tools.pipeline.now());
  tools.metrics.countMalformed();
  tools.log.info({ requestId, status: answer.status, code: answer.code }, "malformed request");
  const headers = answerHeaders(answer, requestId, describeAddress(tools.pipeline, { address }));
  return { status: answer.status, headers, body: String(answer.body) };
}

function reasonOf(error: ClientError): string {
  return REASONS[error.code ?? ""] ?? NOT_HTTP;
}

/*
 * HTTP lets a method be any word, but Node's parser knows a list of them and takes the rest for broken requests. Such a
 * request is read here from the packet it came in, so that it gets the answer of any method that no path has. Only what is
 * plainly a request under the prefix, whole in its head, is taken; everything else stays broken.
 */
const WORD = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const HEAD = new RegExp(`^(${WORD}) ([\\x21-\\x7e]+) HTTP/1\\.1\\r\\n((?:${WORD}:[^\\r\\n\\0]*\\r\\n)*)\\r\\n`);

/** The spaces around a value are cut off elsewhere: to look for them here would take the square of their number. */
const HEADER = /([^:\r\n]+):([^\r\n]*)\r\n/g;

function findUnknownMethodRequest(packet: unknown, socket: Duplex): IncomingMessage | undefined {
  const [, method = "", target = "", lines = ""] =
    (Buffer.isBuffer(packet) && HEAD.exec(packet.toString("latin1"))) || [];
  const url = originForm(target);
  if (method === "" || METHODS.includes(method) || !isUnderPrefix(url)) return undefined;
  const request = new IncomingMessage(socket as Socket);
  const pairs = lines.matchAll(HEADER).map(([, name = "", value = ""]): [string, string] => [name, value.trim()]);
  const rawPairs = [...pairs];
  // It joins those that stand there more than once.
  const headers = Object.fromEntries(new Headers(rawPairs));
  if (headers.host === undefined) return undefined;
  return Object.assign(request, { method, url, headers, rawHeaders: rawPairs.flat(), httpVersion: "1.1" });
}
