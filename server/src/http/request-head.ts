/** What the way of a request needs to know of it, whoever has read it. */
import type { Socket } from "node:net";
import type { Endpoint } from "@lineup/api/endpoint";
import type { EndpointName } from "@lineup/api/endpoints";

export type NamedEndpoint = Endpoint & { readonly name: EndpointName };

/** The headers that anything depends on. */
export interface RequestHeaders {
  readonly authorization?: string | undefined;
  readonly "accept-encoding"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly forwarded?: string | undefined;
  readonly "if-none-match"?: string | undefined;
  readonly "user-agent"?: string | undefined;
  readonly "x-forwarded-for"?: string | string[] | undefined;
  readonly "x-forwarded-host"?: string | string[] | undefined;
  readonly "x-forwarded-proto"?: string | string[] | undefined;
}

/** Node's own requests are such; those of the quick lane have no more than this. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** 1.1 where nothing is said. */
  readonly httpVersion?: string | undefined;
  readonly headers: RequestHeaders;
  /** Names and values in turn, as they came; in the quick lane, where no header stands twice, there are none. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly socket: Socket;
}

/** Where a request leads. */
export interface Target {
  /** Undefined where no endpoint has this path and method. */
  readonly endpoint: NamedEndpoint | undefined;
  /** The `{id}` of the path, decoded; empty where it has none. */
  readonly id: string;
}

const HOST = /^[\w.~!$&'()*+,;=:%[\]-]*$/;

export function isHost(text: string): boolean {
  return HOST.test(text);
}
