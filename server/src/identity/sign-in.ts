/**
 * Signing in with email address and password, then, where it is on, with the second factor.
 *
 * What always holds: at most STRANGER_TRIES + KNOWN_TRIES = 100 wrong passwords an hour for one account, wherever they come from, counted
 * before the password is looked at; those who try learn neither from the answer nor from its time whether there is such an account. All
 * devices that are known to the account share a window, which nobody else can use up, and neither the strangers' window nor that of
 * their address keeps them out.
 */

import { createHmac, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { ActionError, TooManyTries } from "@lineup/api/dashboard/action";
import type { ParsedBody } from "@lineup/api/dashboard/actions";
import { HOUR_MS } from "@lineup/api/tiers";
import { isAPIError } from "better-auth/api";
import { SERVER_ORIGIN } from "../store/audit-entry.ts";
import type { Operator } from "../store/store.ts";
import { headersOf, readRecoveryCode } from "./auth.ts";
import { hashToken } from "./auth-adapter.ts";
import { runAuthWork } from "./auth-work.ts";
import type { IdentityTools } from "./identity-tools.ts";
import { findNextTryAt, giveBackTry, type TakenTry, type TryWindow, takeTry, takeTryWithin } from "./try-windows.ts";
import {
  type Credential,
  claimUser,
  findCredential,
  originOf,
  recordOfUser,
  requireCredential,
  type UserRow,
} from "./users.ts";
import { cookieName, findCookie, type Visit, withoutCookie } from "./visit.ts";

export const STRANGER_TRIES = 80;
export const KNOWN_TRIES = 20;
/** Of strangers, and as many of all known devices together. */
export const CODE_TRIES = 10;
/** A code of the app is right for half a minute, and for the one before and after. */
const CODE_LIFE_MS = 120_000;
const NOTED_AFTER_MS = 300;
const FROM_KNOWN = "from a device on which you have signed in before";

export interface SignInResult {
  readonly outcome: "signed-in" | "second-factor";
  readonly cookies: readonly string[];
}

export async function signIn(tools: IdentityTools, visit: Visit, typed: ParsedBody<"signIn">): Promise<SignInResult> {
  const credential = await findCredential(tools.store.operator, { email: typed.email });
  const isKnown = credential !== undefined && tools.devices.isKnown(visit, credential);
  if (!isKnown) await requireAddressTry(tools, visit);
  const window = isKnown ? knownWindow(credential.user.id) : strangerWindow(tools, typed.email);
  const taken = await takeTry(tools.store, window, visit.now);
  if (taken === undefined) {
    if (credential !== undefined && !isKnown) noteRefusal(tools, visit, credential.user);
    throw await tooManyTries(tools, window, visit);
  }
  const isRight = await tools.passwords
    .verify(credential?.hash, typed.password, isKnown)
    .catch(async (error: unknown) => {
      // The password was not even looked at.
      await tools.store.writePeople(SERVER_ORIGIN, (operator) => giveBackTry(operator, taken));
      throw error;
    });
  if (!isRight || credential === undefined) throw wrongPassword();
  // On a known device right ones count too: nobody keeps the server busy with them.
  return admit(tools, visit, typed, credential, isKnown ? undefined : taken);
}

async function admit(
  tools: IdentityTools,
  visit: Visit,
  typed: ParsedBody<"signIn">,
  { user, hash }: Credential,
  taken: TakenTry | undefined,
): Promise<SignInResult> {
  const origin = originOf(user, visit);
  return runAuthWork(tools.store, { visit, origin, provenHash: hash }, async (operator, recording) => {
    // It may have been changed while it was looked at.
    await claimUser(operator, user.id);
    const now = await findCredential(operator, { email: typed.email });
    if (now?.user.id !== user.id || now.hash !== hash) throw wrongPassword();
    if (taken !== undefined) await giveBackTry(operator, taken);
    await endSessionOf(operator, visit);
    const { headers, response } = await tools
      .authFor(visit)
      .api.signInEmail({ body: typed, headers: headersOf(visit), returnHeaders: true });
    const cookies = headers.getSetCookie();
    if ("twoFactorRedirect" in response) return { outcome: "second-factor", cookies };
    await recordOfUser(operator, recording, user, { at: visit.now, action: "user.signed-in" });
    return { outcome: "signed-in", cookies: [...cookies, tools.devices.remember(visit, now)] };
  });
}

export async function verifySecondFactor(
  tools: IdentityTools,
  visit: Visit,
  typed: ParsedBody<"verifySecondFactor">,
): Promise<SignInResult> {
  const { api } = tools.authFor(visit);
  // Anyone who is signed in here already is not asked about.
  const headers = headersOf(visit, withoutCookie(visit.cookie, cookieName("session_token", visit.isSecure)));
  const challenge = await api.findChallenge({ headers });
  if (challenge === null) {
    throw new ActionError("WRONG_CREDENTIALS", "This took too long, or too many codes were wrong. Sign in again.");
  }
  const credential = await requireCredential(tools.store.operator, challenge.userId);
  const { user } = credential;
  const isKnown = tools.devices.isKnown(visit, credential);
  if (!isKnown) await requireAddressTry(tools, visit);
  const account = `${isKnown ? "known codes" : "codes"} ${user.id}`;
  const window = { account, limit: CODE_TRIES, windowMs: HOUR_MS, isOfKnown: isKnown };
  const taken = await requireTry(tools, window, visit);
  const code = typed.kind === "app" ? typed.code.replaceAll(/\s/g, "") : readRecoveryCode(typed.code);
  const body = { code, trustDevice: typed.trustDevice };
  const result = await runAuthWork(
    tools.store,
    { visit, origin: originOf(user, visit) },
    async (operator, recording) => {
      await claimUser(operator, user.id);
      const used = typed.kind === "app" ? await markCodeUsed(operator, tools, user.id, code, visit.now) : undefined;
      const verify = typed.kind === "app" ? api.verifyTOTP : api.verifyBackupCode;
      const answered = await verify({ body, headers, returnHeaders: true }).catch((error: unknown) => {
        // That a code was wrong is to be remembered; so the transaction goes on.
        if (isAPIError(error)) return undefined;
        throw error;
      });
      if (answered === undefined) {
        if (used !== undefined) await giveBackTry(operator, used);
        return undefined;
      }
      await giveBackTry(operator, taken);
      const note = typed.kind === "recovery" ? { note: "with a recovery code" } : {};
      await recordOfUser(operator, recording, user, { at: visit.now, action: "user.signed-in", ...note });
      const device = tools.devices.remember(visit, await requireCredential(operator, user.id));
      return [...answered.headers.getSetCookie(), device];
    },
  ).catch(explainUnreadable);
  if (result === undefined) throw wrongCode();
  return { outcome: "signed-in", cookies: result };
}

/** Nobody who looks over a shoulder, or listens in, may use the same code once more. */
export async function markCodeUsed(
  operator: Operator,
  tools: IdentityTools,
  userId: string,
  code: string,
  now: number,
): Promise<TakenTry> {
  const window = { account: `code ${hide(tools, `${userId} ${code}`)}`, limit: 1, windowMs: CODE_LIFE_MS };
  const marked = await takeTryWithin(operator, window, now);
  if (marked === undefined) throw wrongCode();
  return marked;
}

/** Ends the session that the browser holds, which the new one takes the place of. */
export async function endSessionOf(operator: Operator, visit: Visit): Promise<void> {
  const cookie = findCookie(visit.cookie, cookieName("session_token", visit.isSecure));
  const token = cookie?.split(/\.|%2E/i, 1)[0];
  if (token === undefined || token === "") return;
  await operator.deleteFrom("sessions").where("token", "=", hashToken(token)).execute();
}

export async function requireAddressTry(tools: IdentityTools, visit: Visit): Promise<void> {
  const waitMs = await tools.takeAddress(visit.address);
  if (waitMs > 0) throw new TooManyTries("Too many tries from this address. Wait a minute, then try again.", waitMs);
}

/** Throws, with what to do, where the window is full. */
export async function requireTry(tools: IdentityTools, window: TryWindow, visit: Visit): Promise<TakenTry> {
  const taken = await takeTry(tools.store, window, visit.now);
  if (taken === undefined) throw await tooManyTries(tools, window, visit);
  return taken;
}

async function tooManyTries(tools: IdentityTools, window: TryWindow, { now }: Visit): Promise<ActionError> {
  const waitMs = (await findNextTryAt(tools.store, window, now)) - now;
  const minutes = Math.max(1, Math.ceil(waitMs / 60_000));
  const wait = minutes === 1 ? "a minute" : `${minutes} minutes`;
  const otherWay = window.isOfKnown === true ? "ask for a link to choose a new password" : FROM_KNOWN;
  return new TooManyTries(`Too many tries in the last hour. Try again in ${wait}, or ${otherWay}.`, waitMs);
}

/** Once an hour, and well after the answer, which must not take longer where there is an account. */
function noteRefusal(tools: IdentityTools, visit: Visit, user: UserRow): void {
  if (tools.refusalsToNote.has(user.id)) return;
  tools.refusalsToNote.add(user.id);
  const origin = { ...SERVER_ORIGIN, address: visit.address, requestId: visit.requestId };
  tools.inBackground(async () => {
    await setTimeout(NOTED_AFTER_MS + randomInt(NOTED_AFTER_MS));
    tools.refusalsToNote.delete(user.id);
    await tools.store.writePeople(origin, async (operator, recording) => {
      const window = { account: `refusal ${user.id}`, limit: 1, windowMs: HOUR_MS };
      if ((await takeTryWithin(operator, window, visit.now)) === undefined) return;
      const note = `after ${STRANGER_TRIES} wrong passwords within an hour`;
      await recordOfUser(operator, recording, user, { at: visit.now, action: "user.sign-in-refused", note });
    });
  });
}

export function strangerWindow(tools: IdentityTools, email: string): TryWindow {
  return { account: `account ${hide(tools, email)}`, limit: STRANGER_TRIES, windowMs: HOUR_MS };
}

/** People type passwords into the wrong field: what was typed is not kept. */
export function hide({ tryKey }: IdentityTools, typed: string): string {
  return createHmac("sha256", tryKey).update(typed).digest("base64url");
}

export function knownWindow(userId: string): TryWindow {
  return { account: `known ${userId}`, limit: KNOWN_TRIES, windowMs: HOUR_MS, isOfKnown: true };
}

function wrongPassword(): ActionError {
  return new ActionError(
    "WRONG_CREDENTIALS",
    "The email address or the password is not right. Check both, or ask for a new password.",
  );
}

export function wrongCode(): ActionError {
  return new ActionError(
    "WRONG_CREDENTIALS",
    "That code is not right, or was used already. Wait for the app's next one, or use a recovery code.",
  );
}

/** A second factor that another secret has sealed cannot be checked by anybody. */
export function explainUnreadable(error: unknown): never {
  const message = error instanceof Error ? error.message : "";
  if (!/^Secret version|invalid tag|decrypt/i.test(message)) throw error;
  throw new ActionError(
    "CONFLICT",
    "The server's secret has changed, so that second factors from before cannot be checked. " +
      "Ask the operator for a new start: npx lineup user reset EMAIL --second-factor",
  );
}
