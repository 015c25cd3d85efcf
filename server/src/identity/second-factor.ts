/** Setting up and giving up the second factor. It is asked for from the moment at which its first code was confirmed. */
import { ActionError } from "@lineup/api/dashboard/action";
import { isAPIError } from "better-auth/api";
import { headersOf } from "./auth.ts";
import { runAuthWork } from "./auth-work.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { requirePassword } from "./own-account.ts";
import { CODE_TRIES, explainUnreadable, markCodeUsed, tooManyTries, wrongCode } from "./sign-in.ts";
import { giveBackTry, HOUR_MS, takeTry } from "./try-windows.ts";
import {
  claimUser,
  forgetKnownDevices,
  forgetTrustedDevices,
  originOf,
  recordOfUser,
  requireCredential,
  requireUserRow,
} from "./users.ts";
import type { SignedInUser, Visit } from "./visit.ts";

export interface BegunSecondFactor {
  readonly uri: string;
  readonly secret: string;
  readonly recoveryCodes: string[];
}

export async function beginSecondFactor(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  password: string,
): Promise<BegunSecondFactor> {
  const provenHash = await requirePassword(tools, visit, user, password);
  await requireSecondFactor(tools, user, false);
  const { api } = tools.authFor(visit);
  const work = { visit, origin: originOf(user, visit), provenHash };
  const made = await runAuthWork(tools.store, work, async (operator) => {
    // Two who begin at once would otherwise leave two of them behind.
    await claimUser(operator, user.id);
    return api.enableTwoFactor({ body: { password, method: "totp" }, headers: headersOf(visit) });
  });
  if (made.method !== "totp") throw new Error("The second factor is not that of an app.");
  const secret = new URL(made.totpURI).searchParams.get("secret") ?? "";
  return { uri: made.totpURI, secret, recoveryCodes: made.backupCodes };
}

/** Returns the cookies of the session that takes the place of this one. Devices are strangers again, but for this one. */
export async function confirmSecondFactor(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  typed: string,
): Promise<readonly string[]> {
  await requireSecondFactor(tools, user, false);
  const window = { account: `codes ${user.sessionId}`, limit: CODE_TRIES, windowMs: HOUR_MS };
  const taken = await takeTry(tools.store, window, visit.now);
  if (taken === undefined) throw await tooManyTries(tools, window, visit);
  const { api } = tools.authFor(visit);
  const body = { code: typed.replaceAll(/\s/g, "") };
  return runAuthWork(tools.store, { visit, origin: originOf(user, visit) }, async (operator, recording) => {
    await claimUser(operator, user.id);
    await markCodeUsed(operator, tools, user.id, body.code, visit.now);
    const { headers } = await api.verifyTOTP({ body, headers: headersOf(visit), returnHeaders: true });
    await giveBackTry(operator, taken);
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.second-factor-enabled" });
    await forgetKnownDevices(operator, user.id, visit.now);
    return [...headers.getSetCookie(), tools.devices.remember(visit, await requireCredential(operator, user.id))];
  }).catch((error: unknown) => {
    if (isAPIError(error)) throw wrongCode();
    return explainUnreadable(error);
  });
}

export async function renewRecoveryCodes(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  password: string,
): Promise<string[]> {
  const provenHash = await requirePassword(tools, visit, user, password);
  await requireSecondFactor(tools, user, true);
  const { api } = tools.authFor(visit);
  const work = { visit, origin: originOf(user, visit), provenHash };
  return runAuthWork(tools.store, work, async (operator, recording) => {
    await claimUser(operator, user.id);
    const { backupCodes } = await api.generateBackupCodes({ body: { password }, headers: headersOf(visit) });
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.recovery-codes-renewed" });
    return backupCodes;
  });
}

/** Returns the cookies of the session that takes the place of this one. */
export async function endSecondFactor(
  tools: IdentityTools,
  visit: Visit,
  user: SignedInUser,
  password: string,
): Promise<readonly string[]> {
  const provenHash = await requirePassword(tools, visit, user, password);
  await requireSecondFactor(tools, user, true);
  const { api } = tools.authFor(visit);
  const work = { visit, origin: originOf(user, visit), provenHash };
  return runAuthWork(tools.store, work, async (operator, recording) => {
    await claimUser(operator, user.id);
    const { headers } = await api.disableTwoFactor({
      body: { password },
      headers: headersOf(visit),
      returnHeaders: true,
    });
    await forgetTrustedDevices(operator, user.id);
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.second-factor-disabled" });
    return headers.getSetCookie();
  });
}

async function requireSecondFactor({ store }: IdentityTools, user: SignedInUser, isOn: boolean): Promise<void> {
  const { two_factor_enabled: enabled } = await requireUserRow(store.operator, user.id);
  if ((enabled === 1) === isOn) return;
  throw new ActionError(
    "CONFLICT",
    isOn
      ? "There is no second factor. Set one up first."
      : "There is a second factor already. Give it up first to set up another.",
  );
}
