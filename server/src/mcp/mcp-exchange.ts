/**
 * The door for assistants: one request to `/mcp` and its answer, from the head to the bytes, the log line and the count. Its way is that of any request,
 * id → origin → key → limits → method → form of the body, then through the protocol; and of a tool on through the pipeline, from the permission on. Past the
 * limits the body is read all the same, for a tool says by itself what refuses it, in words that an assistant is shown.
 *
 * What always holds: a request counts once, whatever its message is, and without a valid key no body is read. Nothing is kept between two requests. A page of
 * another site, which a browser lets knock at this machine, is turned away. What is unexpected is INTERNAL_ERROR outside and whole in the log.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "@lineup/api/errors";
import { answerHeaders } from "../http/answer.ts";
import type { Call } from "../http/endpoint-data.ts";
import { abandon, type ExchangeTools, report } from "../http/exchange.ts";
import { BODY_MAX_BYTES, ClientGone, type JsonObject, readJsonObject } from "../http/json-body.ts";
import {
  type Admission,
  admit,
  answerRequest,
  describeAddress,
  type Outcome,
  refuseRequest,
} from "../http/pipeline.ts";
import { withoutKeys } from "../http/refusals.ts";
import { findSite } from "../http/site.ts";
import { makeId } from "../store/ids.ts";
import { RESULT_MAX_BYTES } from "./short-answer.ts";
import { type CalledTool, callTool, type Sent, takeBody } from "./tool-call.ts";

export interface McpTools extends ExchangeTools {
  readonly version: string;
  readonly publicUrl: string | undefined;
}

/** What goes back, and what the log is told. */
interface Told {
  readonly status: number;
  readonly text: string;
  /** JSON where none is named. */
  readonly contentType?: string | null;
  readonly headers?: readonly string[];
  readonly outcome: Pick<Outcome, "verdict" | "holder" | "internalError"> & {
    readonly answer: Pick<Outcome["answer"], "status" | "code">;
  };
  /** The request that a tool stood for. */
  readonly inner?: Call | undefined;
}

/** Never rejects: whatever fails beyond every answer ends its own connection, and nothing else. */
export async function exchangeMcp(tools: McpTools, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const startedAt = performance.now();
    const client = tools.resolveClient(request);
    const call: Call = { request, requestId: makeId("req"), client, endpoint: undefined, id: "", queryString: "" };
    const told = await answer(tools, call);
    send(response, call, told);
    const elapsedMs = performance.now() - startedAt;
    if (told.inner !== undefined) report(tools, told.inner, told.outcome, elapsedMs);
    else report(tools, call, told.outcome, elapsedMs, request.method === "POST" ? "POST /mcp" : "unknown");
  } catch (error) {
    abandon(tools, request.socket, error);
  }
}

async function answer(tools: McpTools, call: Call): Promise<Told> {
  const { pipeline } = tools;
  const request = call.request as IncomingMessage;
  let admission: Admission | undefined;
  let message: JsonObject | undefined;
  try {
    // A page in a browser says where it comes from, and no page but our own has any business here.
    const { origin } = request.headers;
    const isForeign = origin !== undefined && findSite(request, call.client, tools.publicUrl)?.origin !== origin;
    if (isForeign) return refuse(tools, call, { status: 403, message: FOREIGN });
    admission = await admit(pipeline, call);
    const { attempt, verdict } = admission;
    if (attempt.outcome === "valid" && request.method === "POST")
      message = await readMessage(request, verdict.admitted);
    // A tool says by itself what refuses it.
    const isRefused = !verdict.admitted && message?.method !== "tools/call";
    if (attempt.outcome !== "valid" || isRefused) {
      return tellAsMessage(await answerRequest(pipeline, call, admission), message);
    }
    if (message === undefined) {
      return refuse(tools, call, { status: 405, message: ONLY_POST, headers: ["Allow", "POST"] }, admission);
    }
    return await speak(tools, { pipeline, call, admission, holder: attempt.holder }, message);
  } catch (error) {
    if (error instanceof ClientGone) throw error;
    return tellAsMessage(refuseRequest(pipeline, call, admission, error), message);
  }
}

const FOREIGN = "Pages of other sites may not ask here. Connect from a program instead, which sends no Origin header.";
const ONLY_POST =
  "Send each message with POST. This server keeps no sessions and opens no streams, so there is nothing to GET or DELETE.";

/** Past the limits nothing counts requests any more, so little is read of each. */
const REFUSED_MAX_BYTES = 8 * 1024;

/** Undefined where it is to be refused anyway and is no message, or a long one. */
async function readMessage(request: IncomingMessage, isAdmitted: boolean): Promise<JsonObject | undefined> {
  try {
    return await readJsonObject(request, isAdmitted ? BODY_MAX_BYTES : REFUSED_MAX_BYTES);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!isAdmitted) return undefined;
    throw new ApiError(error.code, `${error.message} At /mcp a body is one JSON-RPC message.`);
  }
}

async function speak({ version }: McpTools, sent: Sent, message: JsonObject): Promise<Told> {
  const { call, admission, holder } = sent;
  // It is said back, and so is refused before anything is done.
  if (typeof message.id === "string" && message.id.length > ID_MAX) throw new ApiError("VALIDATION_ERROR", LONG_ID);
  const { answerMessage } = await import("./mcp-protocol.ts");
  let called: CalledTool | undefined;
  let fault: Error | undefined;
  const response = await answerMessage(message, protocolHeaders(call.request.headers), {
    version,
    holder,
    callTool: async (endpoint, given) => {
      called = await callTool(sent, endpoint, given);
      return called.result;
    },
    onFault: (error) => {
      fault = error;
    },
  });
  const text = await response.text();
  // A fault names what is wrong with a message in the message's own words. Results are short: those of tools by themselves, and the list of tools,
  // the longest, has words of ours alone.
  const isResult = text.startsWith('{"result":');
  if (!isResult && Buffer.byteLength(text) > RESULT_MAX_BYTES) throw new ApiError("VALIDATION_ERROR", TOO_LONG);
  const { status } = response;
  const internalError = status >= 500 ? (fault ?? new Error("The protocol failed.")) : undefined;
  return {
    status,
    text: called === undefined ? withoutKeys(text) : text,
    contentType: response.headers.get("content-type"),
    outcome: called?.outcome ?? {
      answer: { status, code: undefined },
      verdict: admission.verdict,
      holder,
      internalError,
    },
    inner: called?.call,
  };
}

const ID_MAX = 200;
const LONG_ID = `The id of the message has more than ${ID_MAX} characters. Send a shorter one.`;
const TOO_LONG = "The message holds more than can be said back. Send shorter names, ids and headers.";

/** Those that the protocol reads. The key goes no further than this. */
function protocolHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith("mcp-"))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** JSON-RPC has numbers of its own for faults, and keeps what the API says of one beside them. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** A refusal of the pipeline. */
function tellAsMessage({ answer, ...outcome }: Outcome, message: JsonObject | undefined): Told {
  const { error, meta } = takeBody(answer) as RefusedBody;
  const { message: words, ...data } = error;
  const faultOfMessage = message === undefined ? PARSE_ERROR : INVALID_REQUEST;
  const code = error.code === "VALIDATION_ERROR" ? faultOfMessage : SERVER_ERROR;
  return {
    status: answer.status,
    headers: answer.headers,
    text: errorMessage(message?.id, code, words, { ...data, requestId: meta.requestId }),
    outcome: { ...outcome, answer },
  };
}

interface RefusedBody {
  readonly error: { readonly code: string; readonly message: string };
  readonly meta: { readonly requestId: string };
}

/** What has none of the API's codes, which has no such refusal. */
function refuse(
  { pipeline }: McpTools,
  { client, requestId }: Call,
  { status, message, headers }: Pick<Told, "status" | "headers"> & { readonly message: string },
  admission?: Admission,
): Told {
  const { verdict = describeAddress(pipeline, client), attempt } = admission ?? {};
  const holder = attempt !== undefined && "holder" in attempt ? attempt.holder : undefined;
  return {
    status,
    ...(headers && { headers }),
    text: errorMessage(null, SERVER_ERROR, message, { requestId }),
    outcome: { answer: { status, code: undefined }, verdict, holder, internalError: undefined },
  };
}

function errorMessage(id: unknown, code: number, message: string, data: object): string {
  const isId = typeof id === "number" || (typeof id === "string" && id.length <= ID_MAX);
  return JSON.stringify({ jsonrpc: "2.0", id: isId ? id : null, error: { code, message, data } });
}

function send(response: ServerResponse, { requestId }: Call, told: Told): void {
  if (response.headersSent || response.destroyed) return;
  const { status, contentType = null, headers: own = [], outcome } = told;
  const body = Buffer.from(told.text);
  const answer = { status, code: undefined, headers: own, body: [body], bodyBytes: body.length };
  const headers = answerHeaders(answer, requestId, outcome.verdict);
  if (contentType !== null) headers[headers.indexOf("Content-Type") + 1] = contentType;
  response.writeHead(status, headers);
  response.end(response.req.method === "HEAD" ? undefined : body);
}
