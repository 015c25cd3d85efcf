/** The agenda: four weeks, day by day, as a list. On a phone it is what opens first. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Paper, Text, Title, UnstyledButton } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useRecords } from "../records/use-records.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES, HOME_TEXTS } from "../texts/home-texts.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { StatusBadge } from "../ui/status-badge.tsx";
import classes from "./agenda.module.css";
import { dayOf, startOfDay } from "./calendar-days.ts";
import { KIND_ICONS, STATUS_LOOKS } from "./event-looks.ts";
import { lacksResult } from "./event-steps.ts";
import { hasOtherTime, sayHours, sayLongDay, sayOffset, sayUnderWay } from "./event-times.ts";
import { sayScore } from "./score-choices.ts";

/** More are drawn when they are asked for, so that a full season does not hold up the page. */
const DRAWN_AT_ONCE = 120;

export interface AgendaProps {
  readonly events: readonly ScheduleEntry[];
  /** The first day; what began before it is listed there. */
  readonly from: string;
  readonly clashing: ReadonlySet<string>;
  readonly mayManage: boolean;
  readonly onOpen: (id: string) => void;
  readonly onResult: (event: ScheduleEntry) => void;
}

export function Agenda({ events, from, ...row }: AgendaProps) {
  const [count, setCount] = useState(DRAWN_AT_ONCE);
  const days = Map.groupBy(events.slice(0, count), ({ startsAt }) => {
    const day = dayOf(startsAt);
    return day < from ? from : day;
  });
  const teams = useRecords("team").byId;
  const today = dayOf(serverNow());
  return (
    <>
      {[...days].map(([day, ofDay]) => (
        <section key={day} className={classes.day} aria-labelledby={`day-${day}`}>
          <Title order={2} id={`day-${day}`} className={classes.heading ?? ""} data-today={day === today || undefined}>
            {sayLongDay(startOfDay(day))}
            {day === today && ` · ${TEXTS.today}`}
          </Title>
          <Paper withBorder component="ul" className={classes.rows ?? ""}>
            {ofDay.map((event) => (
              <AgendaRow
                key={event.id}
                event={event}
                team={teams.get(event.teamId ?? "")?.name}
                isUnderWay={dayOf(event.startsAt) < from}
                isClashing={row.clashing.has(event.id)}
                {...row}
              />
            ))}
          </Paper>
        </section>
      ))}
      {events.length > count && (
        <Button variant="default" mt="md" onClick={() => setCount(count + DRAWN_AT_ONCE)}>
          {TEXTS.showMore(events.length - count)}
        </Button>
      )}
    </>
  );
}

interface AgendaRowProps extends Pick<AgendaProps, "mayManage" | "onOpen" | "onResult"> {
  readonly event: ScheduleEntry;
  readonly team: string | undefined;
  /** Whether it began before the day that it is listed under. */
  readonly isUnderWay: boolean;
  readonly isClashing: boolean;
}

function AgendaRow({ event, team, isUnderWay, isClashing, mayManage, onOpen, onResult }: AgendaRowProps) {
  const say = isUnderWay ? sayUnderWay : sayHours;
  const KindIcon = KIND_ICONS[event.kind];
  return (
    <li className={classes.row} data-status={event.status}>
      <div className={classes.time}>
        <Text span fw={600}>
          {say(event)}
        </Text>
        {event.timezone !== null && hasOtherTime(event) && (
          <Text size="xs" c="dimmed">
            {say(event, event.timezone)} {sayOffset(event.timezone, event.startsAt)}
          </Text>
        )}
      </div>
      <div className={classes.what}>
        <UnstyledButton className={classes.open ?? ""} onClick={() => onOpen(event.id)}>
          <KindIcon size={16} className={classes.icon} data-kind={event.kind} aria-hidden />
          <span className={classes.title}>{event.title}</span>
        </UnstyledButton>
        <Text size="sm" c="dimmed">
          {sayCircumstances(event, team)}
        </Text>
      </div>
      <div className={classes.state}>
        {event.result !== null && <span className={classes.score}>{sayScore(event.result)}</span>}
        {isClashing && <StatusBadge icon={IconAlertTriangle} word={TEXTS.clash} tone="warn" />}
        {event.status !== "scheduled" && (
          <StatusBadge {...STATUS_LOOKS[event.status]} word={EVENT_STATUS_NAMES[event.status]} />
        )}
        {mayManage && lacksResult(event, serverNow()) && (
          <Button
            size="xs"
            variant="light"
            className={classes.above ?? ""}
            aria-label={TEXTS.enterResultOf(event.title)}
            onClick={() => onResult(event)}
          >
            {TEXTS.enterResult}
          </Button>
        )}
      </div>
    </li>
  );
}

function sayCircumstances(event: ScheduleEntry, team: string | undefined): string {
  const { kind, opponent, competition, bestOf, location } = event;
  const parts = [
    EVENT_KIND_NAMES[kind],
    team,
    opponent === null || opponent === "" ? undefined : HOME_TEXTS.against(opponent),
    competition,
    bestOf === null ? undefined : HOME_TEXTS.bestOf(bestOf),
    location,
  ];
  return parts.filter((part) => part !== undefined && part !== null && part !== "").join(" · ");
}
