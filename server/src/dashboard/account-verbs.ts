/** Getting in, and what a person does with their own account. What each means stands in identity/, a file for each. */
import {
  acceptInvitation as acceptIn,
  describeLink as describeIn,
  resetPassword as resetIn,
  signInByLink as signInByLinkIn,
} from "../identity/link-use.ts";
import { changePassword as changePasswordIn, updateProfile as updateProfileIn } from "../identity/own-account.ts";
import { requestPasswordReset as requestResetIn } from "../identity/reset-links.ts";
import {
  beginSecondFactor as beginIn,
  confirmSecondFactor as confirmIn,
  endSecondFactor as endIn,
  renewRecoveryCodes as renewIn,
} from "../identity/second-factor.ts";
import {
  endAllSessions as endAllIn,
  endSession as endSessionIn,
  listSessions as listSessionsIn,
  signOut as signOutIn,
} from "../identity/sessions.ts";
import { setUp as setUpIn } from "../identity/set-up.ts";
import { removeSetUpFile } from "../identity/setup-token.ts";
import { signIn as signInIn, verifySecondFactor as verifyIn } from "../identity/sign-in.ts";
import type { ActionVerb } from "./context.ts";

export const getSession: ActionVerb<"getSession"> = ({ tools, visit, user }) =>
  tools.identity.describeSession(user, visit.now);

export const signIn: ActionVerb<"signIn"> = async ({ tools, visit, setCookies }, { body }) => {
  const { outcome, cookies } = await signInIn(tools.identity.tools, visit, body);
  setCookies(cookies);
  return { outcome };
};

export const verifySecondFactor: ActionVerb<"verifySecondFactor"> = async ({ tools, visit, setCookies }, { body }) => {
  const { outcome, cookies } = await verifyIn(tools.identity.tools, visit, body);
  setCookies(cookies);
  return { outcome };
};

export const signOut: ActionVerb<"signOut"> = async ({ tools, visit, user, setCookies }) => {
  setCookies(await signOutIn(tools.identity.tools, visit, user));
  return {};
};

export const describeLink: ActionVerb<"describeLink"> = ({ tools, visit }, { body }) =>
  describeIn(tools.identity.tools, body.token, visit.now);

export const signInByLink: ActionVerb<"signInByLink"> = async ({ tools, visit, setCookies }, { body }) => {
  const { organizationId, cookies } = await signInByLinkIn(tools.identity.tools, visit, body.token);
  setCookies(cookies);
  return { organizationId };
};

export const acceptInvitation: ActionVerb<"acceptInvitation"> = async (
  { tools, visit, user, setCookies },
  { body },
) => {
  const { organizationId, cookies } = await acceptIn(tools.identity.tools, visit, user, body);
  setCookies(cookies);
  return { organizationId };
};

export const resetPassword: ActionVerb<"resetPassword"> = async ({ tools, visit, setCookies }, { body }) => {
  setCookies(await resetIn(tools.identity.tools, visit, body));
  return {};
};

export const requestPasswordReset: ActionVerb<"requestPasswordReset"> = async ({ tools, visit }, { body }) => {
  await requestResetIn(tools.identity.tools, visit, body.email);
  return {};
};

export const setUp: ActionVerb<"setUp"> = async ({ tools, visit, setCookies }, { body }) => {
  const { organizationId, cookies } = await setUpIn(tools.identity.tools, visit, body);
  removeSetUpFile(tools.identity.dataDir);
  setCookies(cookies);
  return { organizationId };
};

export const updateProfile: ActionVerb<"updateProfile"> = async ({ tools, visit, user }, { body }) => {
  await updateProfileIn(tools.identity.tools, visit, user, body);
  return {};
};

export const changePassword: ActionVerb<"changePassword"> = async ({ tools, visit, user, setCookies }, { body }) => {
  setCookies(await changePasswordIn(tools.identity.tools, visit, user, body));
  return {};
};

export const listSessions: ActionVerb<"listSessions"> = async ({ tools, user }) => ({
  sessions: await listSessionsIn(tools.identity.tools, user),
});

export const endSession: ActionVerb<"endSession"> = async ({ tools, visit, user, setCookies }, { path }) => {
  setCookies(await endSessionIn(tools.identity.tools, visit, user, path.sessionId));
  return {};
};

export const endAllSessions: ActionVerb<"endAllSessions"> = async ({ tools, visit, user, setCookies }) => {
  setCookies(await endAllIn(tools.identity.tools, visit, user));
  return {};
};

export const beginSecondFactor: ActionVerb<"beginSecondFactor"> = ({ tools, visit, user }, { body }) =>
  beginIn(tools.identity.tools, visit, user, body.password);

export const confirmSecondFactor: ActionVerb<"confirmSecondFactor"> = async (
  { tools, visit, user, setCookies },
  { body },
) => {
  setCookies(await confirmIn(tools.identity.tools, visit, user, body.code));
  return {};
};

export const renewRecoveryCodes: ActionVerb<"renewRecoveryCodes"> = async ({ tools, visit, user }, { body }) => ({
  recoveryCodes: await renewIn(tools.identity.tools, visit, user, body.password),
});

export const endSecondFactor: ActionVerb<"endSecondFactor"> = async ({ tools, visit, user, setCookies }, { body }) => {
  setCookies(await endIn(tools.identity.tools, visit, user, body.password));
  return {};
};
