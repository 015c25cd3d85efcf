/** What a person does with their own account. Anyone who has a password shows it again before what matters. */
import { ActionError } from "@lineup/api/dashboard/action";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Operator } from "../store/store.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { voidLinksOf } from "./links.ts";
import { KNOWN_TRIES, knownWindow, tooManyTries } from "./sign-in.ts";
import { giveBackTry, HOUR_MS, takeTry } from "./try-windows.ts";
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
import type { SignedInUser, Visit } from "./visit.ts";

/** Half of what the known devices share, so that no stolen session uses that up. */
const CONFIRM_TRIES = KNOWN_TRIES / 2;
/** Anyone who has no password is believed for this long after signing in. */
const FRESH_MS = 86_400_000;

/**
 * Returns the stored hash that the password matches. Wrong ones count among those of known devices, so that the account's bound holds here
 * too. By session all are counted, right ones too: somebody who stole one session cannot keep the owner out.
 */
export async function requirePassword(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
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
  if ((await takeTry(tools.store, window, visit.now)) === undefined) throw await tooManyTries(tools, window, visit);
  const known = knownWindow(user.id);
  const taken = await takeTry(tools.store, known, visit.now);
  if (taken === undefined) throw await tooManyTries(tools, known, visit);
  if (!(await tools.passwords.verify(credential.hash, password, true))) {
    const details = [{ field, message: "is not right" }];
    throw new ActionError("WRONG_CREDENTIALS", "That password is not right. Type the one you sign in with.", details);
  }
  await tools.store.writePeople(SERVER_ORIGIN, (operator) => giveBackTry(operator, taken));
  return credential.hash;
}

export async function updateProfile(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  wanted: {
    readonly name?: string | undefined;
    readonly email?: string | undefined;
    readonly password?: string | undefined;
  },
): Promise<void> {
  const changesEmail = wanted.email !== undefined && wanted.email !== user.email;
  if (changesEmail) await requireProof(tools, visit, user, wanted.password);
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
      throw isUniqueViolation(error) ? emailTaken() : error;
    });
}

function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "SQLITE_CONSTRAINT_UNIQUE" || code === "23505";
}

/** All other sessions end, and devices are strangers again, but for this one: returns the cookie that keeps it known. */
export async function changePassword(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  typed: { readonly current?: string | undefined; readonly password: string },
): Promise<readonly string[]> {
  const provenHash = await requireProof(tools, visit, user, typed.current, "current");
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
async function requireProof(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  password: string | undefined,
  field = "password",
): Promise<string | undefined> {
  const { operator } = tools.store;
  const credential = await findCredential(operator, { id: user.id });
  if (credential?.hash !== undefined) return requirePassword(tools, visit, user, password, field);
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
