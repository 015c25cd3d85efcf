/** What a card shows of somebody. CardFace { card, name?, before?, after?, isLifted? } */
import { IconCrown, IconUserOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { serverNow } from "../client/server-clock.ts";
import { CARD_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { IconArmchair } from "../ui/row-icons.ts";
import { sayUtcDay } from "../ui/time-words.ts";
import type { RosterCard } from "./line-up.ts";
import classes from "./roster-board.module.css";

export interface CardFaceProps {
  readonly card: RosterCard;
  /** In the name's stead, such as a link. */
  readonly name?: ReactNode;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly isLifted?: boolean;
}

export function CardFace({ card, name, before, after, isLifted }: CardFaceProps) {
  const { ign, role, realName, isCaptain, status, since } = card;
  return (
    <div className={classes.card} data-lifted={isLifted}>
      {before}
      <div className={classes.words}>
        <div className={classes.nameLine}>
          <span className={classes.name}>{name ?? ign}</span>
          {isCaptain && <Flag icon={<IconCrown size={14} aria-hidden />} word={TEXTS.captain} />}
          {status === "benched" && <Flag icon={<IconArmchair size={14} aria-hidden />} word={TEXTS.benched} />}
          {status === "inactive" && <Flag icon={<IconUserOff size={14} aria-hidden />} word={TEXTS.inactive} />}
        </div>
        <div className={classes.role}>{realName === "" ? role : `${role} · ${realName}`}</div>
        {since > serverNow() && <div className={classes.role}>{TEXTS.joins(sayUtcDay(since))}</div>}
      </div>
      {after}
    </div>
  );
}

function Flag({ icon, word }: { readonly icon: ReactNode; readonly word: string }) {
  return (
    <span className={classes.flag}>
      {icon}
      {word}
    </span>
  );
}
