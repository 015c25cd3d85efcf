/** Reads and writes single cookies; those of sessions are the authentication library's. */

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

export function writeCookie(name: string, value: string, isSecure: boolean, maxAgeSeconds: number): string {
  const parts = [`${name}=${value}`, `Max-Age=${maxAgeSeconds}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  return (isSecure ? [...parts, "Secure"] : parts).join("; ");
}
