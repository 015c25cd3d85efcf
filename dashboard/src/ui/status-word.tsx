/** A status in a dense table: an icon and a word, never a colour alone, and light enough for thousands. StatusWord { icon, word, tone } */
import type { TablerIcon } from "@tabler/icons-react";
import type { Tone } from "../theme.ts";
import classes from "./status-word.module.css";

export interface StatusWordProps {
  readonly icon: TablerIcon;
  readonly word: string;
  readonly tone: Tone;
}

export function StatusWord({ icon: IconShape, word, tone }: StatusWordProps) {
  return (
    <span className={classes.status} data-tone={tone}>
      <IconShape size={15} stroke={2} aria-hidden />
      {word}
    </span>
  );
}
