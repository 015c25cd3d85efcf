/** Conflicts that wait for a decision, of which the first is shown. Any write may meet one, on any page; the frame of the data pages shows it. */
import { useSyncExternalStore } from "react";
import type { AnyRecord } from "./record-kinds.ts";

export interface Conflict {
  /** Tells one from the next. */
  readonly id: string;
  /** The record as the person saw it. */
  readonly seen: AnyRecord | undefined;
  /** The record as it is now. */
  readonly current: Readonly<Record<string, unknown>>;
  readonly input: { readonly body?: Readonly<Record<string, unknown>> };
  /** Writes the same over the version with this `updatedAt`. */
  readonly retry: (updatedAt: number) => Promise<void>;
}

let waiting: readonly Conflict[] = [];
const listeners = new Set<() => void>();

function setWaiting(next: readonly Conflict[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Behind those that nobody has decided yet: none is passed over. */
export function showConflict(conflict: Conflict): void {
  setWaiting([...waiting, conflict]);
}

export function endConflict(conflict: Conflict): void {
  setWaiting(waiting.filter((one) => one !== conflict));
}

export function forgetConflicts(): void {
  setWaiting([]);
}

export function useConflict(): Conflict | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting[0],
  );
}
