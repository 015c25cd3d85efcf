/** Getting in, and what a person does with their own account. What each means stands in identity/, a file for each. */

import { removeSetUpFile } from "../identity/first-owner.ts";
import type { OwnVisit } from "../identity/identity-tools.ts";
import * as linkUse from "../identity/link-use.ts";
import * as ownAccount from "../identity/own-account.ts";
import * as resetLinks from "../identity/reset-links.ts";
import * as secondFactor from "../identity/second-factor.ts";
import * as sessions from "../identity/sessions.ts";
import * as signingIn from "../identity/sign-in.ts";
import type { ActionVerbs, SignedInContext } from "./context.ts";

export const ACCOUNT_VERBS = {
  getSession: ({ tools, visit, user }) => tools.identity.describeSession(user, visit.now),

  signIn: async ({ tools, visit, setCookies }, { body }) => {
    const { outcome, cookies } = await signingIn.signIn(tools.identity.tools, visit, body);
    setCookies(cookies);
    return { outcome };
  },

  verifySecondFactor: async ({ tools, visit, setCookies }, { body }) => {
    const { outcome, cookies } = await signingIn.verifySecondFactor(tools.identity.tools, visit, body);
    setCookies(cookies);
    return { outcome };
  },

  signOut: async ({ tools, visit, user, setCookies }) =>
    setCookies(await sessions.signOut(tools.identity.tools, visit, user)),

  describeLink: ({ tools, visit }, { body }) => linkUse.describeLink(tools.identity.tools, body.token, visit.now),

  signInByLink: async ({ tools, visit, setCookies }, { body }) => {
    const { organizationId, cookies } = await linkUse.signInByLink(tools.identity.tools, visit, body.token);
    setCookies(cookies);
    return { organizationId };
  },

  acceptInvitation: async ({ tools, visit, user, setCookies }, { body }) => {
    const { organizationId, cookies } = await linkUse.acceptInvitation(tools.identity.tools, visit, user, body);
    setCookies(cookies);
    return { organizationId };
  },

  resetPassword: async ({ tools, visit, setCookies }, { body }) =>
    setCookies(await linkUse.resetPassword(tools.identity.tools, visit, body)),

  requestPasswordReset: ({ tools, visit }, { body }) =>
    resetLinks.requestPasswordReset(tools.identity.tools, visit, body.email),

  setUp: async ({ tools, visit, setCookies }, { body }) => {
    const { organizationId, cookies } = await linkUse.setUp(tools.identity.tools, visit, body);
    removeSetUpFile(tools.identity.dataDir);
    setCookies(cookies);
    return { organizationId };
  },

  updateProfile: (context, { body }) => ownAccount.updateProfile(ownOf(context), body),

  changePassword: async (context, { body }) =>
    context.setCookies(await ownAccount.changePassword(ownOf(context), body)),

  listSessions: async ({ tools, user }) => ({
    sessions: await sessions.listSessions(tools.identity.tools, user),
  }),

  endSession: async (context, { path }) =>
    context.setCookies(await sessions.endSession(ownOf(context), path.sessionId)),

  endAllSessions: async (context) => context.setCookies(await sessions.endAllSessions(ownOf(context))),

  beginSecondFactor: (context, { body }) => secondFactor.beginSecondFactor(ownOf(context), body.password),

  confirmSecondFactor: async (context, { body }) =>
    context.setCookies(await secondFactor.confirmSecondFactor(ownOf(context), body.code)),

  renewRecoveryCodes: async (context, { body }) => ({
    recoveryCodes: await secondFactor.renewRecoveryCodes(ownOf(context), body.password),
  }),

  endSecondFactor: async (context, { body }) =>
    context.setCookies(await secondFactor.endSecondFactor(ownOf(context), body.password)),
} satisfies Partial<ActionVerbs>;

function ownOf({ tools, visit, user }: SignedInContext): OwnVisit {
  return { tools: tools.identity.tools, visit, user };
}
