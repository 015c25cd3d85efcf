/** How priorities, ratings and stages look. Always an icon and a word; colour only helps. */
import type { Prospect } from "@lineup/api/prospects";
import {
  IconBinoculars,
  IconChevronDown,
  IconChevronsUp,
  IconCircleCheck,
  IconCircleX,
  IconFileText,
  IconMessage,
  IconMinus,
  IconStar,
  IconSwords,
  type TablerIcon,
} from "@tabler/icons-react";
import { PRIORITY_NAMES, PROSPECT_TEXTS, STAGE_NAMES } from "../texts/prospect-texts.ts";
import type { Tone } from "../theme.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import classes from "./prospect-looks.module.css";
import type { Priority, Stage } from "./prospects-search.ts";

export const STAGE_LOOKS: Readonly<Record<Stage, { readonly tone: Tone; readonly icon: TablerIcon }>> = {
  identified: { tone: "quiet", icon: IconBinoculars },
  contacted: { tone: "info", icon: IconMessage },
  trial: { tone: "info", icon: IconSwords },
  offered: { tone: "warn", icon: IconFileText },
  signed: { tone: "good", icon: IconCircleCheck },
  rejected: { tone: "quiet", icon: IconCircleX },
};

const PRIORITY_ICONS: Readonly<Record<Priority, TablerIcon>> = {
  high: IconChevronsUp,
  medium: IconMinus,
  low: IconChevronDown,
};

export function StageBadge({ stage }: { readonly stage: Stage }) {
  return <StatusBadge {...STAGE_LOOKS[stage]} word={STAGE_NAMES[stage]} />;
}

export function PriorityWord({ priority }: { readonly priority: Priority }) {
  const IconShape = PRIORITY_ICONS[priority];
  return (
    <span className={classes.small} data-priority={priority}>
      <IconShape size={14} stroke={2.4} aria-hidden />
      {PRIORITY_NAMES[priority]}
    </span>
  );
}

export function Rating({ rating }: Pick<Prospect, "rating">) {
  if (rating === null) {
    return (
      <span className={classes.small} data-unknown>
        {PROSPECT_TEXTS.notRated}
      </span>
    );
  }
  return (
    <span className={classes.small}>
      <IconStar size={14} stroke={2} aria-hidden />
      {rating}
    </span>
  );
}
