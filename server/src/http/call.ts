/** A request on its way through the pipeline, and what the pipeline is made of. */
import type { Endpoint } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import type { Authenticator, Holder } from "../access/authenticator.ts";
import type { Limiter } from "../limits/windows.ts";
import type { MakeWrite } from "../resources/context.ts";
import type { Store } from "../store/store.ts";
import type { AnswerCache, AnswerSpans } from "./answer-cache.ts";
import type { Client } from "./client-address.ts";
import type { BodySource } from "./json-body.ts";
import type { NamedEndpoint, RequestHead } from "./request-head.ts";

export interface Pipeline {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly limiter: Limiter;
  readonly cache: AnswerCache;
  readonly spans: AnswerSpans;
  readonly makeWrite: MakeWrite;
  readonly now: () => number;
}

export interface Call {
  readonly request: RequestHead;
  /** Where its body comes from; undefined for what has none. */
  readonly body: BodySource | undefined;
  readonly requestId: string;
  readonly client: Client;
  /** Undefined where no endpoint has this path and method. */
  readonly endpoint: NamedEndpoint | undefined;
  /** The `{id}` of the path, decoded; empty where it has none. */
  readonly id: string;
  readonly queryString: string;
}

/** A call that has passed key, limits and permission. */
export interface Admitted {
  readonly endpoint: NamedEndpoint;
  readonly holder: Holder;
  readonly now: number;
  /** Of the organization's data, for what reads them; undefined where the organization is gone. */
  readonly revision: number | undefined | Promise<number | undefined>;
}

const routes = new Map<Endpoint, string>(ENDPOINTS.map((one) => [one, `${one.method} ${one.path}`]));

/** How messages, log lines and metrics name the endpoint. */
export function routeOf(endpoint: Endpoint | undefined): string {
  // A method the path does not have is no route of ours, whatever the client calls it.
  return (endpoint && routes.get(endpoint)) ?? "unknown";
}
