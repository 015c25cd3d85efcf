/** What a request line asks for, before any routing. */
import { BASE_PATH } from "@lineup/api/endpoint";

/** A request line may hold a whole URL, as proxies send it; only its path decides where it goes. */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (path === undefined) return url;
  return path.startsWith("/") ? path : `/${path}`;
}

export function isUnderPrefix(url: string | undefined): boolean {
  const path = decodePath(url ?? "");
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function decodePath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
