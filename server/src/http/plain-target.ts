/**
 * The short way to an endpoint, for requests that name it as plainly as every client does: its method, its path letter by
 * letter, an id in the form of ids. It finds nothing that the framework's router would not find the same way; whatever
 * is less plain (HEAD, percent signs, other ids, whole URLs) is left to that.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import type { Target } from "./request-head.ts";

/** No fixed path has a `_` after its last slash, so that none of them can pass for an id. */
const ID = /^[a-z]{1,32}_[a-z0-9_]{1,64}$/;
const ITEM = "{id}";

interface Targets {
  /** By the whole path. */
  readonly whole: Map<string, Target>;
  /** With the path up to the id. */
  readonly items: { readonly start: string; readonly endpoint: Target["endpoint"] }[];
}

const byMethod = new Map<string, Targets>();
for (const endpoint of ENDPOINTS) {
  const targets: Targets = byMethod.get(endpoint.method) ?? { whole: new Map(), items: [] };
  byMethod.set(endpoint.method, targets);
  const path = BASE_PATH + endpoint.path;
  if (path.endsWith(ITEM)) targets.items.push({ start: path.slice(0, -ITEM.length), endpoint });
  else targets.whole.set(path, { endpoint, id: "" });
}

export function findPlainTarget(method: string | undefined, url: string | undefined): Target | undefined {
  const targets = byMethod.get(method ?? "");
  if (targets === undefined || url === undefined) return undefined;
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  // There are three of them at most, and to compare beginnings is quicker than to make a text and look it up.
  for (const { start, endpoint } of targets.items) {
    if (!path.startsWith(start)) continue;
    const id = path.slice(start.length);
    if (ID.test(id)) return { endpoint, id };
  }
  return targets.whole.get(path);
}
