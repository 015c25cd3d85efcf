/**
 * The board: a column for each stage. Cards are dragged from one to another, moved by their menu, or by Shift with an arrow key; arrow keys alone
 * lead from card to card. Each column draws a bounded number of cards, and more when asked to.
 */
import { DragDropProvider, useDroppable } from "@dnd-kit/react";
import type { Prospect } from "@lineup/api/prospects";
import { Button, Text, Title } from "@mantine/core";
import { type KeyboardEvent, startTransition, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { STAGE_NAMES, BOARD_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { BOARD_PLUGINS, BOARD_SENSORS } from "./board-drag.ts";
import classes from "./prospect-board.module.css";
import { type CardActions, ProspectCard } from "./prospect-card.tsx";
import { STAGE_LOOKS } from "./prospect-looks.tsx";
import { groupByStage, STAGES, type Stage } from "./prospects-search.ts";

/** What fills the window comes at once, the rest behind it. */
const CARDS_AT_ONCE = 8;
const CARDS_AT_FIRST = 20;
const CARDS_MORE = 40;

export interface ProspectBoardProps extends CardActions {
  readonly prospects: readonly Prospect[];
}

export function ProspectBoard({ prospects, onOpen, onMove }: ProspectBoardProps) {
  const groups = useMemo(() => groupByStage(prospects), [prospects]);
  const [now] = useState(serverNow);
  const board = useRef<HTMLElement>(null);
  const [moved, setMoved] = useState<ReadonlySet<string>>(new Set());
  const focusAfter = useRef<string | null>(null);
  const move = useCallback(
    (prospect: Prospect, stage: Stage) => {
      // What somebody has moved is in sight in its new column, and still has the focus.
      setMoved((ids) => new Set(ids).add(prospect.id));
      focusAfter.current = prospect.id;
      onMove?.(prospect, stage);
    },
    [onMove],
  );
  useEffect(() => {
    const id = focusAfter.current;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (id === null || !isLost) return;
    findCard(board.current, id)?.focus({ preventScroll: true });
  });
  return (
    <DragDropProvider
      sensors={BOARD_SENSORS}
      plugins={BOARD_PLUGINS}
      onDragEnd={({ operation: { source, target }, nativeEvent, canceled }) => {
        const prospect = (source?.data as { readonly prospect?: Prospect } | undefined)?.prospect;
        const fallback = canceled ? undefined : STAGES.find((each) => each === target?.id);
        const stage = findStageAt(board.current, nativeEvent) ?? fallback;
        if (prospect !== undefined && stage !== undefined && stage !== prospect.stage) move(prospect, stage);
      }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section ref={board} className={classes.board} aria-label={TEXTS.label} tabIndex={0} onKeyDown={walkByArrow}>
        {STAGES.map((stage) => (
          <StageColumn
            key={stage}
            stage={stage}
            prospects={groups.get(stage) ?? []}
            always={moved}
            now={now}
            onOpen={onOpen}
            onMove={onMove === undefined ? undefined : move}
          />
        ))}
      </section>
    </DragDropProvider>
  );
}

interface StageColumnProps extends CardActions {
  readonly stage: Stage;
  readonly prospects: readonly Prospect[];
  /** Shown however many there are. */
  readonly always: ReadonlySet<string>;
  readonly now: number;
}

function StageColumn({ stage, prospects, always, now, onOpen, onMove }: StageColumnProps) {
  const titleId = useId();
  const [limit, setLimit] = useState(CARDS_AT_ONCE);
  useEffect(() => startTransition(() => setLimit(CARDS_AT_FIRST)), []);
  const { ref, isDropTarget } = useDroppable({ id: stage });
  const shown = prospects.filter(({ id }, index) => index < limit || always.has(id));
  const left = prospects.length - shown.length;
  const IconShape = STAGE_LOOKS[stage].icon;
  return (
    <div ref={ref} className={classes.column} data-target={isDropTarget || undefined} data-stage={stage}>
      <Title
        order={2}
        id={titleId}
        className={classes.columnTitle}
        aria-label={TEXTS.column(STAGE_NAMES[stage], prospects.length)}
      >
        <IconShape size={16} aria-hidden />
        {STAGE_NAMES[stage]}
        <span className={classes.count}>{prospects.length}</span>
      </Title>
      {prospects.length === 0 && (
        <Text size="sm" c="dimmed" className={classes.none}>
          {TEXTS.empty}
        </Text>
      )}
      <ul className={classes.cards} aria-labelledby={titleId}>
        {shown.map((prospect) => (
          <ProspectCard key={prospect.id} prospect={prospect} now={now} onOpen={onOpen} onMove={onMove} />
        ))}
      </ul>
      {left > 0 && (
        <Button variant="subtle" size="xs" fullWidth onClick={() => setLimit(limit + CARDS_MORE)}>
          {TEXTS.more(Math.min(left, CARDS_MORE))}
        </Button>
      )}
    </div>
  );
}

/**
 * The column under the pointer that was let go. The library looks for the column a frame later than the pointer moves, so that a quick drop would
 * land in the column before.
 */
function findStageAt(board: HTMLElement | null, event: Event | undefined): Stage | undefined {
  if (!(event instanceof PointerEvent) || event.type !== "pointerup") return undefined;
  const { clientX: x, clientY: y } = event;
  const columns = [...(board?.querySelectorAll<HTMLElement>("[data-stage]") ?? [])];
  const under = columns.find((column) => {
    const { left, right, top, bottom } = column.getBoundingClientRect();
    return x >= left && x <= right && y >= top && y <= bottom;
  });
  return STAGES.find((stage) => stage === under?.dataset.stage);
}

function findCard(board: HTMLElement | null, id: string): HTMLElement | null {
  return board?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`) ?? null;
}

/** Up and down within a column, left and right to the column beside, at the same height. */
function walkByArrow(event: KeyboardEvent<HTMLElement>): void {
  const from = event.target instanceof HTMLElement ? event.target.closest("[data-card]") : null;
  if (from === null || event.shiftKey) return;
  const columns = [...event.currentTarget.querySelectorAll("[data-stage]")].map((column) => [
    ...column.querySelectorAll<HTMLElement>("[data-card]"),
  ]);
  const columnIndex = columns.findIndex((cards) => cards.includes(from as HTMLElement));
  const index = columns[columnIndex]?.indexOf(from as HTMLElement) ?? -1;
  const to = findNeighbour(columns, columnIndex, index, event.key);
  if (to === undefined) return;
  event.preventDefault();
  to.focus();
}

function findNeighbour(
  columns: readonly (readonly HTMLElement[])[],
  column: number,
  index: number,
  key: string,
): HTMLElement | undefined {
  if (key === "ArrowDown") return columns[column]?.[index + 1];
  if (key === "ArrowUp") return columns[column]?.[index - 1];
  const beside = key === "ArrowRight" ? columns.slice(column + 1) : columns.slice(0, column).reverse();
  if (key !== "ArrowRight" && key !== "ArrowLeft") return undefined;
  const cards = beside.find(({ length }) => length > 0);
  return cards?.[Math.min(index, cards.length - 1)];
}
