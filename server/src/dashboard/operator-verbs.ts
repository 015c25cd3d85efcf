/** What the operator does: see all organizations, make them, set their tiers. */
import {
  createOrganization as createIn,
  deleteOrganization,
  listOrganizations as listIn,
  setTier as setTierIn,
} from "../access/organizations.ts";
import { invite } from "../identity/invitations.ts";
import type { Operator } from "../store/store.ts";
import type { ActionVerb } from "./context.ts";
import { HOUR_MS } from "./key-facts.ts";
import { requireOrganizationOf } from "./organization-facts.ts";

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
    const { link, expiresAt, wasMailed } = await invite(tools.identity.tools, visit, origin, wanted);
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
