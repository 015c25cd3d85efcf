/** Today's events and those of the next seven days, by day, in the viewer's zone. Each leads to its entry in the schedule. */
import { Text } from "@mantine/core";
import { IconBroadcast, IconCalendar, IconCheck, IconClockPause } from "@tabler/icons-react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { sayScore } from "../schedule/score-choices.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES, HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { sayDate, sayMonth } from "../ui/time-words.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";
import { findWeek } from "./home-week.ts";

type EventView = HomeView["events"][number];

/** The rest is a step away. */
const SHOWN = 8;

const BADGES = {
  live: { icon: IconBroadcast, tone: "good" },
  postponed: { icon: IconClockPause, tone: "warn" },
  completed: { icon: IconCheck, tone: "quiet" },
} as const;

export function WeekEvents({ events }: { readonly events: readonly EventView[] | undefined }) {
  const { id: orgId } = useOrganization();
  const week = events && findWeek(events, serverNow());
  return (
    <SectionCard
      title={HOME_TEXTS.eventsTitle}
      actions={
        <TextLink to="/orgs/$orgId/data/schedule" params={{ orgId }} size="sm">
          {HOME_TEXTS.allEvents}
        </TextLink>
      }
    >
      {week === undefined && <LinesSkeleton lines={5} />}
      {week?.length === 0 && (
        <EmptyState icon={<IconCalendar size={22} />} title={HOME_TEXTS.eventsNone} heading={3}>
          {HOME_TEXTS.eventsNoneBody}
        </EmptyState>
      )}
      {week !== undefined && week.length > 0 && (
        <ul className={classes.rows}>
          {week.slice(0, SHOWN).map(({ event, isToday }) => (
            <EventRow key={event.id} orgId={orgId} event={event} isToday={isToday} />
          ))}
        </ul>
      )}
      {week !== undefined && week.length > SHOWN && (
        <TextLink to="/orgs/$orgId/data/schedule" params={{ orgId }} size="sm" mt="xs" display="inline-block">
          {HOME_TEXTS.moreEvents(week.length - SHOWN)}
        </TextLink>
      )}
    </SectionCard>
  );
}

interface EventRowProps {
  readonly orgId: string;
  readonly event: EventView;
  readonly isToday: boolean;
}

function EventRow({ orgId, event, isToday }: EventRowProps) {
  const badge = event.status in BADGES ? BADGES[event.status as keyof typeof BADGES] : undefined;
  return (
    <li className={classes.row}>
      <Text component="div" className={classes.day ?? ""} data-today={isToday || undefined} aria-hidden>
        <Text span fz="lg" fw={650}>
          {sayDate(event.startsAt)}
        </Text>
        <Text span size="xs" {...(!isToday && { c: "dimmed" })}>
          {isToday ? HOME_TEXTS.today : sayMonth(event.startsAt)}
        </Text>
      </Text>
      <div className={classes.grow}>
        <TextLink to="/orgs/$orgId/data/schedule" params={{ orgId }} search={{ open: event.id }} fw={600}>
          {event.title}
        </TextLink>
        <Text size="sm" c="dimmed" component="div">
          <ExactTime at={event.startsAt} as="day-time" /> · {sayCircumstances(event)}
        </Text>
      </div>
      {badge !== undefined && (
        <StatusBadge
          icon={badge.icon}
          tone={badge.tone}
          word={event.result === null ? EVENT_STATUS_NAMES[event.status] : sayScore(event.result)}
        />
      )}
    </li>
  );
}

function sayCircumstances(event: EventView): string {
  const parts: string[] = [EVENT_KIND_NAMES[event.kind], event.game];
  if (event.opponent !== null && event.opponent !== "") parts.push(HOME_TEXTS.against(event.opponent));
  if (event.bestOf !== null) parts.push(HOME_TEXTS.bestOf(event.bestOf));
  return parts.join(" · ");
}
