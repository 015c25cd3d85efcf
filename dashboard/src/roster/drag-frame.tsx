/**
 * Dragging on the board, by pointer, finger and keyboard; what happens is also said. DragFrame { onDrop, onDragged, children }
 *   onDrop     told what was dropped where
 *   onDragged  told what is being dragged, and null when it no longer is
 */
import { AutoScroller, Feedback, StyleInjector } from "@dnd-kit/dom";
import { DragDropProvider, DragOverlay } from "@dnd-kit/react";
import { VisuallyHidden } from "@mantine/core";
import { type ComponentProps, type ReactNode, useState } from "react";
import { readStyleNonce } from "../style-nonce.ts";
import { CARD_TEXTS, DRAG_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { type Dragged, pointerSensor, type Spot, SpotKeyboardSensor } from "./board-spots.ts";
import { CardFace } from "./card-face.tsx";

export const DRAG_HINT_ID = "roster-drag-hint";

const SENSORS = [pointerSensor, SpotKeyboardSensor];

type ProviderProps = ComponentProps<typeof DragDropProvider>;

/** Parts of the board's width and height at its edges: small, so that nothing scrolls away under a card picked up near one. */
const SCROLL_EDGE = { x: 0.06, y: 0.1 };

/**
 * Without the library's own words for assistive technology, which stand in the page itself, and without its styles for cursor and
 * selection, which would have every element of the page styled anew when a drag begins.
 */
const PLUGINS: NonNullable<ProviderProps["plugins"]> = [
  AutoScroller.configure({ threshold: SCROLL_EDGE }),
  Feedback.configure({ keyboardTransition: null, dropAnimation: null }),
  StyleInjector.configure({ nonce: readStyleNonce() }),
];

export interface DragFrameProps {
  readonly onDrop: (dragged: Dragged, spot: Spot) => void;
  readonly onDragged: (dragged: Dragged | null) => void;
  readonly children: ReactNode;
}

export function DragFrame({ onDrop, onDragged, children }: DragFrameProps) {
  const [said, say] = useState("");
  return (
    <DragDropProvider
      plugins={PLUGINS}
      sensors={SENSORS}
      onDragStart={({ operation }) => {
        const dragged = operation.source?.data as Dragged | undefined;
        if (dragged === undefined) return;
        onDragged(dragged);
        say(sayPickedUp(dragged));
      }}
      onDragOver={({ operation }) => {
        const dragged = operation.source?.data as Dragged | undefined;
        const spot = operation.target?.data as Spot | undefined;
        const over = spot === undefined ? TEXTS.overNothing : TEXTS.over(spot.label);
        // It lies over where it was picked up from the first moment on; that is not worth interrupting for.
        say((before) => (before === sayPickedUp(dragged) && spot?.label === dragged?.from.label ? before : over));
      }}
      onDragEnd={({ operation, canceled }) => {
        const dragged = operation.source?.data as Dragged | undefined;
        const spot = operation.target?.data as Spot | undefined;
        onDragged(null);
        if (dragged === undefined) return;
        if (canceled || spot === undefined) {
          say(TEXTS.putBack(dragged.card.ign));
          return;
        }
        say(TEXTS.dropped(dragged.card.ign, spot.label));
        onDrop(dragged, spot);
      }}
    >
      <VisuallyHidden id={DRAG_HINT_ID}>{CARD_TEXTS.dragHint}</VisuallyHidden>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
      {children}
      <DragOverlay dropAnimation={null}>
        {(source) => <CardFace card={(source.data as Dragged).card} isLifted />}
      </DragOverlay>
    </DragDropProvider>
  );
}

function sayPickedUp(dragged: Dragged | undefined): string {
  return dragged === undefined ? "" : TEXTS.pickedUp(dragged.card.ign, dragged.from.label);
}
