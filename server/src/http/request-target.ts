/** What a request line asks for, before any routing. */
import type { IncomingMessage } from "node:http";
import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { BASE_PATH, type Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS, type EndpointName } from "@lineup/api/endpoints";

export type NamedEndpoint = Endpoint & { readonly name: EndpointName };

/** Where a request leads. */
export interface Target {
  /** Undefined where no endpoint has this path and method. */
  readonly endpoint: NamedEndpoint | undefined;
  /** The `{id}` of the path, decoded; empty where it has none. */
  readonly id: string;
}

/** A request line may hold a whole URL, as proxies send it; only its path decides where it goes. */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (path === undefined) return url;
  return path.startsWith("/") ? path : `/${path}`;
}

export function isUnderPrefix(url: string | undefined): boolean {
  return isUnder(BASE_PATH, url);
}

/** Whether it is for the dashboard's own pages to ask. */
export function isOfActions(url: string | undefined): boolean {
  return isUnder(ACTIONS_PATH, url);
}

/** Where assistants ask. */
const ASSISTANTS_PATH = "/mcp";

export function isOfAssistants(url: string | undefined): boolean {
  return decodePath(url ?? "") === ASSISTANTS_PATH;
}

function isUnder(start: string, url: string | undefined): boolean {
  const path = decodePath(url ?? "");
  return path === start || path.startsWith(`${start}/`);
}

function decodePath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** No fixed path has a `_` after its last slash, so that none of them can pass for an id. */
const ID = /^[a-z]{1,32}_[a-z0-9_]{1,64}$/;

/** With the whole path, or all of it up to the id. */
const PLAIN = ENDPOINTS.map((endpoint) => {
  const path = BASE_PATH + endpoint.path;
  return { target: { endpoint, id: "" }, start: path.replace(/\{id\}$/, ""), isItem: path.endsWith("{id}") };
});

/**
 * The short way to an endpoint, for requests that name it as plainly as every client does: its method, its path letter by
 * letter, an id in the form of ids. It finds nothing that the framework's router would not find the same way; whatever
 * is less plain (HEAD, percent signs, other ids, whole URLs) is left to that. There are few of them, and to compare them is quicker than to make a
 * text of the path and look it up.
 */
export function findPlainTarget(method: string | undefined, url: string | undefined): Target | undefined {
  if (url === undefined) return undefined;
  const query = url.indexOf("?");
  const end = query < 0 ? url.length : query;
  for (const { target, start, isItem } of PLAIN) {
    if (target.endpoint.method !== method || !url.startsWith(start)) continue;
    if (!isItem && start.length === end) return target;
    const id = isItem ? url.slice(start.length, end) : "";
    if (ID.test(id)) return { endpoint: target.endpoint, id };
  }
  return undefined;
}

/** Whether its headers say that a body follows. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
