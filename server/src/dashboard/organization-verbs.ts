/** Home, and the organization's own settings. */
import { allows } from "@lineup/api/dashboard/members";
import { TIERS } from "@lineup/api/tiers";
import { listKeys } from "../access/key-admin.ts";
import {
  createOrganization as createIn,
  deleteOrganization,
  listOrganizations as listIn,
  renameOrganization as renameIn,
  setTier as setTierIn,
} from "../access/organizations.ts";
import { invite as inviteIn, listInvitations, withdrawInvitation as withdrawIn } from "../identity/invitations.ts";
import {
  changeRole as changeRoleIn,
  listMembers as listMembersIn,
  removeMember as removeMemberIn,
} from "../identity/members.ts";
import {
  makeResetLinkAsOperator as makeResetLinkAsOperatorIn,
  makeResetLink as makeResetLinkIn,
} from "../identity/reset-links.ts";
import { readHours } from "../request-log/key-usage.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Operator } from "../store/store.ts";
import { type ActionVerb, requireOrganizationOf } from "./context.ts";
import { HOUR_MS, hasEnded } from "./key-facts.ts";

const USAGE_HOURS = 24;

export const getOrganization: ActionVerb<"getOrganization"> = async ({ tools, orgId, role, visit }) => {
  const { store } = tools;
  const org = store.org(orgId);
  const fromHour = Math.floor(visit.now / HOUR_MS) - USAGE_HOURS + 1;
  const [{ id, name, tier, createdAt }, keys, hours, players, teams] = await Promise.all([
    requireOrganizationOf(store, orgId),
    listKeys(store, orgId),
    readHours(store, orgId, { fromHour }),
    countAll(org, "players"),
    countAll(org, "teams"),
  ]);
  const byKey = new Map<string, number>();
  for (const { keyId, answered, refused, failed } of hours) {
    byKey.set(keyId, (byKey.get(keyId) ?? 0) + answered + refused + failed);
  }
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
};

export const renameOrganization: ActionVerb<"renameOrganization"> = async (
  { tools, orgId, origin, visit },
  { body },
) => {
  await requireOrganizationOf(tools.store, orgId);
  await renameIn(tools.store, orgId, body.name, origin, visit.now);
  return {};
};

async function countAll(org: OrgStore, table: "teams" | "players"): Promise<number> {
  const found = await org
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(found?.count ?? 0);
}

export const listMembers: ActionVerb<"listMembers"> = async ({ tools, visit, user, orgId }) => {
  const [members, invitations] = await Promise.all([
    listMembersIn(tools.store, orgId, user.id),
    listInvitations(tools.store, orgId, visit.now),
  ]);
  return { members, invitations };
};

export const changeRole: ActionVerb<"changeRole"> = async ({ tools, visit, origin, orgId }, { path, body }) => {
  await changeRoleIn(tools.store, origin, { orgId, userId: path.userId, role: body.role }, visit.now);
  return {};
};

export const removeMember: ActionVerb<"removeMember"> = async ({ tools, visit, origin, orgId }, { path }) => {
  await removeMemberIn(tools.store, origin, { orgId, userId: path.userId }, visit.now);
  return {};
};

export const leaveOrganization: ActionVerb<"leaveOrganization"> = async ({ tools, visit, user, origin, orgId }) => {
  await removeMemberIn(tools.store, origin, { orgId, userId: user.id }, visit.now);
  return {};
};

export const invite: ActionVerb<"invite"> = ({ tools, visit, origin, orgId }, { body }) =>
  tools.identity.invite(visit, origin, { orgId, email: body.email, role: body.role });

export const withdrawInvitation: ActionVerb<"withdrawInvitation"> = async (
  { tools, visit, origin, orgId },
  { path },
) => {
  await withdrawIn(tools.store, origin, { orgId, linkId: path.linkId }, visit.now);
  return {};
};

export const makeResetLink: ActionVerb<"makeResetLink"> = ({ tools, visit, user, origin, orgId }, { path }) =>
  makeResetLinkIn(tools.identity.tools, visit, origin, { orgId, userId: path.userId, maker: user });

export const makeResetLinkAsOperator: ActionVerb<"makeResetLinkAsOperator"> = ({ tools, visit, origin }, { body }) =>
  makeResetLinkAsOperatorIn(tools.identity.tools, visit, origin, body.email);

export const listOrganizations: ActionVerb<"listOrganizations"> = async ({ tools, visit }) => {
  const { operator } = tools.store;
  const [organizations, members, requests] = await Promise.all([
    listIn(tools.store, visit.now),
    countMembers(operator),
    sumRequests(operator, Math.floor(visit.now / HOUR_MS) - 23),
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
};

export const createOrganization: ActionVerb<"createOrganization"> = async ({ tools, origin, visit }, { body }) => {
  const { id } = await createIn(tools.store, { name: body.name, tier: body.tier }, origin, visit.now);
  try {
    const wanted = { orgId: id, email: body.ownerEmail, role: "owner" } as const;
    const { link, expiresAt, wasMailed } = await inviteIn(tools.identity.tools, visit, origin, wanted);
    return { id, link, expiresAt, wasMailed };
  } catch (error) {
    // An organization that nobody was invited to would only be in the way of the next try.
    await deleteOrganization(tools.store, id, origin);
    throw error;
  }
};

export const setTier: ActionVerb<"setTier"> = async ({ tools, origin, visit }, { path, body }) => {
  await requireOrganizationOf(tools.store, path.targetOrgId);
  await setTierIn(tools.store, path.targetOrgId, body.tier, origin, visit.now);
  return {};
};

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
