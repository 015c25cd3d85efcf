/**
 * Of the dialogs that are open, the one that came last lies on top. Escape is meant for that one alone, and it has the focus: where the control that
 * had it goes, such as a button whose work is done, the dialog itself takes it. When it closes, the focus goes back to where it was.
 */
import { useEffect, useState, useSyncExternalStore } from "react";
import { useFocusBack } from "./use-focus-back.ts";

let open: readonly symbol[] = [];
const listeners = new Set<() => void>();

function change(next: readonly symbol[]): void {
  open = next;
  for (const tell of listeners) tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useOnTop(isOpen: boolean): boolean {
  useFocusBack(isOpen);
  const [self] = useState(() => Symbol());
  useEffect(() => {
    if (!isOpen) return;
    change([...open, self]);
    return () => change(open.filter((each) => each !== self));
  }, [isOpen, self]);
  const isOnTop = useSyncExternalStore(subscribe, () => open.at(-1) === self);
  useEffect(() => {
    if (!isOnTop || document.activeElement !== document.body) return;
    [...document.querySelectorAll<HTMLElement>("[aria-modal=true]")].at(-1)?.focus({ preventScroll: true });
  });
  return isOnTop;
}
