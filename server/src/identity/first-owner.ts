/**
 * The first owner, who comes in one of three equal ways: by the settings, by a command, by the set-up page. Whichever is first, the
 * others find an account and do nothing: changes of access go one after another, and each looks before it makes anything.
 *
 * The first owner owns the oldest organization that nobody belongs to; where there is none, one is made.
 */
import { insertOrganization } from "../access/organizations.ts";
import type { AccessRecording, Operator } from "../store/store.ts";
import { putMember } from "./members.ts";
import { recordCreation } from "./user-audit.ts";
import { hasUsers, insertUser, type NewUser, type UserRow } from "./users.ts";

const ORGANIZATION_NAME = "My organization";

export interface FirstOwner extends NewUser {
  /** For an organization that has to be made. */
  readonly organizationName?: string | undefined;
}

export interface MadeOwner {
  readonly user: UserRow;
  readonly organization: { readonly id: string; readonly name: string };
}

/** Undefined when somebody has an account already. */
export async function makeFirstOwner(
  operator: Operator,
  recording: AccessRecording,
  wanted: FirstOwner,
  now: number,
): Promise<MadeOwner | undefined> {
  if (await hasUsers(operator)) return undefined;
  const name = wanted.organizationName ?? ORGANIZATION_NAME;
  const organization = (await findUnowned(operator)) ?? (await insertOrganization(operator, recording, { name }, now));
  const user = await insertUser(operator, wanted, now);
  await putMember(operator, recording, { orgId: organization.id, user, role: "owner" }, now);
  await recordCreation(operator, recording, user, now);
  await operator.deleteFrom("links").where("kind", "=", "setup").execute();
  return { user, organization };
}

async function findUnowned(operator: Operator): Promise<{ id: string; name: string } | undefined> {
  return operator
    .selectFrom("organizations")
    .leftJoin("members", "members.org_id", "organizations.id")
    .select(["organizations.id", "organizations.name"])
    .where("members.user_id", "is", null)
    .orderBy("organizations.id")
    .limit(1)
    .executeTakeFirst();
}

/** What to call somebody of whom only the address is known. */
export function nameFrom(email: string): string {
  return email.split("@", 1)[0] ?? email;
}
