/** In a long table Up and Down lead from a control to the same one of the next row; Tab would visit all of them. */
import type { KeyboardEvent } from "react";

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };
const CONTROLS = "a[href], button, input[type=checkbox]";

export function moveByArrow(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  const { target } = event;
  if (step === undefined || event.defaultPrevented || !(target instanceof HTMLElement)) return;
  const row = target.closest<HTMLElement>("tr[data-index]");
  // What opens by Down, such as a menu, is left alone.
  if (row === null || !target.matches(CONTROLS) || target.ariaHasPopup !== null) return;
  const control = [...row.querySelectorAll(CONTROLS)].indexOf(target);
  const next = event.currentTarget.querySelector(`tr[data-index="${Number(row.dataset.index) + step}"]`);
  event.preventDefault();
  // Scrolled away from, the row stands alone: its neighbours come once it is in sight again.
  if (next === null) row.scrollIntoView({ block: "nearest" });
  else next.querySelectorAll<HTMLElement>(CONTROLS)[control]?.focus();
}
