/**
 * Links with which somebody chooses a new password: made by the operator, by an owner for a member, or asked for by mail. A new one voids
 * the older ones of the same person; one that was asked for by mail, which anybody may do, voids only those that were mailed likewise.
 */

import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { isIdOf } from "@lineup/api/ids";
import { HOUR_MS } from "@lineup/api/tiers";
import { type Origin, SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Operator } from "../store/store.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { BY_MAIL, insertAccountLink, type LinkRow, linkUrl } from "./links.ts";
import { resetLetter } from "./mailer.ts";
import { requireMember } from "./members.ts";
import { hide, requireAddressTry } from "./sign-in.ts";
import { takeTry } from "./try-windows.ts";
import { claimUser, findUserRow, type UserRow } from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

const REQUESTS_AN_HOUR = 3;

export async function makeResetLink(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  wanted: { readonly orgId: string; readonly userId: string; readonly maker: SignedInUser },
): Promise<ActionResult<"makeResetLink">> {
  return makeAndTell(tools, visit, origin, wanted.maker.id, async (operator) => {
    await requireMember(operator, wanted.orgId, wanted.userId);
    // Nobody joins anything else while this is judged.
    const member = await claimUser(operator, wanted.userId);
    if (member.id === wanted.maker.id || (await isOwnedWholly(operator, member, wanted.maker.id))) return member;
    throw new ActionError(
      "FORBIDDEN",
      "This person also has access to what you do not own, which the link would open. Ask the operator to make it: " +
        "npx lineup user reset EMAIL",
    );
  });
}

export async function makeResetLinkAsOperator(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  email: string,
): Promise<ActionResult<"makeResetLinkAsOperator">> {
  return makeAndTell(tools, visit, origin, origin.id ?? origin.name, async (operator) => {
    const found = await findUserRow(operator, email);
    if (found !== undefined) return found;
    const details = [{ field: "email", message: "is nobody's" }];
    throw new ActionError("NOT_FOUND", "Nobody has an account with this email address. Check it.", details);
  });
}

/** Says the same, and as soon, whether or not there is such an account: the rest happens in the background. */
export async function requestPasswordReset(tools: IdentityTools, visit: Visit, email: string): Promise<void> {
  const { mailer } = tools;
  if (mailer === undefined) {
    throw new ActionError(
      "CONFLICT",
      "This server sends no mail. Ask an owner of your organization, or the operator, for a link to choose a new password.",
    );
  }
  await requireAddressTry(tools, visit);
  tools.inBackground(async () => {
    const window = { account: `reset ${hide(tools, email)}`, limit: REQUESTS_AN_HOUR, windowMs: HOUR_MS };
    if ((await takeTry(tools.store, window, visit.now)) === undefined) return;
    const origin = { ...SERVER_ORIGIN, address: visit.address, requestId: visit.requestId };
    const made = await tools.store.writePeople(origin, async (operator, recording) => {
      const user = await findUserRow(operator, email);
      const wanted = { kind: "password-reset", createdBy: BY_MAIL } as const;
      return user && insertAccountLink(operator, recording, user, wanted, visit.now);
    });
    if (made === undefined) return;
    const link = linkUrl(tools.publicUrl ?? visit.baseUrl, made.token);
    await mailer.send(resetLetter({ email, link, expiresAt: made.expiresAt }));
  });
}

/** The user is found in the transaction that makes the link. It is shown to its maker, and mailed to the user where mail is set. */
async function makeAndTell(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  createdBy: string,
  requireUser: (operator: Operator) => Promise<UserRow>,
): Promise<ActionResult<"makeResetLink">> {
  const { email, token, expiresAt } = await tools.store.writePeople(origin, async (operator, recording) => {
    const user = await requireUser(operator);
    const wanted = { kind: "password-reset", createdBy } as const;
    return { email: user.email, ...(await insertAccountLink(operator, recording, user, wanted, visit.now)) };
  });
  const mailed = linkUrl(tools.publicUrl ?? visit.baseUrl, token);
  const wasMailed = (await tools.mailer?.send(resetLetter({ email, link: mailed, expiresAt }))) ?? false;
  return { link: linkUrl(visit.baseUrl, token), expiresAt, wasMailed };
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
    "The person who made this link does not own all that it would open any more. Ask the operator for another: " +
      "npx lineup user reset EMAIL",
  );
}

/**
 * An owner's reset link opens all that its person has access to. So an owner may have one only for somebody who belongs to no organization
 * that the owner does not own, and is no operator. That is judged when the link is made and once more when it is used, each time with the
 * user claimed; and joining an organization claims the user, too. So at no moment does such a link open what is not its maker's.
 */
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
