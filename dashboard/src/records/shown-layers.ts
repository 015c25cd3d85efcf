/**
 * What is shown of a record while writes of it are under way: the fields of each write over the record, in the order in which they were begun. The
 * record beneath stays as the server has told it. So a write that is refused leaves nothing behind, whatever was begun after it; one that is
 * taken hides nothing of what comes later; and what is read for undoing and comparing was never made up.
 */
import { useSyncExternalStore } from "react";

type Layers = ReadonlyMap<string, readonly object[]>;

let layers: Layers = new Map();
const listeners = new Set<() => void>();

/** Shows these fields, by the record's id, until what is returned is called. */
export function showFields(key: string, fields: object): () => void {
  const layer = { ...fields };
  setLayers(key, [...(layers.get(key) ?? []), layer]);
  return () => setLayers(key, layers.get(key)?.filter((one) => one !== layer) ?? []);
}

function setLayers(key: string, shown: readonly object[]): void {
  const others = [...layers].filter(([other]) => other !== key);
  tell(new Map(shown.length === 0 ? others : [...others, [key, shown]]));
}

function tell(next: Layers): void {
  layers = next;
  for (const listener of listeners) listener();
}

/** For the next person who signs in. */
export function forgetLayers(): void {
  tell(new Map());
}

export function listenToLayers(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What is shown, of all records. */
export function useLayers(): Layers {
  return useSyncExternalStore(listenToLayers, () => layers);
}

/** The same record where nothing is shown over it. */
export function coverRecord<R extends object>(record: R, shown: readonly object[] | undefined): R {
  return shown === undefined ? record : Object.assign({}, record, ...shown);
}

type ById<R> = ReadonlyMap<string, R>;

const covered = new WeakMap<ById<object>, { readonly by: Layers; readonly shown: ById<object> }>();

/** The records as they are shown: the same map for all who ask, and the one that was given where nothing is shown over any of them. */
export function coverRecords<R extends object>(byId: ById<R>): ById<R> {
  const known = covered.get(byId);
  if (known?.by === layers) return known.shown as ById<R>;
  const found = [...layers].flatMap(([id, over]) => {
    const record = byId.get(id);
    return record === undefined ? [] : [[id, coverRecord(record, over)] as const];
  });
  const shown = found.length === 0 ? byId : new Map([...byId, ...found]);
  covered.set(byId, { by: layers, shown });
  return shown;
}

export function useCovered<R extends object>(byId: ById<R> | undefined): ById<R> | undefined {
  return useSyncExternalStore(listenToLayers, () => byId && coverRecords(byId));
}
