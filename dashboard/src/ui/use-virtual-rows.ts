/**
 * Only the rows near what is looked at stand on the page. On a wide window the table scrolls in a frame of its own, as high as the rest
 * of the window; on a phone the page scrolls. The row that holds the focus stays on the page however far one scrolls, so that the
 * keyboard goes on where it was.
 */
import { defaultRangeExtractor, type Range, useVirtualizer, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import { useOverscan } from "./use-overscan.ts";

/** Of a row of one line, and of the head above the first. */
const ROW_PX = 38;
const HEAD_PX = 37;
const CARD_PX = 190;
const OVERSCAN = 5;

export interface VirtualRows {
  readonly items: readonly { readonly key: string; readonly index: number; readonly top: number }[];
  readonly totalPx: number;
  readonly measure: (element: HTMLTableRowElement | null) => void;
  /** To be told which row has the focus, or that none has. */
  readonly noteFocus: (key: string | null) => void;
}

export function useVirtualRows(
  keys: readonly string[],
  frame: RefObject<HTMLElement | null>,
  pageTopPx: number,
  isPhone: boolean,
): VirtualRows {
  const focused = useRef<string | null>(null);
  const rangeExtractor = useCallback((range: Range) => addFocused(defaultRangeExtractor(range), keys, focused), [keys]);
  const shared = {
    count: keys.length,
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    overscan: useOverscan(OVERSCAN),
    rangeExtractor,
    // Rows that scroll into view may come a frame later; to force them would hold the scrolling up.
    useFlushSync: false,
  };
  const inFrame = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    ...shared,
    enabled: !isPhone,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    scrollMargin: HEAD_PX,
  });
  const inPage = useWindowVirtualizer<HTMLTableRowElement>({
    ...shared,
    enabled: isPhone,
    estimateSize: () => CARD_PX,
    scrollMargin: pageTopPx,
  });
  const rows = isPhone ? inPage : inFrame;
  const { scrollMargin } = rows.options;
  return {
    items: rows
      .getVirtualItems()
      .map(({ key, index, start }) => ({ key: String(key), index, top: start - scrollMargin })),
    totalPx: rows.getTotalSize(),
    measure: rows.measureElement,
    noteFocus: useCallback((key) => {
      focused.current = key;
    }, []),
  };
}

function addFocused(indexes: number[], keys: readonly string[], focused: RefObject<string | null>): number[] {
  if (focused.current === null) return indexes;
  const index = keys.indexOf(focused.current);
  return index === -1 || indexes.includes(index) ? indexes : [...indexes, index].sort((a, b) => a - b);
}

/** How far below the top of the page an element begins; follows whatever grows or shrinks above it. */
export function usePageTop(element: RefObject<HTMLElement | null>): number {
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    const parent = element.current?.parentElement;
    if (parent == null) return;
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (box !== undefined) setTopPx(Math.round(box.top + window.scrollY));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(parent);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return topPx;
}
