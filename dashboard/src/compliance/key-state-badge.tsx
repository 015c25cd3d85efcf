import type { KeyState } from "@lineup/api/dashboard/keys";
import { KEY_STATE_TEXTS } from "../texts/key-texts.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import { KEY_STATE_LOOKS } from "./key-states.ts";

/** A key's state: icon, word, and what to do in its tooltip. */
export function KeyStateBadge({ state }: { readonly state: KeyState }) {
  const { icon, tone } = KEY_STATE_LOOKS[state];
  const { word, advice } = KEY_STATE_TEXTS[state];
  return <StatusBadge icon={icon} word={word} tone={tone} tip={advice} />;
}
