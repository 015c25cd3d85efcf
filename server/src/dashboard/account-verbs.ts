/** Getting in, and what a person does with their own account. What each means stands in identity/, a file for each. */

import { removeSetUpFile } from "../identity/first-owner.ts";
import * as linkUse from "../identity/link-use.ts";
import * as ownAccount from "../identity/own-account.ts";
import * as resetLinks from "../identity/reset-links.ts";
import * as secondFactor from "../identity/second-factor.ts";
import * as sessions from "../identity/sessions.ts";
import * as signingIn from "../identity/sign-in.ts";
import type { ActionVerb } from "./context.ts";

export const getSession: ActionVerb<"getSession"> = ({ tools, visit, user }) =>
  tools.identity.describeSession(user, visit.now);

export const signIn: ActionVerb<"signIn"> = async ({ tools, visit, setCookies }, { body }) => {
  const { outcome, cookies } = await signingIn.signIn(tools.identity.tools, visit, body);
  setCookies(cookies);
  return { outcome };
};

export const verifySecondFactor: ActionVerb<"verifySecondFactor"> = async ({ tools, visit, setCookies }, { body }) => {
  const { outcome, cookies } = await signingIn.verifySecondFactor(tools.identity.tools, visit, body);
  setCookies(cookies);
  return { outcome };
};

export const signOut: ActionVerb<"signOut"> = async ({ tools, visit, user, setCookies }) => {
  setCookies(await sessions.signOut(tools.identity.tools, visit, user));
  return {};
};

export const describeLink: ActionVerb<"describeLink"> = ({ tools, visit }, { body }) =>
  linkUse.describeLink(tools.identity.tools, body.token, visit.now);

export const signInByLink: ActionVerb<"signInByLink"> = async ({ tools, visit, setCookies }, { body }) => {
  const { organizationId, cookies } = await linkUse.signInByLink(tools.identity.tools, visit, body.token);
  setCookies(cookies);
  return { organizationId };
};

export const acceptInvitation: ActionVerb<"acceptInvitation"> = async (
  { tools, visit, user, setCookies },
  { body },
) => {
  const { organizationId, cookies } = await linkUse.acceptInvitation(tools.identity.tools, visit, user, body);
  setCookies(cookies);
  return { organizationId };
};

export const resetPassword: ActionVerb<"resetPassword"> = async ({ tools, visit, setCookies }, { body }) => {
  setCookies(await linkUse.resetPassword(tools.identity.tools, visit, body));
  return {};
};

export const requestPasswordReset: ActionVerb<"requestPasswordReset"> = async ({ tools, visit }, { body }) => {
  await resetLinks.requestPasswordReset(tools.identity.tools, visit, body.email);
  return {};
};

export const setUp: ActionVerb<"setUp"> = async ({ tools, visit, setCookies }, { body }) => {
  const { organizationId, cookies } = await linkUse.setUp(tools.identity.tools, visit, body);
  removeSetUpFile(tools.identity.dataDir);
  setCookies(cookies);
  return { organizationId };
};

export const updateProfile: ActionVerb<"updateProfile"> = async ({ tools, visit, user }, { body }) => {
  await ownAccount.updateProfile(tools.identity.tools, visit, user, body);
  return {};
};

export const changePassword: ActionVerb<"changePassword"> = async ({ tools, visit, user, setCookies }, { body }) => {
  setCookies(await ownAccount.changePassword(tools.identity.tools, visit, user, body));
  return {};
};

export const listSessions: ActionVerb<"listSessions"> = async ({ tools, user }) => ({
  sessions: await sessions.listSessions(tools.identity.tools, user),
});

export const endSession: ActionVerb<"endSession"> = async ({ tools, visit, user, setCookies }, { path }) => {
  setCookies(await sessions.endSession(tools.identity.tools, visit, user, path.sessionId));
  return {};
};

export const endAllSessions: ActionVerb<"endAllSessions"> = async ({ tools, visit, user, setCookies }) => {
  setCookies(await sessions.endAllSessions(tools.identity.tools, visit, user));
  return {};
};

export const beginSecondFactor: ActionVerb<"beginSecondFactor"> = ({ tools, visit, user }, { body }) =>
  secondFactor.beginSecondFactor(tools.identity.tools, visit, user, body.password);

export const confirmSecondFactor: ActionVerb<"confirmSecondFactor"> = async (
  { tools, visit, user, setCookies },
  { body },
) => {
  setCookies(await secondFactor.confirmSecondFactor(tools.identity.tools, visit, user, body.code));
  return {};
};

export const renewRecoveryCodes: ActionVerb<"renewRecoveryCodes"> = async ({ tools, visit, user }, { body }) => ({
  recoveryCodes: await secondFactor.renewRecoveryCodes(tools.identity.tools, visit, user, body.password),
});

export const endSecondFactor: ActionVerb<"endSecondFactor"> = async ({ tools, visit, user, setCookies }, { body }) => {
  setCookies(await secondFactor.endSecondFactor(tools.identity.tools, visit, user, body.password));
  return {};
};
