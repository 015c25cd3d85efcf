/** The rules of teams: a game that their players' roles fit, and what goes with a team that others refer to. */
import { setImmediate as breathe } from "node:timers/promises";
import { RESOURCES } from "@lineup/api/endpoints";
import type { ErrorDetail } from "@lineup/api/errors";
import { type AnyResource, columnOf } from "@lineup/api/resource";
import { isRoleOf } from "@lineup/api/roles";
import { type Team, teamResource } from "@lineup/api/teams";
import { entryOfTakenBackLink } from "../../store/audit-entry.ts";
import type { OrgStore } from "../../store/org-store.ts";
import { type RecordRules, refuse } from "../record-writes.ts";
import { findReferenceFaults } from "../reference-rules.ts";
import { followShown, ROSTER_OF_TEAMS } from "../shown-others.ts";
import { teamStore } from "./team-store.ts";

export const teamRules: RecordRules<typeof teamResource> = {
  store: teamStore,
  async settle({ org }, plan) {
    const { before, after } = plan;
    const faults = await findReferenceFaults(org, teamResource, plan);
    if (before !== undefined && before.game !== after.game) faults.push(...(await findUnfitPlayers(org, after)));
    refuse(faults);
    return after;
  },
  follow: ({ org, now }, { after, fields = {} }) => followShown(org, ROSTER_OF_TEAMS, after.id, fields, now),
  async findDependents({ org }, { id }) {
    const links = await selectCalendarLinks(org, id);
    return {
      deletes: [{ kind: "calendar", count: links.length }],
      changes: [],
      refusal: (await wasReferredTo(org, id)) ? REFUSAL : null,
    };
  },
  async leave({ org, now }, { id }) {
    const links = await selectCalendarLinks(org, id);
    return links.map(({ user_id: userId, ...link }) => entryOfTakenBackLink(link, userId, now));
  },
};

const REFUSAL =
  "Players, roster entries, contracts, schedule entries or other records refer to this team, or have: it cannot be deleted. Set its status to inactive instead.";

/** They go with the team: the table refers to it. */
function selectCalendarLinks(org: OrgStore, teamId: string) {
  const links = org.selectFrom("calendar_links").where("calendar_links.team_id", "=", teamId);
  return links.select(["calendar_links.id", "calendar_links.name", "calendar_links.user_id"]).execute();
}

/** A team may play another game only if the roles of all its players fit that. */
async function findUnfitPlayers(org: OrgStore, { id, game }: Team): Promise<ErrorDetail[]> {
  const players = await org
    .selectFrom("players")
    .select(["players.ign", "players.role"])
    .where("players.team_id", "=", id)
    .orderBy("players.id")
    .execute();
  return players
    .filter(({ role }) => !isRoleOf(game, role))
    .map(({ ign, role }) => ({
      field: "game",
      message: `leaves the player ${ign} with the role ${role}, which ${game} does not know; give the player another role or team first`,
    }));
}

/** In a column that holds the id of a team; or, as the audit log tells, once, by a record that names another by now or is gone. */
async function wasReferredTo(org: OrgStore, id: string): Promise<boolean> {
  const kinds = new Set<string>();
  for (const { kind, table, fields } of RESOURCES as readonly AnyResource[]) {
    for (const [field, { refersTo }] of Object.entries(fields)) {
      if (refersTo !== teamResource.table) continue;
      kinds.add(kind);
      const found = await org
        .selectFrom(table as "players")
        .select("id")
        .where(columnOf(field) as "team_id", "=", id)
        .limit(1)
        .execute();
      if (found.length > 0) return true;
    }
  }
  return wasNamed(org, id, [...kinds]);
}

/** So many entries of the audit log are searched at a time. */
const STRETCH_ENTRIES = 5_000;

async function wasNamed(org: OrgStore, id: string, kinds: readonly string[]): Promise<boolean> {
  const entries = org.selectFrom("audit").select("audit.seq");
  const last = await entries.orderBy("audit.seq", "desc").limit(1).executeTakeFirst();
  const made = await entries.where("audit.target_id", "=", id).orderBy("audit.seq").limit(1).executeTakeFirst();
  const end = last?.seq ?? 0;
  for (let after = made?.seq ?? 0; after < end; after += STRETCH_ENTRIES) {
    const found = await entries
      .where("audit.seq", ">", after)
      .where("audit.seq", "<=", after + STRETCH_ENTRIES)
      .where("audit.target_kind", "in", kinds)
      .where("audit.changes", "like", `%"${id}"%`)
      .limit(1)
      .execute();
    if (found.length > 0) return true;
    await breathe();
  }
  return false;
}
