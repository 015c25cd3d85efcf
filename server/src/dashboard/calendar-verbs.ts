/** Schedule › Subscribe, and what owners see of it in Settings. */
import { CALENDAR_LINKS_MAX } from "@lineup/api/dashboard/calendar-links";
import { createCalendarLink, listCalendarLinks, takeBackCalendarLink } from "../calendar/calendar-links.ts";
import type { ActionVerbs } from "./context.ts";

export const CALENDAR_VERBS = {
  listCalendarLinks: async ({ tools, orgId, user }) => {
    const links = await listCalendarLinks(tools.store.org(orgId), user.id);
    return { links: links.map(({ userId: _, ...link }) => link), max: CALENDAR_LINKS_MAX };
  },

  createCalendarLink: async ({ tools, orgId, user, origin, visit }, { body }) => {
    const { id, token } = await createCalendarLink(tools.store, { orgId, userId: user.id }, body, origin, visit.now);
    return { id, link: `${visit.baseUrl}/calendar/${token}.ics` };
  },

  takeBackCalendarLink: ({ tools, orgId, user, origin, visit }, { path: { calendarId } }) =>
    takeBackCalendarLink(tools.store, { orgId, calendarId, userId: user.id }, origin, visit.now),

  listMemberCalendarLinks: async ({ tools, orgId }) => {
    const links = await listCalendarLinks(tools.store.org(orgId));
    const names = await tools.identity.nameOf(links.map(({ userId }) => userId));
    return { links: links.map(({ userId, ...link }) => ({ ...link, memberName: names.get(userId) ?? userId })) };
  },

  takeBackMemberCalendarLink: ({ tools, orgId, origin, visit }, { path: { calendarId } }) =>
    takeBackCalendarLink(tools.store, { orgId, calendarId }, origin, visit.now),
} satisfies Partial<ActionVerbs>;
