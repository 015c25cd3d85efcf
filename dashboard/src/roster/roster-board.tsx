/** The board: columns side by side, of which only those near the window's part of it are drawn. */
import { Text } from "@mantine/core";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useRef } from "react";
import { ROSTER_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { useOverscan } from "../ui/use-overscan.ts";
import { LooseColumn, TeamColumnView } from "./board-column.tsx";
import classes from "./roster-board.module.css";
import type { RosterBoard } from "./use-roster-board.ts";

const COLUMN_PX = 288;
const GAP_PX = 12;
const OVERSCAN = 1;

export interface BoardViewProps {
  readonly board: RosterBoard;
  /** Without it those without a team are not shown. */
  readonly loose?: { readonly q: string | undefined; readonly onSearch: (q: string | undefined) => void };
  readonly isComplete: boolean;
  /** The column that a card is being dragged out of: it stays drawn however far the board is scrolled. */
  readonly draggedFrom: number | undefined;
}

export function BoardView({ board, loose, isComplete, draggedFrom }: BoardViewProps) {
  const { columns } = board;
  const scroller = useRef<HTMLElement>(null);
  const overscan = useOverscan(OVERSCAN);
  const virtual = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => COLUMN_PX,
    getItemKey: (index) => columns[index]?.team.id ?? index,
    gap: GAP_PX,
    overscan,
    useFlushSync: false,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range);
      const isAway = draggedFrom !== undefined && draggedFrom < columns.length && !near.includes(draggedFrom);
      return isAway ? [...near, draggedFrom].toSorted((a, b) => a - b) : near;
    },
  });
  // Columns of many cards are drawn bit by bit: to draw them in one go would hold the scrolling up.
  const deferred = useDeferredValue(virtual.getVirtualItems());
  const items = overscan === OVERSCAN ? deferred : virtual.getVirtualItems();
  return (
    <div className={classes.board}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={scroller} className={classes.scroller} aria-label={TEXTS.board} tabIndex={0}>
        <div className={classes.columns} style={{ width: virtual.getTotalSize() }}>
          {items.map(({ index, key, start, size }) => {
            const column = columns[index];
            return (
              column !== undefined && (
                <div key={key} className={classes.slot} style={{ left: start, width: size }}>
                  <TeamColumnView column={column} index={index} />
                </div>
              )
            );
          })}
        </div>
      </section>
      {loose !== undefined && (
        <LooseColumn
          cards={board.loose}
          index={columns.length}
          {...loose}
          isComplete={isComplete}
          loading={
            <Text size="sm" c="dimmed" p={4} role="status">
              {TEXTS.loadingMore}
            </Text>
          }
        />
      )}
    </div>
  );
}
