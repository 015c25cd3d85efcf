/** An entry as the calendar shows it: its kind by an icon and a colour, then when and what; read out in whole. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES } from "../texts/home-texts.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import classes from "./event-chip.module.css";
import { KIND_ICONS } from "./event-looks.ts";
import { sayHours } from "./event-times.ts";
import { sayScore } from "./score-choices.ts";

export interface EventChipProps {
  readonly event: ScheduleEntry;
  readonly isClashing: boolean;
  /** In the week, where there is room for more than a line. */
  readonly isTall: boolean;
}

export function EventChip({ event, isClashing, isTall }: EventChipProps) {
  const KindIcon = KIND_ICONS[event.kind];
  const start = sayHours({ ...event, endsAt: null });
  return (
    <div className={classes.chip} data-kind={event.kind} data-status={event.status} data-tall={isTall || undefined}>
      <span className={classes.head}>
        <KindIcon size={13} className={classes.icon} aria-hidden />
        {isClashing && <IconAlertTriangle size={13} className={classes.clash} aria-hidden />}
        <VisuallyHidden>{EVENT_KIND_NAMES[event.kind]}, </VisuallyHidden>
        <span className={classes.time}>{isTall ? sayHours(event) : start}</span>
      </span>
      <span className={classes.title}>{event.title}</span>
      {event.result !== null && <span className={classes.score}>{sayScore(event.result)}</span>}
      <VisuallyHidden>
        {event.status !== "scheduled" && `, ${EVENT_STATUS_NAMES[event.status]}`}
        {isClashing && `, ${TEXTS.clash}`}
      </VisuallyHidden>
    </div>
  );
}
