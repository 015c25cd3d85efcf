/** What stands around the bars of the time line: its controls, its axis, the lines behind the bars, and what they mean. */
import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { CONTRACT_STATUS_NAMES, TIMELINE_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { sayUtcDay, sayUtcMonth } from "../ui/time-words.ts";
import { NOTICE_PATTERN } from "./contract-bar.tsx";
import classes from "./contract-timeline.module.css";
import { SPANS, type Span, STATUSES } from "./contracts-search.ts";
import { listTicks, locateMoment, type Tick, type TimeWindow } from "./timeline-geometry.ts";

const TICKS = { phone: 6, wide: 13 };

export interface TimelineControlsProps {
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** By how many halves of its length it is moved. */
  readonly shift: number;
  readonly onShift: (shift: number) => void;
  readonly window: TimeWindow;
}

export function TimelineControls({ span, onSpan, shift, onShift, window }: TimelineControlsProps) {
  return (
    <Group gap="xs" mb="xs" justify="space-between">
      <Group gap="xs">
        <Button.Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            onClick={() => onShift(shift - 1)}
          >
            {TEXTS.earlier}
          </Button>
          <Button variant="default" size="xs" disabled={shift === 0} onClick={() => onShift(0)}>
            {TEXTS.today}
          </Button>
          <Button
            variant="default"
            size="xs"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            onClick={() => onShift(shift + 1)}
          >
            {TEXTS.later}
          </Button>
        </Button.Group>
        <Text size="sm" c="dimmed" role="status">
          {TEXTS.shown(sayUtcDay(window.from), sayUtcDay(window.to))}
        </Text>
      </Group>
      <SegmentedControl
        size="xs"
        aria-label={TEXTS.span}
        value={span}
        onChange={(value) => onSpan(SPANS.find((each) => each === value) ?? "2")}
        data={SPANS.map((value) => ({ value, label: TEXTS.spans[value] }))}
      />
    </Group>
  );
}

export interface TimelineAxisProps {
  readonly window: TimeWindow;
  readonly now: number;
  readonly isPhone: boolean;
}

/** Read by those who see it; the others have each date in words. */
export function TimelineAxis({ window, now, isPhone }: TimelineAxisProps) {
  const ticks = listTicks(window, isPhone ? TICKS.phone : TICKS.wide);
  const today = locateMoment(now, window);
  return (
    <div className={classes.axis} aria-hidden>
      <div className={classes.axisBars}>
        {ticks
          .filter(({ left }) => left < 96)
          .map((tick) => (
            <span
              key={tick.at}
              className={classes.tick}
              data-year={tick.isYear || undefined}
              style={{ left: `${tick.left}%` }}
            >
              {sayTick(tick)}
            </span>
          ))}
        {today >= 0 && today <= 100 && (
          <span className={classes.today} style={{ left: `${today}%` }}>
            {TEXTS.today}
          </span>
        )}
      </div>
    </div>
  );
}

function sayTick({ at, isYear }: Tick): string {
  return isYear ? String(new Date(at).getUTCFullYear()) : sayUtcMonth(at);
}

/** The lines behind the bars, once for all rows. */
export function TimelineGrid({ window, now, isPhone }: TimelineAxisProps) {
  const today = locateMoment(now, window);
  return (
    <div className={classes.grid} aria-hidden>
      {listTicks(window, isPhone ? TICKS.phone : TICKS.wide).map(({ at, left, isYear }) => (
        <div key={at} className={classes.gridLine} data-year={isYear || undefined} style={{ left: `${left}%` }} />
      ))}
      {today >= 0 && today <= 100 && <div className={classes.todayLine} style={{ left: `${today}%` }} />}
    </div>
  );
}

export function TimelineLegend() {
  return (
    <ul className={classes.legend} aria-label={TEXTS.legend}>
      {STATUSES.map((status) => (
        <li key={status}>
          <svg width={26} height={14} aria-hidden>
            <g className={classes.bar} data-status={status}>
              <rect x={1} y={1} width={24} height={12} rx={3} />
            </g>
          </svg>
          {CONTRACT_STATUS_NAMES[status]}
        </li>
      ))}
      <li>
        <svg width={26} height={14} aria-hidden>
          <defs>
            <pattern
              id={NOTICE_PATTERN}
              width={6}
              height={6}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect className={classes.noticeGround} width={6} height={6} />
              <rect className={classes.noticeStripe} width={2.5} height={6} />
            </pattern>
          </defs>
          <rect x={1} y={1} width={24} height={12} rx={3} fill={`url(#${NOTICE_PATTERN})`} />
        </svg>
        {TEXTS.notice}
      </li>
    </ul>
  );
}
