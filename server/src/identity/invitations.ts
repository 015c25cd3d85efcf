/** Invitations: links that make anyone who holds them a member. */

import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import type { Role } from "@lineup/api/dashboard/members";
import { isIdOf } from "@lineup/api/ids";
import { HOUR_MS } from "@lineup/api/tiers";
import type { ExpressionBuilder } from "kysely";
import type { Origin } from "../store/audit-entry.ts";
import type { Database } from "../store/schema.ts";
import type { Operator, Store } from "../store/store.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { linkUrl, type MadeLink, makeLink } from "./links.ts";
import { invitationLetter } from "./mailer.ts";
import { findRole } from "./members.ts";
import { takeTry } from "./try-windows.ts";
import { findUserRow } from "./users.ts";
import type { Visit } from "./visit.ts";

const OPEN_MAX = 200;
const MAILS_AN_HOUR = 60;

export interface WantedInvitation {
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
}

/** The link is shown this once; where the server sends mail, it is mailed too. An older one for the same person stops working. */
export async function invite(
  tools: IdentityTools,
  visit: Visit,
  origin: Origin,
  wanted: WantedInvitation,
): Promise<ActionResult<"invite">> {
  const { made, organization } = await tools.store.writePeople(origin, async (operator, { record }) => {
    const found = await operator
      .selectFrom("organizations")
      .select("name")
      .where("id", "=", wanted.orgId)
      .executeTakeFirst();
    if (found === undefined) throw new ActionError("NOT_FOUND", "The organization is gone. Load the page again.");
    await requireNoMember(operator, wanted);
    await withdrawOlder(operator, wanted, visit.now);
    const createdBy = origin.id ?? origin.name;
    const link = await makeLink(operator, { kind: "invitation", createdBy, ...wanted }, visit.now);
    const target = { kind: "invitation", id: link.id, name: wanted.email };
    const changes = { email: [null, wanted.email], role: [null, wanted.role] } as const;
    await record(wanted.orgId, [{ at: visit.now, action: "member.invited", target, changes }]);
    return { made: link, organization: found.name };
  });
  const wasMailed = await mailInvitation(tools, visit, { ...wanted, made, organization, invitedBy: origin.name });
  return { id: made.id, link: linkUrl(visit.baseUrl, made.token), expiresAt: made.expiresAt, wasMailed };
}

export async function withdrawInvitation(
  store: Store,
  origin: Origin,
  { orgId, linkId }: { readonly orgId: string; readonly linkId: string },
  now: number,
): Promise<void> {
  await store.writePeople(origin, async (operator, { record }) => {
    const [gone] = await operator
      .deleteFrom("links")
      .where((eb) => isOpen(eb, orgId, now))
      .where("id", "=", linkId)
      .returning("email")
      .execute();
    if (gone === undefined) {
      throw new ActionError("NOT_FOUND", "That invitation was accepted or withdrawn already. Load the list again.");
    }
    const target = { kind: "invitation", id: linkId, name: gone.email };
    await record(orgId, [{ at: now, action: "invitation.withdrawn", target }]);
  });
}

export async function listInvitations(
  { operator }: Store,
  orgId: string,
  now: number,
): Promise<ActionResult<"listMembers">["invitations"]> {
  const rows = await operator
    .selectFrom("links")
    .leftJoin("users", "users.id", "links.created_by")
    .select(["links.id", "links.email", "links.role", "links.created_by", "links.created_at", "links.expires_at"])
    .select("users.name")
    .where((eb) => isOpen(eb, orgId, now))
    .orderBy("links.id", "desc")
    .limit(OPEN_MAX)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    email: row.email ?? "",
    role: row.role ?? "viewer",
    invitedBy: row.name ?? (isIdOf("user", row.created_by) ? "somebody who left" : row.created_by),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

async function requireNoMember(operator: Operator, { orgId, email }: WantedInvitation): Promise<void> {
  const user = await findUserRow(operator, email);
  if (user === undefined) return;
  if ((await findRole(operator, user.id, orgId)) === undefined) return;
  const message = "Someone with this email address is a member already. Change their role in the list of members.";
  throw new ActionError("CONFLICT", message, [{ field: "email", message: "is a member already" }]);
}

async function withdrawOlder(operator: Operator, { orgId, email }: WantedInvitation, now: number): Promise<void> {
  await operator
    .deleteFrom("links")
    .where((eb) => isOpen(eb, orgId, now))
    .where("email", "=", email)
    .execute();
  const open = await operator
    .selectFrom("links")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where((eb) => isOpen(eb, orgId, now))
    .executeTakeFirst();
  if (Number(open?.count ?? 0) < OPEN_MAX) return;
  throw new ActionError("CONFLICT", `There are ${OPEN_MAX} open invitations. Withdraw some before making another.`);
}

function isOpen(eb: ExpressionBuilder<Database, "links">, orgId: string, now: number) {
  return eb.and([
    eb("links.org_id", "=", orgId),
    eb("links.kind", "=", "invitation"),
    eb("links.used_at", "is", null),
    eb("links.expires_at", ">", now),
  ]);
}

async function mailInvitation(
  tools: IdentityTools,
  visit: Visit,
  mailing: WantedInvitation & { readonly made: MadeLink; readonly organization: string; readonly invitedBy: string },
): Promise<boolean> {
  if (tools.mailer === undefined) return false;
  const window = { account: `mail ${mailing.orgId}`, limit: MAILS_AN_HOUR, windowMs: HOUR_MS };
  if ((await takeTry(tools.store, window, visit.now)) === undefined) return false;
  const link = linkUrl(tools.publicUrl ?? visit.baseUrl, mailing.made.token);
  return tools.mailer.send(invitationLetter({ ...mailing, link, expiresAt: mailing.made.expiresAt }));
}
