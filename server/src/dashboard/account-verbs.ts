/** Getting in, and what a person does with their own account. What each means stands in identity/, a file for each. */

import { removeSetUpFile } from "../identity/first-owner.ts";
import type { OwnVisit } from "../identity/identity-tools.ts";
import * as linkUse from "../identity/link-use.ts";
import * as ownAccount from "../identity/own-account.ts";
import * as resetLinks from "../identity/reset-links.ts";
import * as secondFactor from "../identity/second-factor.ts";
import * as sessions from "../identity/sessions.ts";
import * as signingIn from "../identity/sign-in.ts";
import type { ActionContext, ActionVerbs, SignedInContext } from "./context.ts";

export const ACCOUNT_VERBS = {
  getSession: ({ tools, visit, user }) => tools.identity.describeSession(user, visit.now),

  signIn: (context, { body }) =>
    withCookies(context, signingIn.signIn(context.tools.identity.tools, context.visit, body)),

  verifySecondFactor: (context, { body }) =>
    withCookies(context, signingIn.verifySecondFactor(context.tools.identity.tools, context.visit, body)),

  signOut: async ({ tools, visit, user, setCookies }) =>
    setCookies(await sessions.signOut(tools.identity.tools, visit, user)),

  describeLink: ({ tools, visit }, { body }) => linkUse.describeLink(tools.identity.tools, body.token, visit.now),

  signInByLink: (context, { body }) =>
    withCookies(context, linkUse.signInByLink(context.tools.identity.tools, context.visit, body.token)),

  acceptInvitation: (context, { body }) => {
    const { tools, visit, user } = context;
    return withCookies(context, linkUse.acceptInvitation(tools.identity.tools, visit, user, body));
  },

  resetPassword: async ({ tools, visit, setCookies }, { body }) =>
    setCookies(await linkUse.resetPassword(tools.identity.tools, visit, body)),

  requestPasswordReset: ({ tools, visit }, { body }) =>
    resetLinks.requestPasswordReset(tools.identity.tools, visit, body.email),

  setUp: async (context, { body }) => {
    const { identity } = context.tools;
    const entered = await withCookies(context, linkUse.setUp(identity.tools, context.visit, body));
    removeSetUpFile(identity.dataDir);
    return entered;
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

/** The cookies go into the head of the answer, and the rest into its body. */
async function withCookies<T extends { readonly cookies: readonly string[] }>(
  { setCookies }: ActionContext,
  entering: Promise<T>,
): Promise<Omit<T, "cookies">> {
  const { cookies, ...entered } = await entering;
  setCookies(cookies);
  return entered;
}
