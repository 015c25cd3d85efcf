/** How kinds and states of entries look: always an icon too, never a colour alone. */
import {
  IconBroadcast,
  IconCalendarEvent,
  IconCalendarOff,
  IconCheck,
  IconClock,
  IconClockPause,
  IconSchool,
  IconSwords,
  IconTarget,
  type TablerIcon,
} from "@tabler/icons-react";
import type { Tone } from "../theme.ts";
import type { EventKind, EventStatus } from "./schedule-search.ts";

export const KIND_ICONS: Readonly<Record<EventKind, TablerIcon>> = {
  match: IconSwords,
  scrim: IconTarget,
  practice: IconSchool,
  event: IconCalendarEvent,
};

export const STATUS_LOOKS: Readonly<Record<EventStatus, { readonly icon: TablerIcon; readonly tone: Tone }>> = {
  scheduled: { icon: IconClock, tone: "info" },
  live: { icon: IconBroadcast, tone: "good" },
  completed: { icon: IconCheck, tone: "quiet" },
  postponed: { icon: IconClockPause, tone: "warn" },
  cancelled: { icon: IconCalendarOff, tone: "bad" },
};
