/** Addresses of the server, and lines to paste into a shell that call the API, as near to what will work as the running server, or else the settings, let one tell. */
import { BASE_PATH } from "@lineup/api/endpoint";
import type { Config } from "../config.ts";
import { findServerAddress } from "./server-address.ts";

export function baseUrlOf(config: Config): string {
  return `${findServerAddress(config)?.origin ?? originOf(config)}${BASE_PATH}`;
}

/** What links for people begin with. */
export function siteUrlOf(config: Config): string {
  return config.publicUrl ?? findServerAddress(config)?.site ?? originOf(config);
}

/** Where a client on this machine reaches the server; behind a proxy only the operator knows. */
export function originOf(config: Pick<Config, "host" | "isLoopback" | "port" | "tls">): string {
  if (!config.isLoopback && config.tls === undefined) return "https://YOUR-HOST";
  const host = ["0.0.0.0", "::"].includes(config.host) ? "localhost" : config.host;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return `${config.tls === undefined ? "http" : "https"}://${shownHost}:${config.port}`;
}

export function curlLine(baseUrl: string, path: string, key: string): string {
  return `curl -H "Authorization: Bearer ${key}" ${baseUrl}${path}`;
}
