/** What every answer of the dashboard tells browsers, pages and actions alike: no framing, no guessing, no other origin. */
import type { Site } from "./site-origin.ts";
import { isOfThisMachine } from "./site-origin.ts";

const ALWAYS: readonly string[] = [
  "X-Content-Type-Options",
  "nosniff",
  // With "no-referrer" browsers send `Origin: null` with some of our own writes; this tells other origins just as little.
  "Referrer-Policy",
  "same-origin",
  "X-Frame-Options",
  "DENY",
  "Cross-Origin-Opener-Policy",
  "same-origin",
  "Cross-Origin-Resource-Policy",
  "same-origin",
  "Permissions-Policy",
  "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "X-Robots-Tag",
  "noindex",
];

/** Half a year: long enough to matter, short enough to be rid of. */
const HSTS = "max-age=15552000";

/** Names and values in turn. */
export function securityHeaders(site: Site | undefined): string[] {
  // A browser remembers it for the host on all ports, which on this machine are other programs'.
  const isPinned = site?.isSecure === true && !isOfThisMachine(new URL(site.origin).hostname);
  return isPinned ? [...ALWAYS, "Strict-Transport-Security", HSTS] : [...ALWAYS];
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
