/** What people do with links that work once. Whatever it is, it is done in the transaction that uses the link up. */
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult, ParsedBody } from "@lineup/api/dashboard/actions";
import { makeId } from "../store/ids.ts";
import type { Operator, Recording } from "../store/store.ts";
import { headersOf } from "./auth.ts";
import { joinAuthWork, runAuthWork } from "./auth-work.ts";
import { makeFirstOwner } from "./first-owner.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { type LinkRow, requireLink, takeLink, voidLinksOf } from "./links.ts";
import { findRole, putMember } from "./members.ts";
import { requireStillMeant } from "./reset-links.ts";
import { endSessionOf } from "./sign-in.ts";
import {
  claimUser,
  endSessions,
  findUserRow,
  forgetTrustedDevices,
  hasUsers,
  insertUser,
  type NamedUser,
  originOf,
  recordCreation,
  recordOfUser,
  requireCredential,
  requireUserRow,
  setPasswordHash,
  type UserRow,
} from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

export async function describeLink(
  { store: { operator } }: IdentityTools,
  token: string,
  now: number,
): Promise<ActionResult<"describeLink">> {
  const link = await requireLink(operator, token, undefined, now);
  const organization =
    link.org_id === null
      ? undefined
      : await operator.selectFrom("organizations").select("name").where("id", "=", link.org_id).executeTakeFirst();
  const maker = await operator.selectFrom("users").select("name").where("id", "=", link.created_by).executeTakeFirst();
  const user = link.user_id === null ? undefined : await requireUserRow(operator, link.user_id);
  const email = link.email ?? user?.email ?? null;
  return {
    kind: link.kind,
    email,
    organization: organization?.name ?? null,
    role: link.role,
    invitedBy: maker?.name ?? null,
    hasAccount: email !== null && (await findUserRow(operator, email)) !== undefined,
    expiresAt: link.expires_at,
  };
}

export interface Entered {
  readonly organizationId: string | null;
  readonly cookies: readonly string[];
}

interface Joined extends Entered {
  readonly organizationId: string;
}

/** The one who made the link vouches for anyone who opens it; so the second factor is not asked for. */
export async function signInByLink(tools: IdentityTools, visit: Visit, token: string): Promise<Entered> {
  const link = await requireLink(tools.store.operator, token, "sign-in", visit.now);
  const user = await requireUserRow(tools.store.operator, link.user_id ?? "");
  return runAuthWork(tools.store, { visit, origin: originOf(user, visit) }, async (operator, recording) => {
    await claimUser(operator, user.id);
    await takeLink(operator, token, "sign-in", visit.now);
    const cookies = await startSession(tools, visit, operator, recording, user, "with a link");
    const first = await operator
      .selectFrom("members")
      .select("org_id")
      .where("user_id", "=", user.id)
      .orderBy("org_id")
      .limit(1)
      .executeTakeFirst();
    return { organizationId: first?.org_id ?? null, cookies };
  });
}

export async function startSession(
  tools: IdentityTools,
  visit: Visit,
  operator: Operator,
  recording: Recording,
  user: NamedUser,
  note: string,
): Promise<readonly string[]> {
  await endSessionOf(operator, visit);
  const { api } = tools.authFor(visit);
  const { headers } = await api.startSession({
    body: { userId: user.id },
    headers: headersOf(visit),
    returnHeaders: true,
  });
  await recordOfUser(operator, recording, user, { at: visit.now, action: "user.signed-in", note });
  const device = tools.devices.remember(visit, await requireCredential(operator, user.id));
  return [...headers.getSetCookie(), device];
}

export async function acceptInvitation(
  tools: IdentityTools,
  visit: Visit,
  signedIn: SignedInUser | undefined,
  typed: ParsedBody<"acceptInvitation">,
): Promise<Joined> {
  const link = await requireLink(tools.store.operator, typed.token, "invitation", visit.now);
  const holder = await findUserRow(tools.store.operator, link.email ?? "");
  if (holder !== undefined) return joinWithAccount(tools, visit, signedIn, holder, typed.token);
  if (signedIn !== undefined) {
    throw new ActionError(
      "CONFLICT",
      `The invitation is for ${link.email}, and you are signed in as ${signedIn.email}. Sign out, then open the link again.`,
    );
  }
  const { name, password } = requireNameAndPassword(typed);
  const passwordHash = await tools.passwords.hash(password, false);
  const joining = { id: makeId("user"), name };
  return runAuthWork(tools.store, { visit, origin: originOf(joining, visit) }, async (operator, recording) => {
    const { org_id: orgId, email, role } = inviting(await takeLink(operator, typed.token, "invitation", visit.now));
    const user = await insertUser(operator, { ...joining, email, passwordHash }, visit.now);
    await putMember(operator, recording, { orgId, user, role }, visit.now);
    await recordCreation(operator, recording, user, visit.now);
    const cookies = await startSession(tools, visit, operator, recording, user, "with an invitation");
    return { organizationId: orgId, cookies };
  });
}

async function joinWithAccount(
  tools: IdentityTools,
  visit: Visit,
  signedIn: SignedInUser | undefined,
  holder: UserRow,
  token: string,
): Promise<Joined> {
  if (signedIn?.id !== holder.id) {
    throw new ActionError(
      "CONFLICT",
      `There is an account for ${holder.email} already. Sign in with it, then open the link again.`,
    );
  }
  return tools.store.writePeople(originOf(holder, visit), async (operator, recording) => {
    const { org_id: orgId, role } = inviting(await takeLink(operator, token, "invitation", visit.now));
    // Anyone who became a member otherwise keeps the role that was given there.
    const hasRole = (await findRole(operator, holder.id, orgId)) !== undefined;
    if (!hasRole) await putMember(operator, recording, { orgId, user: holder, role }, visit.now);
    return { organizationId: orgId, cookies: [] };
  });
}

/**
 * Every session ends, and no link from before works any more. Who chooses it then signs in with it, on a device that is known from now on:
 * however many strangers guess, the link is a way in.
 */
export async function resetPassword(
  tools: IdentityTools,
  visit: Visit,
  typed: ParsedBody<"resetPassword">,
): Promise<readonly string[]> {
  const link = await requireLink(tools.store.operator, typed.token, "password-reset", visit.now);
  const user = await requireUserRow(tools.store.operator, link.user_id ?? "");
  const hash = await tools.passwords.hash(typed.password, false);
  return tools.store.writePeople(originOf(user, visit), async (operator, recording) => {
    const claimed = await claimUser(operator, user.id);
    const taken = await takeLink(operator, typed.token, "password-reset", visit.now);
    await requireStillMeant(operator, taken, claimed);
    await setPasswordHash(operator, user.id, hash, visit.now);
    await endSessions(operator, user.id);
    await forgetTrustedDevices(operator, user.id);
    await voidLinksOf(operator, user.id);
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.password-reset" });
    return [tools.devices.remember(visit, await requireCredential(operator, user.id))];
  });
}

function requireNameAndPassword({ name, password }: ParsedBody<"acceptInvitation">) {
  if (name !== undefined && password !== undefined) return { name, password };
  const missing = [name === undefined ? "name" : undefined, password === undefined ? "password" : undefined];
  const details = missing.filter((field) => field !== undefined).map((field) => ({ field, message: "must be given" }));
  throw new ActionError("VALIDATION_ERROR", "Give your name and choose a password to join.", details);
}

function inviting({ org_id, email, role }: LinkRow) {
  if (org_id === null || email === null || role === null) throw new Error("An invitation lacks what it invites to.");
  return { org_id, email, role };
}

/** The set-up page: who holds the token of the log becomes the first owner. */
export async function setUp(tools: IdentityTools, visit: Visit, typed: ParsedBody<"setUp">): Promise<Joined> {
  await requireLink(tools.store.operator, typed.token, "setup", visit.now).catch(async (error: unknown) => {
    throw (await hasUsers(tools.store.operator)) ? taken() : error instanceof ActionError ? wrongToken() : error;
  });
  const passwordHash = await tools.passwords.hash(typed.password, false);
  const { token, name, email, organizationName } = typed;
  const owner = { id: makeId("user"), name, email, organizationName, passwordHash };
  return tools.store.writeAccess(originOf(owner, visit), (operator, recording) =>
    joinAuthWork(operator, visit, async () => {
      await takeLink(operator, token, "setup", visit.now);
      const made = await makeFirstOwner(operator, recording, owner, visit.now);
      if (made === undefined) throw taken();
      const cookies = await startSession(tools, visit, operator, recording, made.user, "at set-up");
      return { organizationId: made.organization.id, cookies };
    }),
  );
}

function taken(): ActionError {
  return new ActionError("CONFLICT", "Lineup is set up already. Sign in, or ask an owner to invite you.");
}

function wrongToken(): ActionError {
  return new ActionError(
    "WRONG_CREDENTIALS",
    'That token is not right. It is the last line of the server\'s log, and in the file "setup-token" of its data folder; ' +
      "each start makes a new one.",
    [{ field: "token", message: "is not right" }],
  );
}
