/**
 * What had the focus when a dialog came gets it back when the dialog goes. Mantine does so for dialogs that stay on the page while they are
 * closed; most of ours are there only while they are open. Where it is gone by then, such as a button whose work is done, the focus stays as near as can be:
 * in a dialog that lies beneath, where it was in one.
 */
import { useEffect } from "react";

const DIALOG = "[aria-modal=true]";

let lastFocused: Element | null = null;

// Where nothing moves, the menu that opens a dialog is gone before the dialog comes.
document.addEventListener("focusin", ({ target }) => {
  lastFocused = target instanceof Element ? target : null;
});

/** Also what had it and was taken off the page since; not what was left on purpose. */
function findFocused(): Element | null {
  const { activeElement, body } = document;
  return activeElement === body && lastFocused?.isConnected === false ? lastFocused : activeElement;
}

/** Whether what had the focus was taken off the page, and nothing has it now. */
export function isFocusLost(): boolean {
  return findFocused() !== document.activeElement;
}

export function useFocusBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = findKeeper(findFocused());
    const around = listAncestors(before);
    return () => findNearest(before, around)?.focus({ preventScroll: true });
  }, [isOpen]);
}

/** An entry of a menu is gone by then; the button that opened the menu is not. */
function findKeeper(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest("[role=menu]");
  if (menu != null) return document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return focused instanceof HTMLElement && focused !== document.body ? focused : null;
}

/** From the inside outwards, as far as its section, which a dialog is too: what stands in another has nothing to do with it. */
function listAncestors(element: HTMLElement | null): readonly HTMLElement[] {
  const found: HTMLElement[] = [];
  let next: HTMLElement | null = element?.closest(`main, ${DIALOG}`) ? element.parentElement : null;
  while (next !== null && next.tagName !== "MAIN") {
    found.push(next);
    next = next.matches(`section, ${DIALOG}`) ? null : next.parentElement;
  }
  return found;
}

/** The same control where it was drawn anew, such as that of a card in another column; the page's heading where nothing else is left. */
function findNearest(before: HTMLElement | null, around: readonly HTMLElement[]): HTMLElement | null {
  if (before?.isConnected) return before;
  const label = before?.ariaLabel;
  const again = label && document.querySelector<HTMLElement>(`main [aria-label="${CSS.escape(label)}"]`);
  if (again) return again;
  for (const ancestor of around) {
    const first = ancestor.isConnected && ancestor.querySelector<HTMLElement>("a[href], button:not(:disabled)");
    if (first) return first;
  }
  // One that is going still has the focus.
  const beneath = [...document.querySelectorAll<HTMLElement>(`${DIALOG}:not(:focus-within)`)].at(-1);
  return beneath ?? document.querySelector<HTMLElement>("main h1");
}
