/** What Compliance › API Keys keeps in its address. */
import type { KeyState, KeyView } from "@lineup/api/dashboard/keys";
import { isWorking, KEY_STATE_LOOKS } from "./key-states.ts";
import { dropUnset, readChoice, readText } from "./search-values.ts";

export const STATE_FILTERS = ["working", ...(Object.keys(KEY_STATE_LOOKS) as KeyState[])] as const;
export type StateFilter = (typeof STATE_FILTERS)[number];

export interface KeysSearch {
  readonly q?: string;
  readonly state?: StateFilter;
}

export function readKeysSearch(search: Readonly<Record<string, unknown>>): KeysSearch {
  return dropUnset({ q: readText(search.q), state: readChoice(search.state, STATE_FILTERS) });
}

export function matchesState(key: KeyView, state: StateFilter | undefined): boolean {
  if (state === undefined) return true;
  return state === "working" ? isWorking(key) : key.state === state;
}

/** Newest first as the server has them, but those that have ended after those that work. */
export function filterKeys(keys: readonly KeyView[], search: KeysSearch): KeyView[] {
  const words = (search.q ?? "").toLowerCase().split(/\s+/);
  const found = keys.filter((key) => matchesState(key, search.state) && words.every((word) => mentions(key, word)));
  return [...found.filter(isWorking), ...found.filter((key) => !isWorking(key))];
}

function mentions(key: KeyView, word: string): boolean {
  return [key.name, key.shownPrefix, key.id, key.createdBy, ...key.permissions].some((text) =>
    text.toLowerCase().includes(word),
  );
}
