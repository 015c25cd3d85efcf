/**
 * Calendar links. Anyone who has one reads the calendar, for calendar programs can neither sign in nor send a key; so its token is as good as a
 * password. It is random and stands nowhere but in the link, which is shown once; the store has its hash. A link belongs to the member
 * who made it, and goes with their membership: the table refers to that.
 */
import { hash, randomBytes } from "node:crypto";
import { ActionError } from "@lineup/api/dashboard/action";
import {
  CALENDAR_LINKS_MAX,
  type CalendarLinkView,
  type WantedCalendarLink,
} from "@lineup/api/dashboard/calendar-links";
import { changesFromNothing, entryOfTakenBackLink, type Origin } from "../store/audit-entry.ts";
import { makeId } from "../store/ids.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { CalendarLinksTable } from "../store/people-tables.ts";
import type { Store } from "../store/store.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** A calendar program asks every few hours at most; nobody needs it said to the second, and so it need not be written each time. */
const USE_NOTED_EVERY_MS = 3_600_000;

export async function createCalendarLink(
  store: Store,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
  wanted: WantedCalendarLink,
  origin: Origin,
  now: number,
): Promise<{ readonly id: string; readonly token: string }> {
  const id = makeId("calendar");
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const { name, teamId, contractEnds } = wanted;
  const kinds = [...new Set(wanted.kinds)];
  await store.writeOrg(orgId, origin, async (org) => {
    await requireRoom(org, userId);
    await requireTeam(org, teamId);
    const facts = { name, kinds: JSON.stringify(kinds), contract_ends: Number(contractEnds) };
    const ties = { user_id: userId, team_id: teamId, token_hash: hash("sha256", token) };
    await org.insertInto("calendar_links", [{ id, ...ties, ...facts, created_at: now, last_used_at: null }]).execute();
    const target = { kind: "calendar", id, name };
    const changes = changesFromNothing({ teamId, kinds, contractEnds });
    await org.record([{ at: now, action: "calendar.created", target, changes }]);
  });
  return { id, token };
}

/** From the next request on it opens nothing. Without a member, it may be anybody's. */
export async function takeBackCalendarLink(
  store: Store,
  { orgId, calendarId, userId }: { readonly orgId: string; readonly calendarId: string; readonly userId?: string },
  origin: Origin,
  now: number,
): Promise<void> {
  await store.writeOrg(orgId, origin, async (org) => {
    let link = org.deleteFrom("calendar_links").where("id", "=", calendarId);
    if (userId !== undefined) link = link.where("user_id", "=", userId);
    const [gone] = await link.returning(["name", "user_id"]).execute();
    if (gone === undefined) {
      throw new ActionError("NOT_FOUND", "This calendar link was taken back already. Load the list again.");
    }
    await org.record([entryOfTakenBackLink({ id: calendarId, name: gone.name }, gone.user_id, now)]);
  });
}

/** Newest first; of one member, or of all. */
export async function listCalendarLinks(
  org: OrgStore,
  userId?: string,
): Promise<(CalendarLinkView & { readonly userId: string })[]> {
  let links = org.selectFrom("calendar_links");
  if (userId !== undefined) links = links.where("calendar_links.user_id", "=", userId);
  const rows = await links
    .leftJoin("teams", (join) =>
      join.onRef("teams.org_id", "=", "calendar_links.org_id").onRef("teams.id", "=", "calendar_links.team_id"),
    )
    .select(["calendar_links.id", "calendar_links.user_id", "calendar_links.name", "calendar_links.kinds"])
    .select(["calendar_links.contract_ends", "calendar_links.created_at", "calendar_links.last_used_at"])
    .select("teams.name as team_name")
    .orderBy("calendar_links.id", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    name: row.name,
    teamName: row.team_name,
    kinds: parseKinds(row.kinds),
    contractEnds: row.contract_ends === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** The link with this token, of any member of any organization. */
export async function findCalendarLink({ operator }: Store, token: string): Promise<CalendarLinksTable | undefined> {
  if (!TOKEN.test(token)) return undefined;
  return operator
    .selectFrom("calendar_links")
    .selectAll()
    .where("token_hash", "=", hash("sha256", token))
    .executeTakeFirst();
}

export async function noteCalendarUse(store: Store, link: CalendarLinksTable, now: number): Promise<void> {
  const { id, last_used_at: usedAt } = link;
  if (usedAt !== null && now - usedAt < USE_NOTED_EVERY_MS) return;
  await store.writeUse((db) =>
    db.updateTable("calendar_links").set({ last_used_at: now }).where("id", "=", id).execute(),
  );
}

async function requireRoom(org: OrgStore, userId: string): Promise<void> {
  const links = org.selectFrom("calendar_links").select("calendar_links.id").where("user_id", "=", userId);
  if ((await org.countRows(links)) < CALENDAR_LINKS_MAX) return;
  const message = `You have ${CALENDAR_LINKS_MAX} calendar links, which is as many as there can be. Take one back that you no longer need.`;
  throw new ActionError("CONFLICT", message);
}

async function requireTeam(org: OrgStore, teamId: string | null): Promise<void> {
  if (teamId === null) return;
  const found = await org.selectFrom("teams").select("teams.id").where("teams.id", "=", teamId).executeTakeFirst();
  if (found !== undefined) return;
  const message = "must be a team of this organization, or null for all";
  throw new ActionError("VALIDATION_ERROR", `teamId ${message}.`, [{ field: "teamId", message }]);
}

export function parseKinds(json: string): WantedCalendarLink["kinds"] {
  return JSON.parse(json) as WantedCalendarLink["kinds"];
}
