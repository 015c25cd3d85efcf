/** Takes somebody's account away, with all that lets them in. What they did stays in the audit log. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { Origin } from "../store/origin.ts";
import type { Operator, Store } from "../store/store.ts";
import { recordOfUser } from "./user-audit.ts";
import { endSessions, forgetTrustedDevices, requireByEmail, type UserRow } from "./users.ts";

/** An organization is left without an owner only where that is said to be meant. */
export async function deleteUser(
  store: Store,
  { email, mayOrphan }: { readonly email: string; readonly mayOrphan: boolean },
  origin: Origin,
  now: number,
): Promise<UserRow> {
  return store.writePeople(origin, async (operator, recording) => {
    const user = await requireByEmail(operator, email);
    // Whoever changes who owns what waits, so that no two of the last owners go at once.
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
