/** Lines to paste into a shell that call the API, as near to what will work as the settings let one tell. */
import type { Config } from "../config.ts";

export const API_PREFIX = "/api/public/v1";

/** Where a client on this machine reaches the server; behind a proxy only the operator knows. */
export function baseUrlOf(config: Config): string {
  if (!config.isLoopback && config.tls === undefined) return `https://YOUR-HOST${API_PREFIX}`;
  const host = ["0.0.0.0", "::"].includes(config.host) ? "localhost" : config.host;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return `${config.tls === undefined ? "http" : "https"}://${shownHost}:${config.port}${API_PREFIX}`;
}

export function curlLine(baseUrl: string, path: string, key: string): string {
  return `curl -H "Authorization: Bearer ${key}" ${baseUrl}${path}`;
}
