/**
 * The site's own origin as the client sees it: scheme, host and port, behind a trusted proxy too. It is what a browser's `Origin`
 * header must equal, and what links begin with.
 *
 * What always holds: over plain HTTP, which only this machine may use, the site is known by names of this machine alone, so that a
 * stranger's name that was made to lead here opens nothing. Where LINEUP_PUBLIC_URL is set, links begin with it whatever is asked for.
 */
import type { IncomingMessage } from "node:http";
import type { Client } from "./client-address.ts";
import { isLoopbackAddress } from "./client-address.ts";

export interface Site {
  /** Such as https://lineup.example.com. */
  readonly origin: string;
  readonly isSecure: boolean;
  /** What links begin with. */
  readonly baseUrl: string;
}

/** Undefined where the request came under a name that is not the site's. */
export function findSite(request: IncomingMessage, client: Client, publicUrl: string | undefined): Site | undefined {
  const host = client.forwardedHost ?? request.headers.host ?? "";
  const seen = readOrigin(`${client.isSecure ? "https" : "http"}://${host}`);
  // A proxy that nobody has named, or that changes the host, still serves the address that the operator has given.
  const isPublic =
    publicUrl !== undefined && (hostOf(publicUrl) === seen?.host || request.headers.origin === publicUrl);
  if (isPublic) return { origin: publicUrl, isSecure: publicUrl.startsWith("https:"), baseUrl: publicUrl };
  if (seen === undefined || (!client.isSecure && !isOfThisMachine(seen.hostname))) return undefined;
  return { origin: seen.origin, isSecure: client.isSecure, baseUrl: publicUrl ?? seen.origin };
}

function readOrigin(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A host header is a host and a port, and nothing that a URL could hold beside them.
  return url === undefined || url.pathname !== "/" || url.username !== "" || url.password !== "" ? undefined : url;
}

function hostOf(origin: string): string {
  return new URL(origin).host;
}

export function isOfThisMachine(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}
