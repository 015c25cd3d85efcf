import { SETUP_TEXTS } from "../texts/entry-texts.ts";
import { EntryFrame } from "./entry-frame.tsx";
import type { LinkProps } from "./link-view.ts";
import { SetupForm } from "./setup-form.tsx";

export function SetupLink({ token }: LinkProps) {
  return (
    <EntryFrame title={SETUP_TEXTS.title} lead={SETUP_TEXTS.lead}>
      <SetupForm token={token} />
    </EntryFrame>
  );
}
