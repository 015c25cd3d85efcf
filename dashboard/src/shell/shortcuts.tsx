/**
 * Keys that work everywhere but in fields: ⌘K or Ctrl K opens the palette, `/` goes to the page's search, `?` shows what there is.
 * A page's search is the field with `data-page-search`. Known by the character, not by the place on one country's keyboard.
 */
import { lazy, Suspense, useEffect, useState } from "react";

const Palette = lazy(() => import("./palette.tsx").then((module) => ({ default: module.Palette })));
const ShortcutHelp = lazy(() => import("./shortcut-help.tsx").then((module) => ({ default: module.ShortcutHelp })));

export interface ShortcutControl {
  readonly shown: "palette" | "help" | null;
  readonly openPalette: () => void;
  readonly showHelp: () => void;
  readonly close: () => void;
}

export function useShortcuts(): ShortcutControl {
  const [shown, setShown] = useState<ShortcutControl["shown"]>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || isTyping(event.target)) return;
      const action = findAction(event, setShown);
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return {
    shown,
    openPalette: () => setShown("palette"),
    showHelp: () => setShown("help"),
    close: () => setShown(null),
  };
}

type Show = (shown: ShortcutControl["shown"]) => void;

function findAction(event: KeyboardEvent, show: Show): (() => void) | undefined {
  const hasModifier = event.metaKey || event.ctrlKey;
  if (event.altKey) return undefined;
  if (hasModifier) return event.key.toLowerCase() === "k" && !event.shiftKey ? () => show("palette") : undefined;
  if (event.key === "/") return focusPageSearch;
  if (event.key === "?") return () => show("help");
  return undefined;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select, [role=textbox]"))
  );
}

function focusPageSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-page-search]");
  field?.focus();
  field?.select();
}

export function Shortcuts({ control }: { readonly control: ShortcutControl }) {
  return (
    <Suspense>
      {control.shown === "palette" && <Palette onClose={control.close} />}
      {control.shown === "help" && <ShortcutHelp onClose={control.close} />}
    </Suspense>
  );
}
