/** Schedule › Subscribe: links under which a calendar program reads the schedule, each of the member who made it. */
import * as z from "zod";
import { SCHEDULE_KINDS } from "../schedule.ts";
import { personName } from "./account.ts";
import { defineAction, done, moment } from "./action.ts";

/** In one organization. */
export const CALENDAR_LINKS_MAX = 20;

/** So much of what is past stays in a calendar. */
export const CALENDAR_PAST_DAYS = 90;

const kinds = z.array(z.enum(SCHEDULE_KINDS)).max(SCHEDULE_KINDS.length);

const wantedCalendar = z
  .strictObject({
    name: personName,
    /** Null for all teams, and for what concerns none. */
    teamId: z.string().nullable(),
    kinds,
    contractEnds: z.boolean(),
  })
  .refine((wanted) => wanted.kinds.length > 0 || wanted.contractEnds, {
    error: "must name at least one kind, unless contract ends are wanted",
    path: ["kinds"],
  });
export type WantedCalendarLink = z.output<typeof wantedCalendar>;

export const calendarLinkSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Null for all teams. */
  teamName: z.string().nullable(),
  kinds,
  contractEnds: z.boolean(),
  createdAt: moment,
  /** To the hour; null before a calendar has asked. */
  lastUsedAt: moment.nullable(),
});
export type CalendarLinkView = z.output<typeof calendarLinkSchema>;

const memberCalendarLink = calendarLinkSchema.extend({ memberName: z.string() });
export type MemberCalendarLink = z.output<typeof memberCalendarLink>;

export const CALENDAR_LINK_ACTIONS = [
  defineAction({
    name: "listCalendarLinks",
    method: "GET",
    path: "/orgs/{orgId}/calendar-links",
    access: "data:view",
    summary: "One's own calendar links, newest first",
    result: z.strictObject({ links: z.array(calendarLinkSchema), max: z.int() }),
  }),
  defineAction({
    name: "createCalendarLink",
    method: "POST",
    path: "/orgs/{orgId}/calendar-links",
    access: "data:view",
    summary: "Make a calendar link, which is shown this once",
    body: wantedCalendar,
    result: z.strictObject({ id: z.string(), link: z.string() }),
  }),
  defineAction({
    name: "takeBackCalendarLink",
    method: "DELETE",
    path: "/orgs/{orgId}/calendar-links/{calendarId}",
    access: "data:view",
    summary: "Take one of one's own calendar links back",
    result: done,
  }),
  defineAction({
    name: "listMemberCalendarLinks",
    method: "GET",
    path: "/orgs/{orgId}/member-calendar-links",
    access: "members:manage",
    summary: "The calendar links of all members, newest first",
    result: z.strictObject({ links: z.array(memberCalendarLink) }),
  }),
  defineAction({
    name: "takeBackMemberCalendarLink",
    method: "DELETE",
    path: "/orgs/{orgId}/member-calendar-links/{calendarId}",
    access: "members:manage",
    summary: "Take any member's calendar link back",
    result: done,
  }),
] as const;
