/** One call of a tool: the request that it stands for goes through the pipeline, and its answer becomes a short result. */
import { Readable } from "node:stream";
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import { ApiError, bodyError, type ErrorDetail, parameterError } from "@lineup/api/errors";
import { printableName } from "@lineup/api/fields";
import { LIMIT_MAX } from "@lineup/api/parameters";
import type { Holder } from "../access/authenticator.ts";
import type { Answer } from "../http/answer.ts";
import type { Call, Pipeline } from "../http/endpoint-data.ts";
import { ClientGone, type JsonObject } from "../http/json-body.ts";
import { type Admission, answerRequest, isOpenTo, type Outcome, refuseRequest } from "../http/pipeline.ts";
import type { NamedEndpoint } from "../http/request-target.ts";
import { waitOf } from "../limits/windows.ts";
import { countFitting, fits, makeResult, shortenToFit, type ToolResult } from "./short-answer.ts";
import { PAGE_ITEMS_MAX } from "./tools.ts";

/** The request that an assistant sent, and whose it is. */
export interface Sent {
  readonly pipeline: Pipeline;
  readonly call: Call;
  readonly admission: Admission;
  readonly holder: Holder;
}

/** What the assistant is told; and for the log, the request that the tool stands for. */
export interface CalledTool {
  readonly result: ToolResult;
  readonly call: Call;
  readonly outcome: Outcome;
}

export async function callTool(sent: Sent, endpoint: NamedEndpoint, given: JsonObject): Promise<CalledTool> {
  const { pipeline, admission, holder } = sent;
  const call = makeCall(sent, endpoint, NOTHING);
  // What refuses the key comes before what is wrong with the arguments.
  if (!admission.verdict.admitted || !isOpenTo(endpoint, holder)) {
    return refused(call, await answerRequest(pipeline, call, admission));
  }
  try {
    const input = readArguments(endpoint, given);
    return await (endpoint.list ? readShortPage(sent, endpoint, input) : callOnce(sent, endpoint, input));
  } catch (error) {
    if (error instanceof ClientGone) throw error;
    return refused(call, refuseRequest(pipeline, call, admission, error));
  }
}

const NOTHING: ToolInput = { id: "", query: new Map(), headers: {}, body: {} };

async function callOnce(sent: Sent, endpoint: NamedEndpoint, input: ToolInput): Promise<CalledTool> {
  const call = makeCall(sent, endpoint, input);
  const outcome = await answerRequest(sent.pipeline, call, sent.admission);
  if (outcome.answer.code !== undefined) return refused(call, outcome);
  const { data } = takeBody(outcome.answer) as { readonly data: JsonObject };
  const rest = { etag: headerOf(outcome.answer, "ETag") };
  return { call, outcome, result: makeResult({ data: shortenToFit(data, rest), ...rest }) };
}

/**
 * A page of as many records as fit. It is asked for again with as many as have fitted, so that its cursor stands behind the last of them: it is then a page
 * as any client gets it, and between two of them nothing is lost. What was written meanwhile may make it longer; then fewer are asked for. Both are the same
 * request, which counts once.
 */
async function readShortPage(sent: Sent, endpoint: NamedEndpoint, input: ToolInput): Promise<CalledTool> {
  for (let limit = firstLimit(input.query.get("limit")); ; ) {
    const call = makeCall(sent, endpoint, { ...input, query: new Map([...input.query, ["limit", limit]]) });
    const outcome = await answerRequest(sent.pipeline, call, sent.admission);
    if (outcome.answer.code !== undefined) return refused(call, outcome);
    const { data, meta } = takeBody(outcome.answer) as Page;
    const rest = { nextCursor: meta.nextCursor };
    const fitting = countFitting(data, rest);
    if (fitting === data.length) return { call, outcome, result: makeResult({ data, ...rest }) };
    const [first] = data;
    if (data.length === 1 && first !== undefined) {
      if (!fits({ ...rest, room: ROOM_FOR_ONE })) {
        throw parameterError([{ field: "cursor", message: TOO_MANY_FILTERS }]);
      }
      return { call, outcome, result: makeResult({ data: [shortenToFit(first, rest)], ...rest }) };
    }
    limit = String(Math.max(1, fitting));
  }
}

interface Page {
  readonly data: readonly JsonObject[];
  readonly meta: { readonly nextCursor: string | null };
}

/** What is not a limit is left for the pipeline to refuse. */
function firstLimit(asked = String(PAGE_ITEMS_MAX)): string {
  const limit = /^\d{1,3}$/.test(asked) ? Number(asked) : Number.NaN;
  return limit > PAGE_ITEMS_MAX && limit <= LIMIT_MAX ? String(PAGE_ITEMS_MAX) : asked;
}

/** What a cursor has to leave for the only record of a page, which can always be shortened to as much. */
const ROOM_FOR_ONE = "-".repeat(4_000);

/** A cursor repeats its filters. */
const TOO_MANY_FILTERS = "belongs to filters that leave no room for an answer; ask for fewer values at once";

/** As much as the server reads of a head: what is behind it counts on no request being longer. */
const TARGET_MAX = 16 * 1024;
const TOO_MUCH = "The arguments take more room than an address has. Send fewer values at once, or shorter ones.";

const NO_ID = "No record has this id. The tools that list records tell their ids.";

function makeCall({ call }: Sent, endpoint: NamedEndpoint, { id, query, headers, body }: ToolInput): Call {
  const queryString = new URLSearchParams([...query]).toString();
  const path = BASE_PATH + endpoint.path.replace("{id}", encodeURIComponent(id));
  const url = queryString === "" ? path : `${path}?${queryString}`;
  if (url.length > TARGET_MAX) throw new ApiError("INVALID_PARAMETER", TOO_MUCH);
  // Answers are cached by their target; an id that makes another endpoint's of it, such as "expiring", is none.
  if (id !== "" && ENDPOINTS.some((one) => BASE_PATH + one.path === path)) throw new ApiError("NOT_FOUND", NO_ID);
  const { socket, headers: outer } = call.request;
  const { "user-agent": userAgent } = outer;
  const request = {
    method: endpoint.method,
    url,
    headers: { ...headers, ...(userAgent !== undefined && { "user-agent": userAgent }) },
    rawHeaders: [],
    socket,
    body,
  };
  return { ...call, request, endpoint, id, queryString };
}

function refused(call: Call, outcome: Outcome): CalledTool {
  const { error, meta } = takeBody(outcome.answer) as { readonly error: JsonObject; readonly meta: JsonObject };
  const { admitted } = outcome.verdict;
  const rest = { requestId: meta.requestId, ...(!admitted && { retryAfterSeconds: waitOf(outcome.verdict) }) };
  return { call, outcome, result: makeResult({ error: shortenToFit(error, rest), ...rest }, true) };
}

/** All of it is in memory: only a list that is asked for without a limit is sent while it is read. */
export function takeBody({ body, release }: Answer): unknown {
  release?.();
  if (body instanceof Readable) throw new Error("An answer to a tool is not sent in parts.");
  const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : Buffer.concat(body);
  return JSON.parse(bytes.toString("utf8"));
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  const at = headers.indexOf(name);
  return at < 0 ? undefined : headers[at + 1];
}

interface ToolInput {
  readonly id: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Arguments of tools that write which are headers of a request. */
const HEADERS: Readonly<Record<string, string>> = { idempotencyKey: "idempotency-key", ifMatch: "if-match" };
const HEADERS_OF: Readonly<Record<NamedEndpoint["method"], readonly string[]>> = {
  GET: [],
  POST: ["idempotencyKey"],
  PATCH: ["idempotencyKey", "ifMatch"],
};

/**
 * From the arguments of a tool to what a client of the API would send in their place. What cannot stand there at all is refused here, all of
 * it at once; whether it fits the endpoint is the pipeline's to say.
 */
function readArguments(endpoint: NamedEndpoint, given: JsonObject): ToolInput {
  const takesId = endpoint.path.endsWith("{id}");
  const headerNames = HEADERS_OF[endpoint.method];
  const faults: ErrorDetail[] = [];
  const query = new Map<string, string>();
  const headers: Record<string, string> = {};
  const body: [name: string, value: unknown][] = [];
  let id = "";
  for (const [name, value] of Object.entries(given)) {
    const header = headerNames.includes(name) ? HEADERS[name] : undefined;
    const isId = takesId && name === "id";
    if (endpoint.body !== undefined && header === undefined && !isId) {
      body.push([name, value]);
      continue;
    }
    const text = textOf(value);
    if (text === undefined) faults.push({ field: printableName(name), message: NO_TEXT });
    else if (isId) id = text;
    else if (header !== undefined) headers[header] = text;
    else query.set(name, text);
  }
  if (takesId && given.id === undefined) faults.push({ field: "id", message: "is missing; send the id of the record" });
  if (faults.length > 0) throw endpoint.body === undefined ? parameterError(faults) : bodyError(faults);
  return { id, query, headers, body: Object.fromEntries(body) };
}

const NO_TEXT = "must be a text or a number; leave it out where nothing is meant";

function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.isWellFormed() ? value : undefined;
}
