/**
 * An owner's reset link opens whatever its person has access to. So an owner may have one only for whoever belongs to no organization that
 * the owner does not own, and is no operator. That is judged when the link is made and once more when it is used, each time with the
 * user claimed; and joining an organization claims the user, too. So at no moment does such a link open what is not its maker's.
 */
import { ActionError } from "@lineup/api/dashboard/action";
import { isIdOf } from "@lineup/api/ids";
import type { Operator } from "../store/store.ts";
import type { LinkRow } from "./links.ts";
import type { UserRow } from "./users.ts";

export async function requireOwnedWholly(operator: Operator, member: UserRow, ownerId: string): Promise<void> {
  if (await isOwnedWholly(operator, member, ownerId)) return;
  throw new ActionError(
    "FORBIDDEN",
    "This person also has access to what you do not own, which the link would open. Ask the operator to make it: " +
      "npx lineup user reset EMAIL",
  );
}

/** For a link that is about to be used: what commands, mail, operators and people themselves made holds. */
export async function requireStillMeant(operator: Operator, link: LinkRow, user: UserRow): Promise<void> {
  const makerId = link.created_by;
  if (!isIdOf("user", makerId) || makerId === user.id) return;
  const maker = await operator
    .selectFrom("users")
    .select("is_operator")
    .where("id", "=", makerId)
    .where("is_operator", "=", 1)
    .executeTakeFirst();
  if (maker !== undefined || (await isOwnedWholly(operator, user, makerId))) return;
  throw new ActionError(
    "FORBIDDEN",
    "Whoever made this link does not own all that it would open any more. Ask the operator for another: " +
      "npx lineup user reset EMAIL",
  );
}

async function isOwnedWholly(operator: Operator, member: UserRow, ownerId: string): Promise<boolean> {
  const rows = await operator
    .selectFrom("members as theirs")
    .leftJoin("members as own", (join) =>
      join.onRef("own.org_id", "=", "theirs.org_id").on("own.user_id", "=", ownerId).on("own.role", "=", "owner"),
    )
    .select("own.user_id")
    .where("theirs.user_id", "=", member.id)
    .execute();
  return member.is_operator === 0 && rows.length > 0 && rows.every((row) => row.user_id !== null);
}
