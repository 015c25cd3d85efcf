/**
 * The site as browsers see it. Its own origin: scheme, host and port, behind a trusted proxy too; what a browser's `Origin`
 * header must equal, and what links begin with. And what every answer of the dashboard tells them, pages and actions alike: no framing, no
 * guessing, no other origin.
 *
 * What always holds: over plain HTTP, which only this machine may use, the site is known by names of this machine alone, so that a
 * stranger's name that was made to lead here opens nothing. Where LINEUP_PUBLIC_URL is set, links begin with it whatever is asked for.
 */
import type { IncomingMessage } from "node:http";
import { type Client, isLoopbackAddress } from "./client-address.ts";

export interface Site {
  /** Such as https://lineup.example.com. */
  readonly origin: string;
  readonly isSecure: boolean;
  /** What links begin with. */
  readonly baseUrl: string;
}

/** Undefined where the request came under a name that is not the site's. */
export function findSite(
  request: Pick<IncomingMessage, "headers">,
  client: Client,
  publicUrl: string | undefined,
): Site | undefined {
  const host = client.forwardedHost ?? request.headers.host ?? "";
  const seen = readOrigin(`${client.isSecure ? "https" : "http"}://${host}`);
  // A proxy that nobody has named, or that changes the host, still serves the address that the operator has given.
  const isPublic =
    publicUrl !== undefined && (new URL(publicUrl).host === seen?.host || request.headers.origin === publicUrl);
  if (isPublic) return { origin: publicUrl, isSecure: publicUrl.startsWith("https:"), baseUrl: publicUrl };
  if (seen === undefined || (!client.isSecure && !isOfThisMachine(seen.hostname))) return undefined;
  return { origin: seen.origin, isSecure: client.isSecure, baseUrl: publicUrl ?? seen.origin };
}

function readOrigin(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A host header is a host and a port, and nothing that a URL could hold beside them.
  return url === undefined || url.pathname !== "/" || url.username !== "" || url.password !== "" ? undefined : url;
}

function isOfThisMachine(hostname: string): boolean {
  return hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

const ALWAYS = {
  "X-Content-Type-Options": "nosniff",
  // With "no-referrer" browsers send `Origin: null` with some of our own writes; this tells other origins just as little.
  "Referrer-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "X-Robots-Tag": "noindex",
};

/** Half a year: long enough to matter, short enough to be rid of. */
const HSTS = "max-age=15552000";

export function securityHeaders(site: Site | undefined): Readonly<Record<string, string>> {
  // A browser remembers it for the host on all ports, which on this machine are other programs'.
  const isPinned = site?.isSecure === true && !isOfThisMachine(new URL(site.origin).hostname);
  return isPinned ? { ...ALWAYS, "Strict-Transport-Security": HSTS } : ALWAYS;
}

/** For an answer that is no page: nothing of it may run or be shown as one. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Styles are files of ours, and what Mantine puts in from its script under this answer's nonce. Scripts are files of ours and nothing else. */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
