/** A request that succeeds for each endpoint, made from its record, so that a new endpoint is tested on arrival. */
import { BASE_PATH } from "@lineup/api/endpoint";
import { type AnyEndpoint, ENDPOINTS, type IdPrefix } from "@lineup/api/endpoints";
import { makeId } from "../../src/store/ids.ts";
import type { Seed } from "./seed.ts";

/** The lists of records; that of changes has an order and parameters of its own. */
export const RECORD_LISTS = ENDPOINTS.filter((endpoint) => endpoint.list && endpoint.name !== "listChanges");

interface Identified {
  readonly prefix: IdPrefix;
  readonly idIn: (seed: Seed) => string;
}

/** Whose ids stand in paths, by the first step of the path. */
const IDENTIFIED: Readonly<Record<string, Identified>> = {
  players: { prefix: "player", idIn: (seed) => seed.players[0].id },
  prospects: { prefix: "prospect", idIn: (seed) => seed.prospects[0].id },
  contracts: { prefix: "contract", idIn: (seed) => seed.contracts[0].id },
};

export function takesId(endpoint: AnyEndpoint): boolean {
  return endpoint.path.includes("{id}");
}

function identifiedBy(endpoint: AnyEndpoint): Identified {
  const found = IDENTIFIED[endpoint.path.split("/")[1] ?? ""];
  if (found === undefined) throw new Error(`${endpoint.path} has an {id} of a kind that these tests do not know yet.`);
  return found;
}

export function pathWith(endpoint: AnyEndpoint, id: string): string {
  return endpoint.path.replace("{id}", id);
}

export function ownPath(endpoint: AnyEndpoint, seed: Seed): string {
  return takesId(endpoint) ? pathWith(endpoint, identifiedBy(endpoint).idIn(seed)) : endpoint.path;
}

/** A well-formed id of the right kind that nobody has. */
export function unknownPath(endpoint: AnyEndpoint): string {
  return pathWith(endpoint, makeId(identifiedBy(endpoint).prefix));
}

export function exampleBody(endpoint: AnyEndpoint): unknown {
  return "body" in endpoint ? endpoint.body.example : undefined;
}

export function expectedStatus(endpoint: AnyEndpoint): number {
  return endpoint.method === "POST" ? 201 : 200;
}

export function locationOf(endpoint: AnyEndpoint, id: string): string {
  return `${BASE_PATH}${endpoint.path}/${id}`;
}
