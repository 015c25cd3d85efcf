/**
 * The month and the week. What is shown is what the records say and nothing else: a drop is given back to the library at once, and written;
 * the record then stands where it was dropped, or, refused, where it was. While something is dragged, what others change waits.
 */
import FullCalendar, {
  type CalendarOptions,
  type CalendarRef,
  type EventApi,
  type EventDisplayInfo,
  type EventInput,
} from "@fullcalendar/react";
import dayGridPlugin from "@fullcalendar/react/daygrid";
import interactionPlugin from "@fullcalendar/react/interaction";
import "@fullcalendar/react/skeleton.css";
import classicThemePlugin from "@fullcalendar/react/themes/classic";
import "@fullcalendar/react/themes/classic/theme.css";
import timeGridPlugin from "@fullcalendar/react/timegrid";
import type { ScheduleEntry } from "@lineup/api/schedule";
import { type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { atUsualHour, DAYS_OF_WEEK, dayOf, weekdayOf } from "./calendar-days.ts";
import classes from "./event-calendar.module.css";
import { EventChip } from "./event-chip.tsx";
import { endOf } from "./event-spans.ts";
import { canTake } from "./event-steps.ts";
import { moveEnd } from "./event-times.ts";
import type { EventTimes } from "./use-event-move.ts";

const VIEW_TYPES = { month: "dayGridMonth", week: "timeGridWeek" } as const;
const TIME_FORMAT = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const ROWS_OF_DAY = 4;
/** Beside each other in a week, and on a phone: as narrow as they are with what leads to more, a thumb still meets each of them. */
const STACKED = 4;
const STACKED_ON_PHONE = 2;
const WEEK_HEIGHT = 640;
/** As wide as the hours beside a week are drawn. */
const HOURS_PX = 48;
const LONG_PRESS_MS = 350;
/** The hour at which a week without events begins to be seen; and the last at which it does, for then midnight is in sight. */
const FIRST_SEEN_HOUR = 9;
const LAST_SEEN_HOUR = 11;
/** What begins before it belongs to the evening. */
const NIGHT_ENDS_HOUR = 6;

const LOOK: CalendarOptions = {
  plugins: [dayGridPlugin, timeGridPlugin, interactionPlugin, classicThemePlugin],
  headerToolbar: false,
  borderless: true,
  locale: "en-gb",
  firstDay: 1,
  fixedWeekCount: false,
  // What ends in the night belongs to the evening before.
  nextDayThreshold: "06:00:00",
  eventDisplay: "block",
  eventContent: drawEvent,
  eventClass: classes.event ?? "",
  eventInteractive: true,
  eventTimeFormat: TIME_FORMAT,
  dayMaxEvents: ROWS_OF_DAY,
  moreLinkText: TEXTS.more,
  moreLinkHint: TEXTS.moreHint,
  moreLinkClass: classes.more ?? "",
  navLinkHint: TEXTS.dayHint,
  navLinkClass: classes.dayLink ?? "",
  allDaySlot: false,
  slotEventOverlap: false,
  slotHeaderFormat: TIME_FORMAT,
  slotHeaderClass: classes.hour ?? "",
  nowIndicator: true,
  scrollTimeReset: false,
  longPressDelay: LONG_PRESS_MS,
};

export interface EventCalendarProps {
  readonly view: keyof typeof VIEW_TYPES;
  readonly day: string;
  readonly events: readonly ScheduleEntry[];
  readonly clashing: ReadonlySet<string>;
  readonly mayManage: boolean;
  readonly onOpen: (id: string) => void;
  readonly onCreate: (startsAt: number) => void;
  readonly onMove: (event: ScheduleEntry, times: EventTimes) => void;
  readonly onDay: (day: string) => void;
}

export function EventCalendar({ view, day, events, clashing, mayManage, ...on }: EventCalendarProps) {
  const calendar = useRef<CalendarRef>(null);
  const isPhone = useIsPhone();
  const [isDragging, setDragging] = useState(false);
  const inputs = useMemo(
    () => events.map((event) => toInput(event, clashing.has(event.id), mayManage)),
    [events, clashing, mayManage],
  );
  const shown = useHeld(inputs, isDragging);
  const handlers = useRef(on);
  handlers.current = on;
  const options = useMemo(() => makeOptions(() => handlers.current, setDragging, mayManage), [mayManage]);
  const [first] = useState({ initialView: VIEW_TYPES[view], initialDate: day });
  const told = useRef({ view, day });
  useEffect(() => {
    // What it was made with, it shows already.
    if (told.current.view === view && told.current.day === day) return;
    told.current = { view, day };
    // The library draws in one go what it is told, which React does not allow while it draws itself.
    queueMicrotask(() => calendar.current?.getApi().changeView(VIEW_TYPES[view], day));
  }, [view, day]);
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // On a phone a week is wider than the window.
    if (frame.current !== null && view === "week")
      frame.current.scrollLeft = ((frame.current.scrollWidth - HOURS_PX) * weekdayOf(day)) / DAYS_OF_WEEK;
  }, [view, day]);
  return (
    <div ref={frame} className={classes.frame} data-view={view} onScroll={keepHours}>
      <div className={classes.calendar}>
        <FullCalendar
          ref={calendar}
          {...first}
          {...options}
          events={shown}
          height={view === "month" ? "auto" : WEEK_HEIGHT}
          scrollTime={findFirstSeen(events)}
          eventMaxStack={isPhone ? STACKED_ON_PHONE : STACKED}
          navLinks={view === "month"}
        />
      </div>
    </div>
  );
}

/** The hours stay in sight where the days scroll beside them: the library has its own box for the way down, to which sticking would refer. */
function keepHours({ currentTarget: { style, scrollLeft } }: UIEvent<HTMLElement>): void {
  style.setProperty("--lineup-scrolled", `${scrollLeft}px`);
}

/** An hour above the first event of the days that are shown. One in the night counts on its day alone: on others it belongs to the evening before. */
function findFirstSeen(events: readonly ScheduleEntry[]): string {
  const today = dayOf(serverNow());
  const hours = events
    .map(({ startsAt }) => ({ hour: new Date(startsAt).getHours(), isToday: dayOf(startsAt) === today }))
    .filter(({ hour, isToday }) => isToday || hour >= NIGHT_ENDS_HOUR)
    .map(({ hour }) => Math.max(hour - 1, 0));
  const first = Math.min(LAST_SEEN_HOUR, ...hours);
  return `${String(hours.length === 0 ? FIRST_SEEN_HOUR : first).padStart(2, "0")}:00:00`;
}

type Handlers = Pick<EventCalendarProps, "onOpen" | "onCreate" | "onMove" | "onDay">;

/**
 * All that stays the same from one drawing to the next. The library takes every other function for another calendar: what is
 * dragged while it gets one is lost.
 */
function makeOptions(handlers: () => Handlers, setDragging: (isDragging: boolean) => void, mayManage: boolean) {
  const openDay = (date: Date) => handlers().onDay(dayOf(date.getTime()));
  return {
    ...LOOK,
    moreLinkClick: ({ date }) => openDay(date),
    navLinkDayClick: openDay,
    eventClick: ({ event }) => handlers().onOpen(event.id),
    eventDragStart: () => setDragging(true),
    eventDragStop: () => setDragging(false),
    eventResizeStart: () => setDragging(true),
    eventResizeStop: () => setDragging(false),
    eventDrop: ({ event, revert }) => {
      revert();
      const [record, startsAt] = [recordOf(event), event.start?.getTime()];
      if (startsAt !== undefined) handlers().onMove(record, { startsAt, endsAt: moveEnd(record, startsAt) });
    },
    eventResize: ({ event, revert }) => {
      revert();
      const record = recordOf(event);
      const startsAt = event.start?.getTime() ?? record.startsAt;
      handlers().onMove(record, { startsAt, endsAt: event.end?.getTime() ?? null });
    },
    ...(mayManage && {
      dateClick: ({ date, allDay }) =>
        handlers().onCreate(allDay ? atUsualHour(dayOf(date.getTime())) : date.getTime()),
    }),
  } satisfies CalendarOptions;
}

/** The last value from before it was held. */
function useHeld<T>(value: T, isHeld: boolean): T {
  const last = useRef(value);
  if (!isHeld) last.current = value;
  return last.current;
}

function toInput(event: ScheduleEntry, isClashing: boolean, mayManage: boolean): EventInput {
  const isMovable = mayManage && canTake("move", event);
  return {
    id: event.id,
    title: event.title,
    start: event.startsAt,
    end: endOf(event),
    startEditable: isMovable,
    durationEditable: isMovable,
    extendedProps: { record: event, isClashing },
  };
}

function recordOf(event: EventApi): ScheduleEntry {
  return event.extendedProps.record as ScheduleEntry;
}

function drawEvent({ event, view }: EventDisplayInfo) {
  return (
    <EventChip
      event={recordOf(event)}
      isClashing={event.extendedProps.isClashing === true}
      isTall={view.type === VIEW_TYPES.week}
    />
  );
}
