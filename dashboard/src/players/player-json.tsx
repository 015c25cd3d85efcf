import type { Player } from "@lineup/api/players";
import { PLAYER_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import classes from "./player-json.module.css";

/** The player as programs see it, to copy. */
export function PlayerJson({ player }: { readonly player: Player }) {
  const json = JSON.stringify(player, null, 2);
  return (
    <SectionCard title={TEXTS.asApi} lead={TEXTS.asApiLead} actions={<CopyButton value={json} size="compact-sm" />}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard. */}
      <section className={classes.json} aria-label={TEXTS.json} tabIndex={0}>
        <code>{json}</code>
      </section>
    </SectionCard>
  );
}
