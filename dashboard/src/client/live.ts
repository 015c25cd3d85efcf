/** For what changes while it is looked at: read anew every so often while the window is seen, and at once when the page opens. */
export function live(everyMs: number): { readonly refetchInterval: number; readonly staleTime: 0 } {
  return { refetchInterval: everyMs, staleTime: 0 };
}
