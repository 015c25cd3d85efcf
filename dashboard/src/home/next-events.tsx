/** The next matches, scrims, practices and events, soonest first, in the viewer's zone. */
import { Text } from "@mantine/core";
import { IconBroadcast, IconCalendar, IconClockPause } from "@tabler/icons-react";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES, HOME_TEXTS } from "../texts/home-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ExactTime } from "../ui/exact-time.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { LinesSkeleton } from "../ui/skeletons.tsx";
import { StatusBadge } from "../ui/status-badge.tsx";
import { sayDate, sayMonth } from "../ui/time-words.ts";
import classes from "./home-page.module.css";
import type { HomeView } from "./home-view.ts";

type EventView = HomeView["nextEvents"][number];

export function NextEvents({ events }: { readonly events: readonly EventView[] | undefined }) {
  return (
    <SectionCard title={HOME_TEXTS.eventsTitle}>
      {events === undefined && <LinesSkeleton lines={5} />}
      {events?.length === 0 && (
        <EmptyState icon={<IconCalendar size={22} />} title={HOME_TEXTS.eventsNone} heading={3}>
          {HOME_TEXTS.eventsNoneBody}
        </EmptyState>
      )}
      {events !== undefined && events.length > 0 && (
        <ul className={classes.rows}>
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
      )}
    </SectionCard>
  );
}

function EventRow({ event }: { readonly event: EventView }) {
  return (
    <li className={classes.row}>
      <Text component="div" className={classes.day ?? ""} aria-hidden>
        <Text span fz="lg" fw={650}>
          {sayDate(event.startsAt)}
        </Text>
        <Text span size="xs" c="dimmed">
          {sayMonth(event.startsAt)}
        </Text>
      </Text>
      <div className={classes.grow}>
        <Text fw={600}>{event.title}</Text>
        <Text size="sm" c="dimmed" component="div">
          <ExactTime at={event.startsAt} as="day-time" /> · {sayCircumstances(event)}
        </Text>
      </div>
      {event.status === "live" && <StatusBadge icon={IconBroadcast} word={EVENT_STATUS_NAMES.live} tone="good" />}
      {event.status === "postponed" && (
        <StatusBadge icon={IconClockPause} word={EVENT_STATUS_NAMES.postponed} tone="warn" />
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
