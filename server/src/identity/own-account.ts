/** What a person does with their own account. Anyone who has a password shows it again before what matters. */

import { ActionError } from "@lineup/api/dashboard/action";
import type { ParsedBody } from "@lineup/api/dashboard/actions";
import { HOUR_MS } from "@lineup/api/tiers";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Operator } from "../store/store.ts";
import { codeOf } from "../store/store-error.ts";
import type { OwnVisit } from "./identity-tools.ts";
import { voidLinksOf } from "./links.ts";
import { KNOWN_TRIES, knownWindow, requireTry } from "./sign-in.ts";
import { giveBackTry } from "./try-windows.ts";
import {
  claimUser,
  emailTaken,
  endSessions,
  findCredential,
  findUserRow,
  forgetTrustedDevices,
  originOf,
  recordOfUser,
  requireCredential,
  setPasswordHash,
} from "./users.ts";

/** Half of what the known devices share, so that no stolen session uses that up. */
const CONFIRM_TRIES = KNOWN_TRIES / 2;
/** Anyone who has no password is believed for this long after signing in. */
const FRESH_MS = 86_400_000;

/**
 * Returns the stored hash that the password matches. Wrong ones count among those of known devices, so that the account's bound holds here
 * too. By session all are counted, right ones too: somebody who stole one session cannot keep the owner out.
 */
export async function requirePassword(
  { tools, visit, user }: OwnVisit,
  password: string | undefined,
  field = "password",
): Promise<string> {
  const credential = await findCredential(tools.store.operator, { id: user.id });
  if (credential?.hash === undefined) {
    throw new ActionError("CONFLICT", "This account has no password yet. Choose one first, under Security.");
  }
  if (password === undefined) {
    const message = "Type your password, too.";
    throw new ActionError("VALIDATION_ERROR", message, [{ field, message: "must be given" }]);
  }
  const window = { account: `confirm ${user.sessionId}`, limit: CONFIRM_TRIES, windowMs: HOUR_MS, isOfKnown: true };
  await requireTry(tools, window, visit);
  const taken = await requireTry(tools, knownWindow(user.id), visit);
  if (!(await tools.passwords.verify(credential.hash, password, true))) {
    const details = [{ field, message: "is not right" }];
    throw new ActionError("WRONG_CREDENTIALS", "That password is not right. Type the one you sign in with.", details);
  }
  await tools.store.writePeople(SERVER_ORIGIN, (operator) => giveBackTry(operator, taken));
  return credential.hash;
}

export async function updateProfile(own: OwnVisit, wanted: ParsedBody<"updateProfile">): Promise<void> {
  const { tools, visit, user } = own;
  const changesEmail = wanted.email !== undefined && wanted.email !== user.email;
  if (changesEmail) await requireProof(own, wanted.password);
  await tools.store.writePeople(originOf(user, visit), async (operator, recording) => {
    const before = await claimUser(operator, user.id);
    const after = { name: wanted.name ?? before.name, email: wanted.email ?? before.email };
    const names = (["name", "email"] as const).filter((name) => before[name] !== after[name]);
    if (names.length === 0) return;
    await setProfile(operator, user.id, after, visit.now);
    // Links went to the old address.
    if (before.email !== after.email) await voidLinksOf(operator, user.id);
    const changes = Object.fromEntries(names.map((name) => [name, [before[name], after[name]] as const]));
    const entry = { at: visit.now, action: "user.profile-changed", changes };
    await recordOfUser(operator, recording, { id: user.id, name: after.name }, entry);
  });
}

async function setProfile(
  operator: Operator,
  userId: string,
  { name, email }: { readonly name: string; readonly email: string },
  now: number,
): Promise<void> {
  const holder = await findUserRow(operator, email);
  if (holder !== undefined && holder.id !== userId) throw emailTaken();
  await operator
    .updateTable("users")
    .set({ name, email, email_verified: 0, updated_at: now })
    .where("id", "=", userId)
    .execute()
    .catch((error: unknown) => {
      // Somebody else took it at this moment.
      throw ["SQLITE_CONSTRAINT_UNIQUE", "23505"].includes(codeOf(error)) ? emailTaken() : error;
    });
}

/** All other sessions end, and devices are strangers again, but for this one: returns the cookie that keeps it known. */
export async function changePassword(own: OwnVisit, typed: ParsedBody<"changePassword">): Promise<readonly string[]> {
  const { tools, visit, user } = own;
  const provenHash = await requireProof(own, typed.current, "current");
  const hash = await tools.passwords.hash(typed.password);
  return tools.store.writePeople(originOf(user, visit), async (operator, recording) => {
    await claimUser(operator, user.id);
    const now = await findCredential(operator, { id: user.id });
    if (now === undefined || now.hash !== provenHash) {
      throw new ActionError("CONFLICT", "The password was changed at this moment by somebody else. Try again.");
    }
    await setPasswordHash(operator, user.id, hash, visit.now);
    await endSessions(operator, user.id, user.sessionId);
    await forgetTrustedDevices(operator, user.id);
    await voidLinksOf(operator, user.id);
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.password-changed" });
    return [tools.devices.remember(visit, await requireCredential(operator, user.id))];
  });
}

/** The password; or, where there is none, a session that is still fresh. Returns the stored hash, if there is one. */
async function requireProof(own: OwnVisit, password: string | undefined, field?: string): Promise<string | undefined> {
  const { tools, user } = own;
  const { operator } = tools.store;
  const credential = await findCredential(operator, { id: user.id });
  if (credential?.hash !== undefined) return requirePassword(own, password, field);
  const session = await operator
    .selectFrom("sessions")
    .select("created_at")
    .where("id", "=", user.sessionId)
    .executeTakeFirst();
  if (session !== undefined && Date.now() - session.created_at < FRESH_MS) return undefined;
  throw new ActionError(
    "FORBIDDEN",
    "You signed in too long ago to do this without a password. Ask the operator for a new link (npx lineup user link EMAIL).",
  );
}
