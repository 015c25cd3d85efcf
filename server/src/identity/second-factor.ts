/** Setting up and giving up the second factor. It is asked for from the moment at which its first code was confirmed. */

import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult } from "@lineup/api/dashboard/actions";
import { HOUR_MS } from "@lineup/api/tiers";
import { isAPIError } from "better-auth/api";
import type { Operator, Recording } from "../store/store.ts";
import { type Auth, headersOf } from "./auth.ts";
import { runAuthWork } from "./auth-work.ts";
import type { IdentityTools, OwnVisit } from "./identity-tools.ts";
import { requirePassword } from "./own-account.ts";
import { CODE_TRIES, explainUnreadable, markCodeUsed, requireTry, wrongCode } from "./sign-in.ts";
import { giveBackTry } from "./try-windows.ts";
import {
  claimUser,
  forgetKnownDevices,
  forgetTrustedDevices,
  originOf,
  recordOfUser,
  requireCredential,
  requireUserRow,
} from "./users.ts";
import type { SignedInUser } from "./visit.ts";

export async function beginSecondFactor(own: OwnVisit, password: string): Promise<ActionResult<"beginSecondFactor">> {
  const asked = { body: { password, method: "totp" as const }, headers: headersOf(own.visit) };
  const made = await withPassword(own, { password, isOn: false }, (api) => api.enableTwoFactor(asked));
  if (made.method !== "totp") throw new Error("The second factor is not that of an app.");
  const secret = new URL(made.totpURI).searchParams.get("secret") ?? "";
  return { uri: made.totpURI, secret, recoveryCodes: made.backupCodes };
}

/** Returns the cookies of the session that takes the place of this one. Devices are strangers again, but for this one. */
export async function confirmSecondFactor({ tools, visit, user }: OwnVisit, typed: string): Promise<readonly string[]> {
  await requireSecondFactor(tools, user, false);
  const window = { account: `codes ${user.sessionId}`, limit: CODE_TRIES, windowMs: HOUR_MS };
  const taken = await requireTry(tools, window, visit);
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

export async function renewRecoveryCodes(own: OwnVisit, password: string): Promise<string[]> {
  const { visit, user } = own;
  return withPassword(own, { password, isOn: true }, async (api, operator, recording) => {
    const { backupCodes } = await api.generateBackupCodes({ body: { password }, headers: headersOf(visit) });
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.recovery-codes-renewed" });
    return backupCodes;
  });
}

/** Returns the cookies of the session that takes the place of this one. */
export async function endSecondFactor(own: OwnVisit, password: string): Promise<readonly string[]> {
  const { visit, user } = own;
  return withPassword(own, { password, isOn: true }, async (api, operator, recording) => {
    const asked = { body: { password }, headers: headersOf(visit), returnHeaders: true } as const;
    const { headers } = await api.disableTwoFactor(asked);
    await forgetTrustedDevices(operator, user.id);
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.second-factor-disabled" });
    return headers.getSetCookie();
  });
}

/** In one transaction, with the password proven and the user claimed: of two who begin at once, one would otherwise leave its own behind. */
async function withPassword<T>(
  own: OwnVisit,
  { password, isOn }: { readonly password: string; readonly isOn: boolean },
  work: (api: Auth["api"], operator: Operator, recording: Recording) => Promise<T>,
): Promise<T> {
  const { tools, visit, user } = own;
  const provenHash = await requirePassword(own, password);
  await requireSecondFactor(tools, user, isOn);
  const { api } = tools.authFor(visit);
  const proven = { visit, origin: originOf(user, visit), provenHash };
  return runAuthWork(tools.store, proven, async (operator, recording) => {
    await claimUser(operator, user.id);
    return work(api, operator, recording);
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
