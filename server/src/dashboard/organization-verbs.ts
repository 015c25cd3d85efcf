/** Home, and the organization's own settings. */
import { allows } from "@lineup/api/dashboard/members";
import { TIERS } from "@lineup/api/tiers";
import { listKeys } from "../access/key-admin.ts";
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  renameOrganization,
  setTier,
} from "../access/organizations.ts";
import { invite, listInvitations, withdrawInvitation } from "../identity/invitations.ts";
import { changeRole, listMembers, removeMember } from "../identity/members.ts";
import { makeResetLink, makeResetLinkAsOperator } from "../identity/reset-links.ts";
import { readHours } from "../request-log/key-usage.ts";
import type { Operator } from "../store/store.ts";
import { type ActionVerbs, requireOrganizationOf } from "./context.ts";
import { firstHourOf, hasEnded, sumOf } from "./key-facts.ts";

const USAGE_HOURS = 24;

export const ORGANIZATION_VERBS = {
  getOrganization: async ({ tools, orgId, role, visit }) => {
    const { store } = tools;
    const org = store.org(orgId);
    const fromHour = firstHourOf(USAGE_HOURS, visit.now);
    const [{ id, name, tier, createdAt }, keys, hours, players, teams] = await Promise.all([
      requireOrganizationOf(store, orgId),
      listKeys(store, orgId),
      readHours(store, orgId, { fromHour }),
      org.countRows(org.selectFrom("players").select("players.id")),
      org.countRows(org.selectFrom("teams").select("teams.id")),
    ]);
    const byKey = new Map<string, number>();
    for (const hour of hours) byKey.set(hour.keyId, (byKey.get(hour.keyId) ?? 0) + sumOf(hour));
    const [busiest] = keys
      .map((key) => ({ id: key.id, name: key.name, requestsLastDay: byKey.get(key.id) ?? 0 }))
      .filter(({ requestsLastDay }) => requestsLastDay > 0)
      .sort((a, b) => b.requestsLastDay - a.requestsLastDay);
    return {
      id,
      name,
      tier,
      createdAt,
      limits: { ...TIERS[tier] },
      usage: {
        activeKeys: keys.filter((key) => !hasEnded(key, visit.now)).length,
        players,
        teams,
        requestsLastDay: [...byKey.values()].reduce((total, requests) => total + requests, 0),
        busiestKey: allows(role, "keys:view") ? (busiest ?? null) : null,
      },
    };
  },

  renameOrganization: async ({ tools, orgId, origin, visit }, { body }) => {
    await requireOrganizationOf(tools.store, orgId);
    await renameOrganization(tools.store, orgId, body.name, origin, visit.now);
  },

  listMembers: async ({ tools, visit, user, orgId }) => {
    const [members, invitations] = await Promise.all([
      listMembers(tools.store, orgId, user.id),
      listInvitations(tools.store, orgId, visit.now),
    ]);
    return { members, invitations };
  },

  changeRole: ({ tools, visit, origin, orgId }, { path, body }) =>
    changeRole(tools.store, origin, { orgId, userId: path.userId, role: body.role }, visit.now),

  removeMember: ({ tools, visit, origin, orgId }, { path }) =>
    removeMember(tools.store, origin, { orgId, userId: path.userId }, visit.now),

  leaveOrganization: ({ tools, visit, user, origin, orgId }) =>
    removeMember(tools.store, origin, { orgId, userId: user.id }, visit.now),

  invite: ({ tools, visit, origin, orgId }, { body }) =>
    invite(tools.identity.tools, visit, origin, { orgId, email: body.email, role: body.role }),

  withdrawInvitation: ({ tools, visit, origin, orgId }, { path }) =>
    withdrawInvitation(tools.store, origin, { orgId, linkId: path.linkId }, visit.now),

  makeResetLink: ({ tools, visit, user, origin, orgId }, { path }) =>
    makeResetLink(tools.identity.tools, visit, origin, { orgId, userId: path.userId, maker: user }),

  makeResetLinkAsOperator: ({ tools, visit, origin }, { body }) =>
    makeResetLinkAsOperator(tools.identity.tools, visit, origin, body.email),

  listOrganizations: async ({ tools, visit }) => {
    const { operator } = tools.store;
    const [organizations, members, requests] = await Promise.all([
      listOrganizations(tools.store, visit.now),
      countMembers(operator),
      sumRequests(operator, firstHourOf(USAGE_HOURS, visit.now)),
    ]);
    return {
      organizations: organizations.map(({ id, name, tier, createdAt, activeKeyCount }) => ({
        id,
        name,
        tier,
        createdAt,
        members: members.get(id) ?? 0,
        activeKeys: activeKeyCount,
        requestsLastDay: requests.get(id) ?? 0,
      })),
    };
  },

  createOrganization: async ({ tools, origin, visit }, { body }) => {
    const { id } = await createOrganization(tools.store, { name: body.name, tier: body.tier }, origin, visit.now);
    try {
      const wanted = { orgId: id, email: body.ownerEmail, role: "owner" } as const;
      const { link, expiresAt, wasMailed } = await invite(tools.identity.tools, visit, origin, wanted);
      return { id, link, expiresAt, wasMailed };
    } catch (error) {
      // An organization that nobody was invited to would only be in the way of the next try.
      await deleteOrganization(tools.store, id, origin);
      throw error;
    }
  },

  setTier: async ({ tools, origin, visit }, { path, body }) => {
    await requireOrganizationOf(tools.store, path.targetOrgId);
    await setTier(tools.store, path.targetOrgId, body.tier, origin, visit.now);
  },
} satisfies Partial<ActionVerbs>;

async function countMembers(operator: Operator): Promise<Map<string, number>> {
  const rows = await operator
    .selectFrom("members")
    .select(["org_id", ({ fn }) => fn.countAll<number>().as("members")])
    .groupBy("org_id")
    .execute();
  return new Map(rows.map((row) => [row.org_id, Number(row.members)]));
}

async function sumRequests(operator: Operator, fromHour: number): Promise<Map<string, number>> {
  const rows = await operator
    .selectFrom("key_usage")
    .select(["org_id", ({ fn }) => fn.sum<number>("requests").as("requests")])
    .where("hour", ">=", fromHour)
    .groupBy("org_id")
    .execute();
  return new Map(rows.map((row) => [row.org_id, Number(row.requests)]));
}
