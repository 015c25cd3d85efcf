/** Where a request came from, as far as anybody may rely on it, and single cookies of it; those of sessions are the authentication library's. */

export interface Visit {
  readonly requestId: string;
  /** The client's address, behind trusted proxies too. */
  readonly address: string;
  readonly userAgent: string | null;
  /** The cookies as they were sent. */
  readonly cookie: string;
  /** Whether the client came over HTTPS; if not, it is this machine. */
  readonly isSecure: boolean;
  /** Where the dashboard is for this client, such as https://lineup.example.com: links begin with it. */
  readonly baseUrl: string;
  readonly now: number;
}

export interface SignedInUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isOperator: boolean;
  /** The session's own id, never its token. */
  readonly sessionId: string;
}

/** Over HTTPS browsers take such names only from this host itself, for all of it: no neighbouring host can plant one. */
export function cookiePrefix(isSecure: boolean): string {
  return isSecure ? "__Host-lineup" : "lineup";
}

export function cookieName(name: string, isSecure: boolean): string {
  return `${cookiePrefix(isSecure)}.${name}`;
}

/** Undefined, too, where it was sent twice: one of the two is somebody else's. */
export function findCookie(header: string, name: string): string | undefined {
  const values: string[] = [];
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim());
  }
  return values.length === 1 ? values[0] : undefined;
}

/** The header without one of its cookies. */
export function withoutCookie(header: string, name: string): string {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "" && pair.split("=", 1)[0] !== name)
    .join("; ");
}
