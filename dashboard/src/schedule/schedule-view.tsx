/** What is shown of the schedule: a part of the calendar, or of the agenda, with what needs somebody above it. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCalendarSearch } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useMemo, useRef } from "react";
import { serverNow } from "../client/server-clock.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import { sayDay } from "../ui/time-words.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { Agenda } from "./agenda.tsx";
import { atUsualHour, dayOf, rangeOf, spanOf } from "./calendar-days.ts";
import { type Clash, listWithin } from "./event-spans.ts";
import { waitsForResult } from "./event-steps.ts";
import { sayRange } from "./event-times.ts";
import { ClashNotice, WaitingNotice } from "./schedule-notices.tsx";
import { filterEvents, type ScheduleSearch } from "./schedule-search.ts";
import { ScheduleToolbar, type ScheduleToolbarProps } from "./schedule-toolbar.tsx";
import type { EventTimes } from "./use-event-move.ts";

/** Half of the page's script: the agenda does without. */
const loadCalendar = () => import("./event-calendar.tsx");
const EventCalendar = lazy(() => loadCalendar().then((module) => ({ default: module.EventCalendar })));

const HOUR_MS = 3_600_000;
const CALENDAR_HEIGHT = 640;

/** When a new event begins, until somebody says otherwise: today at the next full hour, or on the day that is looked at. */
export function proposeStart(day: string | undefined): number {
  const now = serverNow();
  return day === undefined || day === dayOf(now) ? Math.ceil(now / HOUR_MS) * HOUR_MS : atUsualHour(day);
}

export interface ScheduleViewProps {
  readonly all: readonly ScheduleEntry[] | undefined;
  readonly isComplete: boolean;
  readonly clashes: readonly Clash[];
  readonly mayManage: boolean;
  readonly search: ScheduleSearch;
  readonly setSearch: ScheduleToolbarProps["setSearch"];
  readonly onOpen: (id: string) => void;
  readonly onCreate: (startsAt: number) => void;
  readonly onMove: (event: ScheduleEntry, times: EventTimes) => void;
  readonly onResult: (event: ScheduleEntry) => void;
}

export function ScheduleView(props: ScheduleViewProps) {
  const { all, isComplete, clashes, mayManage, search, setSearch, onOpen, onResult } = props;
  const isPhone = useIsPhone();
  const view = search.view ?? (isPhone ? "agenda" : "month");
  const day = search.date ?? dayOf(serverNow());
  useEffect(() => {
    // It comes beside the events; what fails here is told when it is drawn.
    if (view !== "agenda") loadCalendar().catch(() => undefined);
  }, [view]);
  const { filtered, shown, clashing, clashesShown, waiting } = useShown(all, clashes, search, view, day);
  const isLoading = all === undefined || (shown.length === 0 && !isComplete);
  const range = rangeOf(view, day);
  const title = sayRange(view, day, range);
  return (
    <>
      <ScheduleToolbar
        view={view}
        day={day}
        title={title}
        search={search}
        setSearch={setSearch}
        count={isLoading ? undefined : shown.length}
      />
      <Stack gap="xs" mb="sm">
        <ClashNotice clashes={clashesShown} onOpen={onOpen} />
        {mayManage && <WaitingNotice waiting={waiting} onOpen={onOpen} onResult={onResult} />}
      </Stack>
      {isLoading ? (
        <BlockSkeleton height={CALENDAR_HEIGHT} />
      ) : view !== "agenda" ? (
        <Suspense fallback={<BlockSkeleton height={CALENDAR_HEIGHT} />}>
          <EventCalendar
            {...props}
            view={view}
            day={day}
            events={shown}
            clashing={clashing}
            onDay={(date) => setSearch({ view: "agenda", date })}
          />
          {mayManage && !isPhone && (
            <Text size="sm" c="dimmed" mt="xs">
              {TEXTS.dragHint}
            </Text>
          )}
        </Suspense>
      ) : shown.length > 0 ? (
        <Agenda {...props} key={day} events={shown} from={range.from} clashing={clashing} />
      ) : (
        <NothingShown events={filtered} from={spanOf(range).from} title={title} search={search} setSearch={setSearch} />
      )}
    </>
  );
}

/** Of all that there is, what the view and the filters let through, and what of it needs somebody. */
function useShown(
  all: readonly ScheduleEntry[] | undefined,
  clashes: readonly Clash[],
  search: ScheduleSearch,
  view: ScheduleToolbarProps["view"],
  day: string,
) {
  const { team, kind, status } = search;
  const filtered = useMemo(
    () => filterEvents(all ?? [], { ...(team && { team }), ...(kind && { kind }), ...(status && { status }) }),
    [all, team, kind, status],
  );
  const shown = useSameList(useMemo(() => listWithin(filtered, spanOf(rangeOf(view, day))), [filtered, view, day]));
  const clashesShown = useMemo(() => {
    const ids = new Set(shown.map(({ id }) => id));
    return clashes.filter(({ events }) => events.some(({ id }) => ids.has(id)));
  }, [clashes, shown]);
  const clashingIds = useSameList(clashesShown.flatMap(({ events }) => events.map(({ id }) => id)));
  const clashing = useMemo(() => new Set(clashingIds), [clashingIds]);
  const waiting = useMemo(() => {
    const now = serverNow();
    const found = filtered.filter((event) => waitsForResult(event, now));
    return found.toSorted((one, other) => other.startsAt - one.startsAt);
  }, [filtered]);
  return { filtered, shown, clashing, clashesShown, waiting };
}

/** The list of before while nothing in it changes: a calendar costs too much to be drawn anew for events of another year. */
function useSameList<T>(list: readonly T[]): readonly T[] {
  const last = useRef(list);
  const isSame = list.length === last.current.length && list.every((each, index) => each === last.current[index]);
  if (!isSame) last.current = list;
  return last.current;
}

interface NothingShownProps extends Pick<ScheduleViewProps, "search" | "setSearch"> {
  readonly events: readonly ScheduleEntry[];
  readonly from: number;
  readonly title: string;
}

/** Leads to where there is something, or out of the filters. */
function NothingShown({ events, from, title, search, setSearch }: NothingShownProps) {
  const starts = events.map(({ startsAt }) => startsAt);
  const next = starts.reduce((least, at) => (at >= from && at < least ? at : least), Number.POSITIVE_INFINITY);
  const last = starts.reduce((most, at) => (at < from && at > most ? at : most), Number.NEGATIVE_INFINITY);
  const isFiltered = [search.team, search.kind, search.status].some((each) => each !== undefined);
  const jump = (at: number, say: (day: string) => string) =>
    Number.isFinite(at) && (
      <Button variant="default" onClick={() => setSearch({ date: dayOf(at) })}>
        {say(sayDay(at))}
      </Button>
    );
  const ways = (
    <Group gap="xs" justify="center">
      {jump(last, TEXTS.lastOne)}
      {jump(next, TEXTS.nextOne)}
      {isFiltered && (
        <Button variant="default" onClick={() => setSearch({ team: undefined, kind: undefined, status: undefined })}>
          {TEXTS.clear}
        </Button>
      )}
    </Group>
  );
  return (
    <EmptyState icon={<IconCalendarSearch size={22} />} title={TEXTS.nothingTitle} action={ways} heading={3}>
      {isFiltered ? TEXTS.nothingFiltered(title) : TEXTS.nothingBody(title)}
    </EmptyState>
  );
}
