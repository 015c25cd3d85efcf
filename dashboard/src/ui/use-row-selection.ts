import { useCallback, useEffect, useRef } from "react";

/** Which rows are chosen, by their keys; some may be rows that are filtered out just now. */
export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

export interface RowSelection {
  /** Chooses a row or takes it out; with `isRange`, all between it and the one before as well. */
  readonly toggle: (key: string, isRange: boolean) => void;
  /** How many of the rows are chosen; undefined where nothing can be. */
  readonly all: "all" | "some" | "none" | undefined;
  readonly toggleAll: () => void;
}

export function useRowSelection(keys: readonly string[], selection: Selection | undefined): RowSelection {
  // Rows are not made again when another one is chosen, so what they call must stay the same.
  const latest = useRef({ keys, selection });
  useEffect(() => {
    latest.current = { keys, selection };
  });
  const before = useRef<string | null>(null);
  const toggle = useCallback((key: string, isRange: boolean) => {
    const now = latest.current;
    if (now.selection === undefined) return;
    const selected = new Set(now.selection.selected);
    const isChosen = !selected.has(key);
    for (const each of isRange ? listBetween(now.keys, before.current ?? key, key) : [key]) {
      if (isChosen) selected.add(each);
      else selected.delete(each);
    }
    before.current = key;
    now.selection.onChange(selected);
  }, []);
  const all = countSelected(keys, selection);
  const toggleAll = useCallback(() => {
    const now = latest.current;
    const selected = new Set(now.selection?.selected);
    for (const key of now.keys) {
      if (all === "all") selected.delete(key);
      else selected.add(key);
    }
    now.selection?.onChange(selected);
  }, [all]);
  return { toggle, all, toggleAll };
}

function listBetween(keys: readonly string[], one: string, other: string): readonly string[] {
  const [a, b] = [keys.indexOf(one), keys.indexOf(other)];
  return a === -1 || b === -1 ? [other] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

function countSelected(keys: readonly string[], selection: Selection | undefined): RowSelection["all"] {
  if (selection === undefined) return undefined;
  if (selection.selected.size === 0 || !keys.some((key) => selection.selected.has(key))) return "none";
  return keys.every((key) => selection.selected.has(key)) ? "all" : "some";
}
