/**
 * Answers what never becomes a request: HTTP that is not well-formed, too slow, or too large in its headers. Node gives it
 * to us as a bare socket, so the answer is written by hand, with the same envelope and headers as any other, and the
 * connection is closed. It counts against no window: there is nothing to guess here, and the answer is always the same 400.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "@lineup/api/errors";
import { makeId } from "../store/ids.ts";
import { answerHeaders, errorAnswer } from "./answer.ts";
import type { ExchangeTools } from "./exchange.ts";
import { describeAddress } from "./pipeline.ts";

const REASONS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it without pausing.",
  HPE_HEADER_OVERFLOW: "The headers or the URL are too large. Send less in them; 16 KiB is the limit.",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "The chunk extensions are too large. Send the body without them.",
};

const NOT_HTTP = "The request is not well-formed HTTP. Check the request line, the headers and the length of the body.";

/** For Node's `clientError`. */
export function answerClientError(tools: ExchangeTools, error: NodeJS.ErrnoException, socket: Duplex): void {
  // A connection that was reset, or that already carries an answer, has nobody left to tell.
  if (error.code === "ECONNRESET" || !socket.writable || socket.destroyed || hasAnswerUnderWay(socket)) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = makeAnswer(tools, REASONS[error.code ?? ""] ?? NOT_HTTP, addressOf(socket));
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head.join("")}${date}Connection: close\r\n\r\n${body}`);
  // The client may go on sending; what arrives after the answer is nobody's, but closing at once could lose the answer.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

/** For requests that parse but that HTTP forbids, such as one without a Host. */
export function answerMalformedRequest(
  tools: ExchangeTools,
  request: IncomingMessage,
  response: ServerResponse,
  reason: string,
): void {
  const { status, headers, body } = makeAnswer(tools, reason, tools.resolveClient(request).address);
  response.writeHead(status, { ...headers, Connection: "close" });
  response.end(request.method === "HEAD" ? undefined : body);
}

function makeAnswer(tools: ExchangeTools, reason: string, address: string) {
  const requestId = makeId("req");
  const answer = errorAnswer(new ApiError("VALIDATION_ERROR", reason), requestId, tools.pipeline.now());
  tools.metrics.countMalformed();
  tools.log.info({ requestId, status: answer.status, code: answer.code }, "malformed request");
  const headers = answerHeaders(answer, requestId, describeAddress(tools.pipeline, { address }));
  return { status: answer.status, headers, body: answer.body.join("") };
}

function addressOf(socket: Duplex): string {
  return "remoteAddress" in socket && typeof socket.remoteAddress === "string" ? socket.remoteAddress : "";
}

/** Node hangs the response that is being written on the socket; half an answer must not be followed by another. */
function hasAnswerUnderWay(socket: Duplex): boolean {
  const message = "_httpMessage" in socket ? (socket._httpMessage as ServerResponse | null) : null;
  return message?.headersSent === true;
}
