/** What Data › Schedule keeps in its address, and which entries it asks for. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { dropUnset, readChoice, readText } from "../compliance/search-values.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES } from "../texts/home-texts.ts";
import { readDay, SCHEDULE_VIEWS, type ScheduleView } from "./calendar-days.ts";

export type EventKind = ScheduleEntry["kind"];
export type EventStatus = ScheduleEntry["status"];

export const EVENT_KINDS = Object.keys(EVENT_KIND_NAMES) as readonly EventKind[];
export const EVENT_STATUSES = Object.keys(EVENT_STATUS_NAMES) as readonly EventStatus[];

/** In the filter of teams: entries that concern the organization. */
export const NO_TEAM = "none";

export interface ScheduleSearch {
  readonly view?: ScheduleView;
  readonly date?: string;
  /** A team's id, or NO_TEAM. */
  readonly team?: string;
  readonly kind?: EventKind;
  readonly status?: EventStatus;
  /** The id of the entry that is open. */
  readonly open?: string;
}

export function readScheduleSearch(search: Readonly<Record<string, unknown>>): ScheduleSearch {
  return dropUnset({
    view: readChoice(search.view, SCHEDULE_VIEWS),
    date: readDay(search.date),
    team: readText(search.team),
    kind: readChoice(search.kind, EVENT_KINDS),
    status: readChoice(search.status, EVENT_STATUSES),
    open: readText(search.open),
  });
}

export function filterEvents(events: readonly ScheduleEntry[], search: ScheduleSearch): readonly ScheduleEntry[] {
  const { team, kind, status } = search;
  if (team === undefined && kind === undefined && status === undefined) return events;
  return events.filter(
    (event) =>
      (team === undefined || (event.teamId ?? NO_TEAM) === team) &&
      (kind === undefined || event.kind === kind) &&
      (status === undefined || event.status === status),
  );
}
