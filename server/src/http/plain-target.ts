/**
 * The short way to an endpoint, for requests that name it as plainly as every client does: its method, its path letter by
 * letter, an id in the alphabet of ids. It finds nothing that the framework's router would not find the same way; whatever
 * is less plain (HEAD, percent signs, other ids, whole URLs) is left to that.
 */
import { BASE_PATH } from "@lineup/api/endpoint";
import { ENDPOINTS } from "@lineup/api/endpoints";
import type { Target } from "./exchange.ts";

const ID = /^[a-z0-9_]{1,64}$/;
const ITEM = "{id}";

interface Targets {
  /** By the whole path. */
  readonly whole: Map<string, Target>;
  /** By the path up to the id. */
  readonly items: Map<string, Target["endpoint"]>;
}

const byMethod = new Map<string, Targets>();
for (const endpoint of ENDPOINTS) {
  const targets = byMethod.get(endpoint.method) ?? { whole: new Map(), items: new Map() };
  byMethod.set(endpoint.method, targets);
  const path = BASE_PATH + endpoint.path;
  if (path.endsWith(ITEM)) targets.items.set(path.slice(0, -ITEM.length), endpoint);
  else targets.whole.set(path, { endpoint, id: "" });
}

export function findPlainTarget(method: string | undefined, url: string | undefined): Target | undefined {
  const targets = byMethod.get(method ?? "");
  if (targets === undefined || url === undefined) return undefined;
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const target = targets.whole.get(path);
  if (target !== undefined) return target;
  const idAt = path.lastIndexOf("/") + 1;
  const endpoint = targets.items.get(path.slice(0, idAt));
  if (endpoint === undefined) return undefined;
  const id = path.slice(idAt);
  return ID.test(id) ? { endpoint, id } : undefined;
}
