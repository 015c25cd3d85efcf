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

/** By method and path, up to the id where there is one. */
const whole = new Map<string, Target>();
const items = new Map<string, Target["endpoint"]>();
for (const endpoint of ENDPOINTS) {
  const name = `${endpoint.method} ${BASE_PATH}${endpoint.path}`;
  if (name.endsWith(ITEM)) items.set(name.slice(0, -ITEM.length), endpoint);
  else whole.set(name, { endpoint, id: "" });
}

export function findPlainTarget(method: string | undefined, url: string | undefined): Target | undefined {
  if (method === undefined || url === undefined || !url.startsWith(BASE_PATH)) return undefined;
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  const target = whole.get(`${method} ${path}`);
  if (target !== undefined) return target;
  const idAt = path.lastIndexOf("/") + 1;
  const endpoint = items.get(`${method} ${path.slice(0, idAt)}`);
  const id = path.slice(idAt);
  return endpoint !== undefined && ID.test(id) ? { endpoint, id } : undefined;
}
