/**
 * The one way from the pages to the server. Every call ends: with the action's result, or with a `RequestFailure` that says what to do
 * next. A call that takes longer than its timeout, meets no server, or gets something other than an answer of ours fails as UNREACHABLE.
 */
import type { ActionBody, ActionName, ActionPath, ActionQuery, ActionResult } from "@lineup/api/dashboard/actions";
import { FAULT_TEXTS } from "../texts/frame-texts.ts";
import { ACTION_ROUTES } from "./action-routes.ts";
import { failureOf, isErrorBody, RequestFailure } from "./request-failure.ts";

const BASE = "/internal";
const TIMEOUT_MS = 30_000;

type Given<K extends string, T> = [T] extends [undefined]
  ? { readonly [P in K]?: undefined }
  : [keyof T] extends [never]
    ? { readonly [P in K]?: undefined }
    : Record<never, never> extends T
      ? { readonly [P in K]?: T }
      : { readonly [P in K]: T };

/** What a call of the action takes: `path`, `query` and `body`, each where its record has one. */
export type ActionInput<N extends ActionName> = Given<"path", ActionPath<N>> &
  Given<"query", ActionQuery<N>> &
  Given<"body", ActionBody<N>>;

interface PlainInput {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export async function callAction<N extends ActionName>(
  name: N,
  input: ActionInput<N>,
  signal?: AbortSignal,
): Promise<ActionResult<N>> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const response = await sendAction(name, input, { accept: JSON_TYPE, ends, signal });
  return readAnswer(response) as Promise<ActionResult<N>>;
}

const JSON_TYPE = "application/json";

interface Sending {
  readonly accept: string;
  /** What ends the call. */
  readonly ends: AbortSignal;
  /** What of it means that nobody waits for the answer any more, which is no failure. */
  readonly signal: AbortSignal | undefined;
}

/** The answer, whatever it is; fails only where there is none. */
export async function sendAction<N extends ActionName>(
  name: N,
  input: ActionInput<N>,
  { accept, ends, signal }: Sending,
): Promise<Response> {
  const plain = input as PlainInput;
  const [method, path] = ACTION_ROUTES[name].split(" ") as [string, string];
  const init: RequestInit = { method, headers: { accept }, signal: ends };
  if (plain.body !== undefined) {
    init.headers = { accept, "content-type": JSON_TYPE };
    init.body = JSON.stringify(plain.body);
  }
  return reach(`${BASE}${fillPath(path, plain.path)}${writeQuery(plain.query)}`, init, signal);
}

async function reach(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    // Who asked has gone on to something else: no failure.
    if (signal?.aborted === true) throw cause;
    throw new RequestFailure("UNREACHABLE", FAULT_TEXTS.unreachable, null);
  }
}

export async function readAnswer(response: Response): Promise<unknown> {
  const requestId = response.headers.get("x-request-id");
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body;
  if (isErrorBody(body)) throw failureOf(body);
  throw new RequestFailure("UNREACHABLE", FAULT_TEXTS.notOurAnswer(response.status), requestId);
}

function fillPath(path: string, names: PlainInput["path"]): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names?.[name];
    if (value === undefined || value === "") throw new Error(`The path ${path} needs ${name}.`);
    return encodeURIComponent(value);
  });
}

function writeQuery(query: PlainInput["query"]): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}
