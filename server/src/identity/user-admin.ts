/** What the operator's commands do with people's accounts. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { Role } from "@lineup/api/dashboard/members";
import type { Origin } from "../store/audit-entry.ts";
import type { Operator, Recording, Store } from "../store/store.ts";
import { makeFirstOwner } from "./first-owner.ts";
import { insertAccountLink, type MadeLink, voidLinksOf } from "./links.ts";
import { putMember } from "./members.ts";
import {
  endSessions,
  forgetTrustedDevices,
  insertUser,
  type NewUser,
  recordCreation,
  recordOfUser,
  requireByEmail,
  type UserRow,
} from "./users.ts";

export async function listUsers({ operator }: Store) {
  const users = await operator
    .selectFrom("users")
    .leftJoin("accounts", "accounts.user_id", "users.id")
    .leftJoin("sessions", "sessions.user_id", "users.id")
    .selectAll("users")
    .select(({ fn }) => [
      fn.max<string | null>("accounts.password").as("password"),
      fn.max<number | null>("sessions.updated_at").as("last_seen_at"),
    ])
    .groupBy("users.id")
    .orderBy("users.id")
    .execute();
  const members = await operator
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .select(["members.user_id", "members.role", "organizations.id", "organizations.name"])
    .orderBy("organizations.id")
    .execute();
  const byUser = Map.groupBy(members, ({ user_id }) => user_id);
  return users.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator === 1,
    hasPassword: row.password !== null,
    hasSecondFactor: row.two_factor_enabled === 1,
    organizations: (byUser.get(row.id) ?? []).map(({ id, name, role }) => ({ id, name, role })),
    lastSeenAt: row.last_seen_at,
    createdAt: row.created_at,
  }));
}

export interface WantedUser extends NewUser {
  readonly orgId?: string | undefined;
  readonly role?: Role | undefined;
}

export interface CreatedUser {
  readonly user: UserRow;
  readonly organization: { readonly id: string; readonly name: string; readonly role: Role } | undefined;
  /** With which they choose a password, where none was given. */
  readonly link: MadeLink | undefined;
}

/**
 * The one who is made first, and for nothing else, is the first owner. Others belong to the organization that was named, as its owner if
 * nobody else belongs to it, else as who may only look, unless a role was named; operators need belong to none.
 */
export async function createUser(store: Store, wanted: WantedUser, origin: Origin, now: number): Promise<CreatedUser> {
  return store.writeAccess(origin, async (operator, recording) => {
    const isFirst = wanted.orgId === undefined && wanted.isOperator !== true;
    const first = isFirst ? await makeFirstOwner(operator, recording, wanted, now) : undefined;
    const { user, organization } = first ?? (await insertMember(operator, recording, wanted, now));
    const needsLink = wanted.passwordHash === undefined;
    const link = needsLink
      ? await insertAccountLink(operator, recording, user, { kind: "password-reset", createdBy: origin.name }, now)
      : undefined;
    return { user, organization, link };
  });
}

async function insertMember(
  operator: Operator,
  recording: Recording,
  wanted: WantedUser,
  now: number,
): Promise<Omit<CreatedUser, "link">> {
  const { orgId } = wanted;
  if (orgId === undefined && wanted.isOperator !== true) {
    throw new ActionError(
      "VALIDATION_ERROR",
      "Say where they belong with --org ORG, or make them an operator with --operator.",
    );
  }
  const user = await insertUser(operator, wanted, now);
  const organization = orgId === undefined ? undefined : await join(operator, recording, user, orgId, wanted.role, now);
  await recordCreation(operator, recording, user, now);
  return { user, organization };
}

async function join(
  operator: Operator,
  recording: Recording,
  user: UserRow,
  orgId: string,
  wantedRole: Role | undefined,
  now: number,
): Promise<{ id: string; name: string; role: Role }> {
  const organization = await operator
    .selectFrom("organizations")
    .select(["id", "name"])
    .where("id", "=", orgId)
    .executeTakeFirst();
  if (organization === undefined) throw new ActionError("NOT_FOUND", "The organization is gone. Choose another.");
  const member = await operator.selectFrom("members").select("user_id").where("org_id", "=", orgId).limit(1).execute();
  const role = wantedRole ?? (member.length === 0 ? "owner" : "viewer");
  await putMember(operator, recording, { orgId, user, role }, now);
  return { ...organization, role };
}

/** Makes somebody who has an account a member, or gives a member another role. */
export async function joinOrganization(
  store: Store,
  wanted: { readonly email: string; readonly orgId: string; readonly role: Role | undefined },
  origin: Origin,
  now: number,
) {
  return store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, wanted.email);
    return { user, organization: await join(operator, recording, user, wanted.orgId, wanted.role, now) };
  });
}

export async function makeSignInLinkFor(store: Store, email: string, origin: Origin, now: number): Promise<MadeLink> {
  return store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, email);
    return insertAccountLink(operator, recording, user, { kind: "sign-in", createdBy: origin.name }, now);
  });
}

/** With the second factor it also takes away what would be asked for after the new password. */
export async function makeResetLinkFor(
  store: Store,
  { email, endsSecondFactor }: { readonly email: string; readonly endsSecondFactor: boolean },
  origin: Origin,
  now: number,
): Promise<MadeLink & { readonly hadSecondFactor: boolean }> {
  return store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, email);
    const hadSecondFactor = user.two_factor_enabled === 1;
    const wanted = { kind: "password-reset", createdBy: origin.name } as const;
    const link = await insertAccountLink(operator, recording, user, wanted, now);
    if (!endsSecondFactor) return { ...link, hadSecondFactor };
    await operator.deleteFrom("two_factors").where("user_id", "=", user.id).execute();
    await operator.updateTable("users").set({ two_factor_enabled: 0 }).where("id", "=", user.id).execute();
    await forgetTrustedDevices(operator, user.id);
    if (hadSecondFactor)
      await recordOfUser(operator, recording, user, { at: now, action: "user.second-factor-disabled" });
    return { ...link, hadSecondFactor };
  });
}

export async function setOperator(
  store: Store,
  { email, isOperator }: { readonly email: string; readonly isOperator: boolean },
  origin: Origin,
  now: number,
): Promise<void> {
  await store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, email);
    if ((user.is_operator === 1) === isOperator) return;
    await operator
      .updateTable("users")
      .set({ is_operator: Number(isOperator), updated_at: now })
      .where("id", "=", user.id)
      .execute();
    // The one who made them meant what the account could do before.
    if (isOperator) await voidLinksOf(operator, user.id);
    const changes = { isOperator: [!isOperator, isOperator] } as const;
    await recordOfUser(operator, recording, user, { at: now, action: "user.operator-changed", changes });
  });
}

/** Takes somebody's account away, with all that lets them in; what they did stays in the audit log. An organization is left without an owner only where that is said to be meant. */
export async function deleteUser(
  store: Store,
  { email, mayOrphan }: { readonly email: string; readonly mayOrphan: boolean },
  origin: Origin,
  now: number,
): Promise<UserRow> {
  return store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, email);
    // Anyone who changes who owns what waits, so that no two of the last owners go at once.
    await operator
      .updateTable("members")
      .set((eb) => ({ role: eb.ref("role") }))
      .where("role", "=", "owner")
      .where("org_id", "in", operator.selectFrom("members").select("org_id").where("user_id", "=", user.id))
      .execute();
    const orphaned = await findOrphaned(operator, user.id);
    if (orphaned.length > 0 && !mayOrphan) {
      throw new ActionError(
        "CONFLICT",
        `${user.email} is the last owner of ${orphaned.join(", ")}. Make somebody else an owner first ` +
          "(npx lineup user join EMAIL --org ORG --role owner), or add --force.",
      );
    }
    await recordOfUser(operator, recording, user, {
      at: now,
      action: "user.deleted",
      changes: { email: [email, null] },
    });
    await endSessions(operator, user.id);
    await forgetTrustedDevices(operator, user.id);
    for (const table of ["members", "two_factors", "accounts", "links"] as const) {
      await operator.deleteFrom(table).where("user_id", "=", user.id).execute();
    }
    await operator.deleteFrom("users").where("id", "=", user.id).execute();
    return user;
  });
}

async function findOrphaned(operator: Operator, userId: string): Promise<string[]> {
  const rows = await operator
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.org_id")
    .leftJoin("members as others", (join) =>
      join
        .onRef("others.org_id", "=", "members.org_id")
        .on("others.role", "=", "owner")
        .on("others.user_id", "!=", userId),
    )
    .select("organizations.name")
    .where("members.user_id", "=", userId)
    .where("members.role", "=", "owner")
    .where("others.user_id", "is", null)
    .orderBy("organizations.id")
    .execute();
  return rows.map(({ name }) => `"${name}"`);
}
