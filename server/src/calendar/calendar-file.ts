/** A calendar as programs read it: iCalendar (RFC 5545), every moment in UTC, the ends of contracts as days, which are days in UTC as they are in the pages. */
import { DAY_MS } from "@lineup/api/tiers";
import ical, {
  escape as escapeText,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
  ICalEventTransparency,
} from "ical-generator";
import type { CalendarLinksTable } from "../store/people-tables.ts";
import type { Store } from "../store/store.ts";
import {
  type CalendarEntries,
  type CalendarEvent,
  type ContractEnd,
  readCalendarEntries,
  sequenceOf,
} from "./calendar-entries.ts";
import { findCalendarLink, noteCalendarUse } from "./calendar-links.ts";

/** How often programs that heed it ask again. */
const ASK_AGAIN_SECONDS = 3_600;
/** Of an event whose end is open. The API takes six hours for it, which is to be on the safe side; in a calendar it would be in the way. */
const SHOWN_OPEN_MS = 2 * 3_600_000;
const LATEST_MS = Date.UTC(9999, 11, 31);

/**
 * What a calendar link is answered with: all of one moment, made anew each time. Undefined where no link has this token. That its use cannot be
 * noted, such as on a full disk, is told to `onFault` and takes nobody's calendar away.
 */
export async function readCalendarFeed(
  store: Store,
  { token, now, onFault }: { readonly token: string; readonly now: number; onFault(error: unknown): void },
) {
  const link = await findCalendarLink(store, token);
  if (link === undefined) return undefined;
  const { id, org_id: orgId } = link;
  const entries = await store.readOrgAtOnce(orgId, (org) => readCalendarEntries(org, link, now));
  const text = writeCalendar(link, entries);
  await noteCalendarUse(store, link, now).catch(onFault);
  return { link: { id, orgId }, text };
}

function writeCalendar(link: CalendarLinksTable, { renamings, events, contractEnds }: CalendarEntries): string {
  const calendar = ical({
    prodId: { company: "Lineup", product: "Lineup" },
    method: ICalCalendarMethod.PUBLISH,
    ttl: ASK_AGAIN_SECONDS,
    // It escapes the texts of events, but not this one.
    name: escapeText(link.name, false),
  });
  const add = (record: Parameters<typeof sequenceOf>[0], entry: ICalEventData) =>
    calendar.createEvent({ ...entry, sequence: sequenceOf(record, renamings) });
  for (const event of events) add(event, describeEvent(event));
  for (const end of contractEnds) add(end, describeContractEnd(end));
  // It leaves out the end of the last line, which the format asks for.
  return `${calendar.toString()}\r\n`;
}

const STATUSES = {
  scheduled: ICalEventStatus.CONFIRMED,
  live: ICalEventStatus.CONFIRMED,
  completed: ICalEventStatus.CONFIRMED,
  postponed: ICalEventStatus.TENTATIVE,
  cancelled: ICalEventStatus.CANCELLED,
} as const;
const PREFIXES: Readonly<Record<string, string>> = { postponed: "Postponed: ", cancelled: "Cancelled: " };
const KINDS = { match: "Match", scrim: "Scrim", practice: "Practice", event: "Event" } as const;

function describeEvent(event: CalendarEvent): ICalEventData {
  const isOff = event.status === "postponed" || event.status === "cancelled";
  const endsAt = Math.min(event.ends_at ?? event.starts_at + SHOWN_OPEN_MS, LATEST_MS);
  return {
    ...describeVersion(event),
    start: new Date(event.starts_at),
    end: endsAt > event.starts_at ? new Date(endsAt) : null,
    summary: nameEvent(event),
    description: listFacts(event).join("\n"),
    location: event.location,
    url: event.stream_url === null ? null : plainUrl(event.stream_url),
    categories: [{ name: KINDS[event.kind] }],
    status: STATUSES[event.status],
    transparency: isOff ? ICalEventTransparency.TRANSPARENT : ICalEventTransparency.OPAQUE,
  };
}

/** The same in every answer until the record changes. */
function describeVersion(record: Parameters<typeof sequenceOf>[0]) {
  const changed = new Date(record.updated_at);
  return {
    id: `${record.id}@lineup`,
    created: new Date(record.created_at),
    lastModified: changed,
    stamp: changed,
  };
}

/** Two sides are named as people call them; else it is the entry's title. */
function nameEvent(event: CalendarEvent): string {
  const { kind, competition, best_of: bestOf } = event;
  const sides = nameSides(event);
  const score = scoreOf(event);
  const name = sides ?? (score === undefined ? event.title : `${event.title} ${score}`);
  const scrim = kind === "scrim" && sides !== undefined ? "Scrim: " : "";
  const about = [competition, bestOf === null ? null : `Bo${bestOf}`].filter((text) => text !== null && text !== "");
  return `${PREFIXES[event.status] ?? ""}${scrim}${name}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
}

function nameSides(event: CalendarEvent): string | undefined {
  const { team_name: team, opponent } = event;
  if (team === null || opponent === null || opponent === "") return undefined;
  return `${team} ${scoreOf(event) ?? "vs."} ${opponent}`;
}

function scoreOf({ status, result_own: own, result_opponent: opponent }: CalendarEvent): string | undefined {
  return status === "completed" && own !== null && opponent !== null ? `${own}–${opponent}` : undefined;
}

function listFacts(event: CalendarEvent): string[] {
  const { title, game, kind, competition, stage, best_of: bestOf } = event;
  const score = scoreOf(event);
  const sides = nameSides(event);
  return [
    // What the entry is called already, or as good as that, is not said again.
    sides === undefined || [sides, nameEvent(event)].includes(title) ? "" : title,
    joinTexts(" · ", KINDS[kind], game === "Other" ? "" : game, event.team_name),
    joinTexts(", ", competition, stage),
    bestOf === null ? "" : `Best of ${bestOf}`,
    score === undefined ? "" : `Result: ${score}`,
    event.previous_starts_at === null ? "" : `Moved. Before, it was to start ${sayMoment(event.previous_starts_at)}.`,
    event.ends_at === null ? "Its end is open; two hours are shown." : "",
  ].filter((fact) => fact !== "");
}

function joinTexts(between: string, ...texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null && text !== "").join(between);
}

function sayMoment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Its reserved characters would be taken for the format's, or their escapes for part of the address. */
function plainUrl(url: string): string {
  return url.replaceAll(/[,;\\]/g, (character) => encodeURIComponent(character));
}

function describeContractEnd(end: ContractEnd): ICalEventData {
  const { kind, ign, team_name: team, auto_renew: renews, notice_period_days: notice } = end;
  const day = Math.floor((end.end_date ?? 0) / DAY_MS) * DAY_MS;
  const facts = [
    joinTexts(" · ", `${kind.charAt(0).toUpperCase()}${kind.slice(1)} contract`, team),
    renews === 1 ? "Renews itself." : "",
    notice === null ? "" : `Notice: ${notice} days.`,
  ];
  return {
    ...describeVersion(end),
    start: new Date(day),
    end: new Date(day + DAY_MS),
    allDay: true,
    summary: `Contract of ${ign} ends`,
    description: facts.filter((fact) => fact !== "").join("\n"),
    categories: [{ name: "Contract" }],
    status: ICalEventStatus.CONFIRMED,
    transparency: ICalEventTransparency.TRANSPARENT,
  };
}
