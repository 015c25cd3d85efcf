/** While a page is printed, all its rows stand on it, and not those alone that are in sight; of very many, the first. */
import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

const PRINTED_MOST = 2_000;

let isPrinting = false;

function subscribe(listener: () => void): () => void {
  // What is printed is what is there when the listener returns.
  const tell = ({ type }: Event) => {
    isPrinting = type === "beforeprint";
    flushSync(listener);
  };
  addEventListener("beforeprint", tell);
  addEventListener("afterprint", tell);
  return () => {
    removeEventListener("beforeprint", tell);
    removeEventListener("afterprint", tell);
  };
}

/** How many rows to draw beyond those in sight. */
export function useOverscan(usual: number): number {
  return useSyncExternalStore(subscribe, () => isPrinting) ? PRINTED_MOST : usual;
}
