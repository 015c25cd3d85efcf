/** Reads and writes single cookies; those of sessions are the authentication library's. */

export const COOKIE_PREFIX = "lineup";

export function cookieName(name: string, isSecure: boolean): string {
  return `${isSecure ? "__Secure-" : ""}${COOKIE_PREFIX}.${name}`;
}

export function findCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
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
