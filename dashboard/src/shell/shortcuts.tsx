/**
 * ⌘K or Ctrl K opens the palette, wherever the focus is; what was typed in a dialog is not left for it. `/` goes to the page's search, `?` shows
 * what there is; both are letters where somebody types.
 * A page's search is the field with `data-page-search`. Known by the character, not by the place on one country's keyboard.
 */
import { lazy, Suspense, useEffect, useState } from "react";
import { isApple } from "./shortcut-keys.ts";

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
      if (event.defaultPrevented || event.repeat) return;
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
  // On a Mac it deletes to the end of the line.
  if (isApple && event.ctrlKey && isTyping(event.target)) return undefined;
  if (hasModifier) return event.key.toLowerCase() === "k" && !event.shiftKey ? () => openPalette(show) : undefined;
  if (isTyping(event.target)) return undefined;
  if (event.key === "/") return focusPageSearch;
  if (event.key === "?") return () => show("help");
  return undefined;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, [role=textbox]"))
  );
}

function openPalette(show: Show): void {
  if (document.querySelector("[data-changed]") === null) show("palette");
}

function focusPageSearch(): void {
  // What lies over the page keeps the focus.
  if (document.querySelector("[aria-modal=true]") !== null) return;
  const field = document.querySelector<HTMLInputElement>("[data-page-search]");
  field?.focus();
  field?.select();
}

/** People type on behind the keys that open it; so it is there before, and shown at once. One that did not come is asked for again when it is opened. */
function useLoadedPalette(isShown: boolean) {
  const [loaded, setLoaded] = useState<typeof import("./palette.tsx")>();
  const isMissing = loaded === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening it is what asks again.
  useEffect(() => {
    if (isMissing) import("./palette.tsx").then(setLoaded, () => undefined);
  }, [isMissing, isShown]);
  return loaded?.Palette;
}

export function Shortcuts({ control }: { readonly control: ShortcutControl }) {
  const Palette = useLoadedPalette(control.shown === "palette");
  return (
    <Suspense>
      {control.shown === "palette" && Palette !== undefined && <Palette onClose={control.close} />}
      {control.shown === "help" && <ShortcutHelp onClose={control.close} />}
    </Suspense>
  );
}
