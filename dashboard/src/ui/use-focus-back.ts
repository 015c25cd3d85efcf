/**
 * What had the focus when a dialog came gets it back when the dialog goes. Mantine does so for dialogs that stay on the page while they are
 * closed; ours are there only while they are open.
 */
import { useEffect } from "react";

export function useFocusBack(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    const before = findKeeper(document.activeElement);
    return () => {
      if (before?.isConnected === true) before.focus({ preventScroll: true });
    };
  }, [isOpen]);
}

/** An entry of a menu is gone by then; the button that opened the menu is not. */
function findKeeper(focused: Element | null): HTMLElement | null {
  const menu = focused?.closest("[role=menu]");
  if (menu != null) return document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return focused instanceof HTMLElement && focused !== document.body ? focused : null;
}
