/** Getting in, and what a person does with their own account. */
import * as z from "zod";
import { TIER_NAMES } from "../tiers.ts";
import { defineAction, done, moment, roleSchema } from "./action.ts";

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;

export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(200, { error: "must have at most 200 characters" })
  .pipe(z.email({ error: "must be an email address" }));

/** At its making. What is typed to sign in is only compared. */
export const newPassword = z
  .string()
  .min(PASSWORD_MIN, { error: `must have at least ${PASSWORD_MIN} characters` })
  .max(PASSWORD_MAX, { error: `must have at most ${PASSWORD_MAX} characters` });

const typedPassword = z.string().min(1, { error: "must be given" }).max(PASSWORD_MAX);

export const personName = z
  .string()
  .trim()
  .min(1, { error: "must be given" })
  .max(200, { error: "must have at most 200 characters" });

const token = z.string().min(20).max(200);
const code = z.string().trim().min(6).max(40);

export const sessionSchema = z.strictObject({
  /** Null for a visitor who is not signed in. */
  user: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      email: z.string(),
      isOperator: z.boolean(),
      hasPassword: z.boolean(),
      hasSecondFactor: z.boolean(),
    })
    .nullable(),
  organizations: z.array(
    z.strictObject({ id: z.string(), name: z.string(), tier: z.enum(TIER_NAMES), role: roleSchema }),
  ),
  /** Whether nobody has an account yet, so that the first owner is still to be made. */
  needsSetup: z.boolean(),
  /** Whether the server can send mail. */
  sendsMail: z.boolean(),
  /** The server's clock. */
  now: moment,
});
export type SessionView = z.output<typeof sessionSchema>;

const signInOutcome = z.strictObject({ outcome: z.enum(["signed-in", "second-factor"]) });

export const linkSchema = z.strictObject({
  kind: z.enum(["setup", "sign-in", "invitation", "password-reset"]),
  email: z.string().nullable(),
  organization: z.string().nullable(),
  role: roleSchema.nullable(),
  invitedBy: z.string().nullable(),
  /** For an invitation: whether somebody with this email address has an account already. */
  hasAccount: z.boolean(),
  expiresAt: moment,
});

export const ACCOUNT_ACTIONS = [
  defineAction({
    name: "getSession",
    method: "GET",
    path: "/session",
    access: "anyone",
    summary: "Who is signed in, and where they belong",
    result: sessionSchema,
  }),
  defineAction({
    name: "signIn",
    method: "POST",
    path: "/session",
    access: "anyone",
    summary: "Sign in with email address and password",
    body: z.strictObject({ email, password: typedPassword }),
    result: signInOutcome,
  }),
  defineAction({
    name: "verifySecondFactor",
    method: "POST",
    path: "/session/second-factor",
    access: "anyone",
    summary: "The second step of signing in: a code of the app, or a recovery code",
    body: z.strictObject({ code, kind: z.enum(["app", "recovery"]), trustDevice: z.boolean().default(false) }),
    result: signInOutcome,
  }),
  defineAction({
    name: "signOut",
    method: "DELETE",
    path: "/session",
    access: "anyone",
    summary: "Sign out here",
    result: done,
  }),
  defineAction({
    name: "describeLink",
    method: "POST",
    path: "/links/describe",
    access: "anyone",
    summary: "What a link that works once is for",
    body: z.strictObject({ token }),
    result: linkSchema,
  }),
  defineAction({
    name: "signInByLink",
    method: "POST",
    path: "/links/sign-in",
    access: "anyone",
    summary: "Sign in with a link that works once",
    body: z.strictObject({ token }),
    result: z.strictObject({ organizationId: z.string().nullable() }),
  }),
  defineAction({
    name: "acceptInvitation",
    method: "POST",
    path: "/links/accept",
    access: "anyone",
    summary: "Join an organization: with a new account, or, signed in, with the one the invitation names",
    body: z.strictObject({ token, name: personName.optional(), password: newPassword.optional() }),
    result: z.strictObject({ organizationId: z.string() }),
  }),
  defineAction({
    name: "resetPassword",
    method: "POST",
    path: "/links/reset",
    access: "anyone",
    summary: "Choose a new password with a link that works once; every session of the account ends",
    body: z.strictObject({ token, password: newPassword }),
    result: done,
  }),
  defineAction({
    name: "requestPasswordReset",
    method: "POST",
    path: "/password-resets",
    access: "anyone",
    summary: "Have a link to choose a new password sent by mail; says the same whether or not there is such an account",
    body: z.strictObject({ email }),
    result: done,
  }),
  defineAction({
    name: "setUp",
    method: "POST",
    path: "/setup",
    access: "anyone",
    summary: "Make the first owner, with the token from the log",
    body: z.strictObject({
      token: z.string().trim().min(1).max(200),
      name: personName,
      email,
      password: newPassword,
      organizationName: personName.optional(),
    }),
    result: z.strictObject({ organizationId: z.string() }),
  }),
  defineAction({
    name: "updateProfile",
    method: "PATCH",
    path: "/account",
    access: "signed-in",
    summary: "Change one's own name or email address; for the latter, and where there is one, with the password",
    body: z.strictObject({ name: personName.optional(), email: email.optional(), password: typedPassword.optional() }),
    result: done,
  }),
  defineAction({
    name: "changePassword",
    method: "POST",
    path: "/account/password",
    access: "signed-in",
    summary: "Change one's own password; all other sessions end",
    body: z.strictObject({ current: typedPassword.optional(), password: newPassword }),
    result: done,
  }),
  defineAction({
    name: "listSessions",
    method: "GET",
    path: "/account/sessions",
    access: "signed-in",
    summary: "Where one is signed in",
    result: z.strictObject({
      sessions: z.array(
        z.strictObject({
          id: z.string(),
          isThisOne: z.boolean(),
          address: z.string().nullable(),
          userAgent: z.string().nullable(),
          createdAt: moment,
          lastSeenAt: moment,
          expiresAt: moment,
        }),
      ),
    }),
  }),
  defineAction({
    name: "endSession",
    method: "DELETE",
    path: "/account/sessions/{sessionId}",
    access: "signed-in",
    summary: "Sign out one of one's own sessions",
    result: done,
  }),
  defineAction({
    name: "endAllSessions",
    method: "DELETE",
    path: "/account/sessions",
    access: "signed-in",
    summary: "Sign out everywhere, here too",
    result: done,
  }),
  defineAction({
    name: "beginSecondFactor",
    method: "POST",
    path: "/account/second-factor",
    access: "signed-in",
    summary: "Begin to set up the second factor; it is asked for once its first code has been confirmed",
    body: z.strictObject({ password: typedPassword }),
    result: z.strictObject({ uri: z.string(), secret: z.string(), recoveryCodes: z.array(z.string()) }),
  }),
  defineAction({
    name: "confirmSecondFactor",
    method: "POST",
    path: "/account/second-factor/confirm",
    access: "signed-in",
    summary: "Confirm the first code of the app: from now on it is asked for",
    body: z.strictObject({ code }),
    result: done,
  }),
  defineAction({
    name: "renewRecoveryCodes",
    method: "POST",
    path: "/account/second-factor/recovery-codes",
    access: "signed-in",
    summary: "Make new recovery codes; the old ones stop working",
    body: z.strictObject({ password: typedPassword }),
    result: z.strictObject({ recoveryCodes: z.array(z.string()) }),
  }),
  defineAction({
    name: "endSecondFactor",
    method: "POST",
    path: "/account/second-factor/end",
    access: "signed-in",
    summary: "Give up the second factor",
    body: z.strictObject({ password: typedPassword }),
    result: done,
  }),
] as const;
