/**
 * Links with which somebody chooses a new password: made by the operator, by an owner for a member, or asked for by mail. A new one voids
 * the older ones of the same person; one that was asked for by mail, which anybody may do, voids only those that were mailed likewise.
 */
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { type Origin, SERVER_ORIGIN } from "../store/origin.ts";
import { insertMailedResetLink, insertResetLink } from "./account-links.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { resetLetter } from "./letters.ts";
import { linkUrl, type MadeLink } from "./links.ts";
import { requireMember } from "./members.ts";
import { requireOwnedWholly } from "./reset-judgement.ts";
import { hide, requireAddressTry } from "./sign-in.ts";
import { HOUR_MS, takeTry } from "./try-windows.ts";
import { claimUser, findUserRow, type UserRow } from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

const REQUESTS_AN_HOUR = 3;

export async function makeResetLink(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  wanted: { readonly orgId: string; readonly userId: string; readonly maker: SignedInUser },
): Promise<ActionResult<"makeResetLink">> {
  const { user, made } = await tools.store.writePeople(origin, async (operator, recording) => {
    await requireMember(operator, wanted.orgId, wanted.userId);
    // Nobody joins anything else while this is judged.
    const member = await claimUser(operator, wanted.userId);
    if (member.id !== wanted.maker.id) await requireOwnedWholly(operator, member, wanted.maker.id);
    return { user: member, made: await insertResetLink(operator, recording, member, wanted.maker.id, visit.now) };
  });
  return tell(tools, visit, user, made);
}

export async function makeResetLinkAsOperator(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  email: string,
): Promise<ActionResult<"makeResetLinkAsOperator">> {
  const { user, made } = await tools.store.writePeople(origin, async (operator, recording) => {
    const found = await findUserRow(operator, email);
    if (found === undefined) {
      const details = [{ field: "email", message: "is nobody's" }];
      throw new ActionError("NOT_FOUND", "Nobody has an account with this email address. Check it.", details);
    }
    const link = await insertResetLink(operator, recording, found, origin.id ?? origin.name, visit.now);
    return { user: found, made: link };
  });
  return tell(tools, visit, user, made);
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
      return user && insertMailedResetLink(operator, recording, user, visit.now);
    });
    if (made === undefined) return;
    const link = linkUrl(tools.publicUrl ?? visit.baseUrl, made.token);
    await mailer.send(resetLetter({ email, link, expiresAt: made.expiresAt }));
  });
}

async function tell(
  tools: IdentityTools,
  visit: Visit,
  { email }: UserRow,
  { token, expiresAt }: MadeLink,
): Promise<ActionResult<"makeResetLink">> {
  const mailed = linkUrl(tools.publicUrl ?? visit.baseUrl, token);
  const wasMailed = (await tools.mailer?.send(resetLetter({ email, link: mailed, expiresAt }))) ?? false;
  return { link: linkUrl(visit.baseUrl, token), expiresAt, wasMailed };
}
