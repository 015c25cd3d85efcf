/**
 * Who belongs to an organization, and as what. An organization that has an owner always keeps one: anyone who takes a role away first claims
 * the rows of all its owners, so that of several who do so at once each sees what the others left.
 *
 * Who may ask for a change was judged before; what may come of it is judged here, in the transaction that makes it.
 */
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import type { AuditEntry, Origin } from "../store/audit-entry.ts";
import type { Operator, Recording, Store } from "../store/store.ts";
import { voidLinksOf } from "./links.ts";
import { claimUser, type NamedUser } from "./users.ts";

export async function findRole(operator: Operator, userId: string, orgId: string): Promise<Role | undefined> {
  const found = await operator
    .selectFrom("members")
    .select("role")
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return found?.role;
}

export async function listMemberships(
  { operator }: Store,
  userId: string,
): Promise<ActionResult<"getSession">["organizations"]> {
  return operator
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["organizations.id", "organizations.name", "organizations.tier", "members.role"])
    .where("members.user_id", "=", userId)
    .orderBy("organizations.name")
    .orderBy("organizations.id")
    .execute();
}

export async function listMembers(
  { operator }: Store,
  orgId: string,
  ownId: string,
): Promise<ActionResult<"listMembers">["members"]> {
  const rows = await operator
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .leftJoin("sessions", "sessions.user_id", "users.id")
    .select(["users.id", "users.name", "users.email", "users.two_factor_enabled", "members.role", "members.created_at"])
    .select(({ fn }) => fn.max<number | null>("sessions.updated_at").as("last_seen_at"))
    .where("members.org_id", "=", orgId)
    .groupBy(["users.id", "members.org_id", "members.user_id"])
    .orderBy("users.name")
    .orderBy("users.id")
    .execute();
  return rows.map((row) => ({
    userId: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    hasSecondFactor: row.two_factor_enabled === 1,
    isYou: row.id === ownId,
    joinedAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  }));
}

/**
 * Adds the user, or changes their role; true if that changed anything. Links that open the account of who joins stop working: the one who
 * made them meant what the account could do before.
 */
export async function putMember(
  operator: Operator,
  { record }: Recording,
  member: { readonly orgId: string; readonly user: NamedUser; readonly role: Role },
  now: number,
): Promise<boolean> {
  const { orgId, user, role } = member;
  await claimUser(operator, user.id);
  const before = await claimMember(operator, orgId, user.id);
  if (before === role) return false;
  if (before === "owner") await requireOtherOwner(operator, orgId, user.id);
  const at = { created_at: now, updated_at: now };
  await operator
    .insertInto("members")
    .values({ org_id: orgId, user_id: user.id, role, ...at })
    .onConflict((conflict) => conflict.columns(["org_id", "user_id"]).doUpdateSet({ role, updated_at: now }))
    .execute();
  if (before === undefined) await voidLinksOf(operator, user.id);
  const action = before === undefined ? "member.joined" : "member.role-changed";
  await record(orgId, [entryOf(action, user, now, { role: [before ?? null, role] })]);
  return true;
}

export async function changeRole(
  store: Store,
  origin: Origin,
  member: { readonly orgId: string; readonly userId: string; readonly role: Role },
  now: number,
): Promise<void> {
  await store.writePeople(origin, async (operator, recording) => {
    const user = await requireMember(operator, member.orgId, member.userId);
    await putMember(operator, recording, { orgId: member.orgId, user, role: member.role }, now);
  });
}

/** From the next request on they have no access. */
export async function removeMember(
  store: Store,
  origin: Origin,
  { orgId, userId }: { readonly orgId: string; readonly userId: string },
  now: number,
): Promise<void> {
  await store.writePeople(origin, async (operator, { record }) => {
    const user = await requireMember(operator, orgId, userId);
    const role = await claimMember(operator, orgId, userId);
    if (role === undefined) throw notAMember();
    if (role === "owner") await requireOtherOwner(operator, orgId, userId);
    await operator.deleteFrom("members").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
    // Links that they made for others are the organization's, not theirs.
    const action = origin.id === userId ? "member.left" : "member.removed";
    await record(orgId, [entryOf(action, user, now, { role: [role, null] })]);
  });
}

export async function requireMember(operator: Operator, orgId: string, userId: string): Promise<NamedUser> {
  const found = await operator
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["users.id", "users.name"])
    .where("members.org_id", "=", orgId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
  if (found === undefined) throw notAMember();
  return found;
}

/** The user's role, which nobody else changes until the transaction ends; nor does anybody change who owns the organization. */
async function claimMember(operator: Operator, orgId: string, userId: string): Promise<Role | undefined> {
  const claimed = await operator
    .updateTable("members")
    .set((eb) => ({ role: eb.ref("role") }))
    .where("org_id", "=", orgId)
    .where((eb) => eb.or([eb("role", "=", "owner"), eb("user_id", "=", userId)]))
    .returning(["user_id", "role"])
    .execute();
  return claimed.find((row) => row.user_id === userId)?.role;
}

async function requireOtherOwner(operator: Operator, orgId: string, userId: string): Promise<void> {
  const other = await operator
    .selectFrom("members")
    .select("user_id")
    .where("org_id", "=", orgId)
    .where("role", "=", "owner")
    .where("user_id", "!=", userId)
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new ActionError(
    "CONFLICT",
    "An organization must keep an owner, and this is the last one. Make somebody else an owner first.",
  );
}

function entryOf(
  action: string,
  { id, name }: NamedUser,
  at: number,
  changes: NonNullable<AuditEntry["changes"]>,
): AuditEntry {
  return { at, action, target: { kind: "user", id, name }, changes };
}

function notAMember(): ActionError {
  return new ActionError("NOT_FOUND", "That person is not a member any more. Load the list again.");
}
