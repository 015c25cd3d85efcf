/** What a request line asks for, before any routing. */
import { ACTIONS_PATH } from "@lineup/api/dashboard/action";
import { BASE_PATH } from "@lineup/api/endpoint";

/** A request line may hold a whole URL, as proxies send it; only its path decides where it goes. */
export function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (path === undefined) return url;
  return path.startsWith("/") ? path : `/${path}`;
}

export function isUnderPrefix(url: string | undefined): boolean {
  return isUnder(BASE_PATH, url);
}

/** Whether it is for the dashboard's own pages to ask. */
export function isOfActions(url: string | undefined): boolean {
  return isUnder(ACTIONS_PATH, url);
}

function isUnder(start: string, url: string | undefined): boolean {
  const path = decodePath(url ?? "");
  return path === start || path.startsWith(`${start}/`);
}

function decodePath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
