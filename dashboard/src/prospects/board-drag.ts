/**
 * How cards are dragged. A mouse drags once it has moved a little, so that a press is still a press; a finger once it has rested, so that a
 * swipe still scrolls. Without the library's own plugin for screen readers, which would make a button of a card that holds buttons: what is
 * dragged can be done by the card's menu and by keys, and what was done is said. Nor with those for the cursor and selection: each makes the
 * browser style every element of the page anew when a drag begins and ends.
 */
import { AutoScroller, Feedback, PointerActivationConstraints, PointerSensor, StyleInjector } from "@dnd-kit/dom";
import { readStyleNonce } from "../style-nonce.ts";

const REST_MS = 220;

export const BOARD_SENSORS = [
  PointerSensor.configure({
    activationConstraints: ({ pointerType }) =>
      pointerType === "touch"
        ? [new PointerActivationConstraints.Delay({ value: REST_MS, tolerance: 8 })]
        : [new PointerActivationConstraints.Distance({ value: 6 })],
    preventActivation: ({ target }) => target instanceof Element && target.closest("[data-undraggable]") !== null,
  }),
];

export const BOARD_PLUGINS = [
  StyleInjector.configure({ nonce: readStyleNonce() }),
  AutoScroller,
  // The card is drawn anew where it was dropped.
  Feedback.configure({ dropAnimation: null }),
];
