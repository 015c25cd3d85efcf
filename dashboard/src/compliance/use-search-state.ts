import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

type Change<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * What a page keeps in its address, and how it is changed: undefined takes a value out. Filters take the place of the address before
 * them; with `isStep` the browser's way back leads to where one was.
 */
export function useSearchState<T extends object>(
  read: (search: Readonly<Record<string, unknown>>) => T,
): [T, (change: Change<T>, options?: { readonly isStep?: boolean }) => void] {
  const raw = useSearch({ strict: false });
  const navigate = useNavigate();
  const state = useMemo(() => read(raw), [read, raw]);
  const change = useCallback(
    (values: Change<T>, options: { readonly isStep?: boolean } = {}) => {
      void navigate({
        to: ".",
        search: (previous: Record<string, unknown>) => ({ ...previous, ...values }),
        replace: options.isStep !== true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [state, change];
}
