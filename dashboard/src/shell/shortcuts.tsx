/**
 * Keys that work everywhere but in fields: ⌘K or Ctrl K opens the palette (also in fields), `/` goes to the page's search, `?` shows
 * what there is. A page's search is the field with `data-page-search`.
 */
import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";

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
  const openPalette = () => setShown("palette");
  const showHelp = () => setShown("help");
  useHotkeys([["mod+K", openPalette]], []);
  useHotkeys([
    ["/", focusPageSearch],
    ["shift+?", showHelp],
  ]);
  return { shown, openPalette, showHelp, close: () => setShown(null) };
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
