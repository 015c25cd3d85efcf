/** Where on the board something can be dropped, what lies under the pointer, and where the arrow keys lead. */
import { KeyboardSensor, PointerActivationConstraints, PointerSensor } from "@dnd-kit/dom";
import type { UseDroppableInput } from "@dnd-kit/react";
import type { ColumnTeam, RosterCard, Section } from "./line-up.ts";

/** A section, a whole column, or the column of those without a team. */
export interface Spot {
  readonly team: ColumnTeam | null;
  readonly section?: Section;
  /** Which column it is of, from the left. */
  readonly column: number;
  /** Which section from above; undefined for a whole column of sections, at which the arrow keys do not stop. */
  readonly row: number | undefined;
  /** For those who do not see it. */
  readonly label: string;
}

/** What is dragged. */
export interface Dragged {
  readonly card: RosterCard;
  readonly from: Spot;
}

type Detector = NonNullable<UseDroppableInput["collisionDetector"]>;

/** Above whole columns stand their sections. */
export const COLUMN_PRIORITY = 1;
export const SECTION_PRIORITY = 2;
const POINTER_INTERSECTION = 2;

let under: { readonly x: number; readonly y: number; readonly elements: ReadonlySet<Element> } | undefined;

/** What is scrolled out of sight, or lies beneath something else, is not hit: rectangles alone would not know. */
export const detectUnderPointer: Detector = ({ dragOperation, droppable }) => {
  const { x, y } = dragOperation.position.current;
  if (under === undefined || under.x !== x || under.y !== y) {
    under = { x, y, elements: new Set(document.elementsFromPoint(x, y)) };
    // Asked for each spot in turn; later something may have scrolled.
    queueMicrotask(() => {
      under = undefined;
    });
  }
  const { element } = droppable as unknown as { readonly element?: Element };
  if (element === undefined || !under.elements.has(element)) return null;
  return { id: droppable.id, priority: SECTION_PRIORITY, type: POINTER_INTERSECTION, value: 1 };
};

const TOUCH_HOLD_MS = 250;
const TOLERANCE_PX = 5;

/** A finger that moves at once scrolls; one that holds drags. */
export const pointerSensor = PointerSensor.configure({
  activatorElements: ({ element, handle }) => [element, handle],
  activationConstraints: ({ pointerType }) =>
    pointerType === "touch"
      ? [new PointerActivationConstraints.Delay({ value: TOUCH_HOLD_MS, tolerance: TOLERANCE_PX })]
      : [new PointerActivationConstraints.Distance({ value: TOLERANCE_PX })],
  preventActivation: ({ target }, { handle }) =>
    target instanceof Element && handle?.contains(target) !== true && target.closest("button, a, [role=menu]") !== null,
});

type Direction = "up" | "down" | "left" | "right";

/** From section to section and from team to team. */
export class SpotKeyboardSensor extends KeyboardSensor {
  protected override handleMove(direction: Direction, event: KeyboardEvent): void {
    event.preventDefault();
    const { source, target } = this.manager.dragOperation;
    const from = (target?.data ?? (source?.data as Dragged | undefined)?.from) as Spot | undefined;
    if (from === undefined) return;
    const spots = [...this.manager.registry.droppables.value].map(({ data, element }) => ({
      spot: data as Spot,
      element,
    }));
    const next = findNextSpot(from, direction, spots);
    if (next?.element === undefined) return;
    next.element.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.manager.actions.move({ event, to: findVisibleMiddle(next.element) });
  }
}

export function findNextSpot<S extends { readonly spot: Spot }>(
  from: Spot,
  direction: Direction,
  all: readonly S[],
): S | undefined {
  const stops = all.filter(({ spot }) => spot.row !== undefined);
  const row = from.row ?? 0;
  if (direction === "up" || direction === "down") {
    const wanted = row + (direction === "up" ? -1 : 1);
    return stops.find(({ spot }) => spot.column === from.column && spot.row === wanted);
  }
  const column = from.column + (direction === "left" ? -1 : 1);
  const there = stops.filter(({ spot }) => spot.column === column);
  return there.find(({ spot }) => spot.row === row) ?? there[0];
}

/** Of the part that is in the window: a long column is no target as a whole. */
function findVisibleMiddle(element: Element): { readonly x: number; readonly y: number } {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const middle = (from: number, to: number, size: number) => (Math.max(from, 0) + Math.min(to, size)) / 2;
  return { x: middle(left, right, window.innerWidth), y: middle(top, bottom, window.innerHeight) };
}
