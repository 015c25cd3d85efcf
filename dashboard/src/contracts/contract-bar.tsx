/** The bar of one contract: drawn for those who see it, and a button that says all of it to those who do not. */
import type { Contract } from "@lineup/api/contracts";
import { IconChevronsLeft, IconChevronsRight } from "@tabler/icons-react";
import { TIMELINE_TEXTS } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { sayUtcDay } from "../ui/time-words.ts";
import { statusAt } from "./contract-decisions.ts";
import classes from "./contract-timeline.module.css";
import { sayContract } from "./contract-words.ts";
import { type Bar, lastMomentOf } from "./timeline-geometry.ts";

export const TRACK_PX = 32;
const BAR_PX = 26;

/** For the pattern of the part in which it is too late for notice. */
export const NOTICE_PATTERN = "contract-notice";

export interface BarShapeProps {
  readonly bar: Bar;
  readonly now: number;
}

export function BarShape({ bar, now }: BarShapeProps) {
  const y = bar.track * TRACK_PX + (TRACK_PX - BAR_PX) / 2;
  const { notice } = bar;
  return (
    <g data-status={statusAt(bar.contract, now)} className={classes.bar}>
      <rect x={`${bar.left}%`} y={y} width={`${bar.width}%`} height={BAR_PX} rx={4} />
      {notice !== null && (
        <rect
          className={classes.notice}
          x={`${notice.left}%`}
          y={y}
          width={`${notice.width}%`}
          height={BAR_PX}
          fill={`url(#${NOTICE_PATTERN})`}
        />
      )}
      {bar.endsInside && (
        <line
          className={classes.end}
          x1={`${bar.left + bar.width}%`}
          x2={`${bar.left + bar.width}%`}
          y1={y}
          y2={y + BAR_PX}
        />
      )}
    </g>
  );
}

/** Which way it lies. */
const BEYOND = {
  before: <IconChevronsLeft size={14} aria-hidden />,
  after: <IconChevronsRight size={14} aria-hidden />,
};

export interface BarButtonProps extends BarShapeProps {
  readonly teamName: string | undefined;
  readonly onOpen: (contract: Contract) => void;
}

export function BarButton({ bar, now, teamName, onOpen }: BarButtonProps) {
  const { contract } = bar;
  return (
    <button
      type="button"
      className={classes.press}
      data-status={statusAt(contract, now)}
      data-beyond={bar.beyond ?? undefined}
      data-noticed={bar.notice !== null || undefined}
      style={{
        left: `${bar.left}%`,
        width: `${bar.width}%`,
        top: bar.track * TRACK_PX + (TRACK_PX - BAR_PX) / 2,
        height: BAR_PX,
      }}
      // What is seen comes first, for those who press it by saying so.
      aria-label={`${sayShortly(contract)}: ${sayContract(contract, teamName, now)}`}
      onClick={() => onOpen(contract)}
    >
      {bar.beyond === null ? <span className={classes.words}>{sayShortly(contract)}</span> : BEYOND[bar.beyond]}
    </button>
  );
}

function sayShortly(contract: Contract): string {
  const last = lastMomentOf(contract);
  const end = last === null ? TIMELINE_TEXTS.openEnd : TIMELINE_TEXTS.until(sayUtcDay(last));
  return `${CONTRACT_KIND_NAMES[contract.kind]} · ${end}`;
}
