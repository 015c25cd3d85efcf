/** Getting in: sign-in, set-up, links, a forgotten password. */
import type { PASSWORD_MAX, PASSWORD_MIN } from "@lineup/api/dashboard/account";

/** The type refuses any other figure than the server's. */
export const PASSWORD_LENGTH: { readonly min: typeof PASSWORD_MIN; readonly max: typeof PASSWORD_MAX } = {
  min: 12,
  max: 200,
};

export const FIELD_TEXTS = {
  email: "Email address",
  password: "Password",
  newPassword: "New password",
  newPasswordHint: `At least ${PASSWORD_LENGTH.min} characters. A few words in a row are easy to keep and hard to guess.`,
  currentPassword: "Current password",
  showPassword: "Show password",
  hidePassword: "Hide password",
  name: "Your name",
  nameHint: "As others in your organization see it.",
  missing: "Must be given.",
  notEmail: "Must be an email address, such as kim@example.org.",
  tooShort: `Must have at least ${PASSWORD_LENGTH.min} characters.`,
} as const;

export const SIGN_IN_TEXTS = {
  title: "Sign in",
  lead: "To your organization’s dashboard.",
  ended: "Your session has ended. Sign in again, and you are back on the page where you were.",
  submit: "Sign in",
  forgot: "Forgot your password?",
  secondTitle: "One more step",
  secondLead: "Enter the six digits that your authenticator app shows for Lineup.",
  recoveryLead: "Enter one of the recovery codes you kept. Each works once.",
  appCode: "Code from the app",
  recoveryCode: "Recovery code",
  useRecovery: "Use a recovery code instead",
  useApp: "Use the app instead",
  trust: "Trust this device for 30 days",
  trustHint: "Only on a device that is yours: it will not be asked for a code.",
  verify: "Continue",
  startOver: "Start over",
} as const;

export const SETUP_TEXTS = {
  title: "Set up Lineup",
  lead: "Nobody has an account yet. Make the first owner.",
  whereTitle: "Where the set-up token is",
  whereLog: "It is the last line that the server wrote to its log when it started.",
  whereFile: "It is also kept in a file of the server’s data folder, named",
  whereNote: "The token shows that you run this server. It works once.",
  token: "Set-up token",
  organization: "Organization’s name",
  organizationHint: "You can rename it later.",
  submit: "Make the first owner",
  doneTitle: "Lineup is set up already",
  doneLead: "The first owner has been made. Sign in, or ask an owner for an invitation.",
  toSignIn: "Go to sign-in",
} as const;

export const LINK_TEXTS = {
  loading: "Looking at the link",
  emptyTitle: "Open the link once more",
  emptyLead:
    "The part of the address that makes the link work is missing: it is taken out once it has been read, or was lost when the link was copied. Open the link again from where you got it, whole. If that does not help, ask the person who sent it for a new one.",
  badTitle: "This link does not work",
  damagedLead: "It is not whole, or not a link of this server. Ask the person who sent it for a new one.",
  signInTitle: "Sign in by link",
  signInLead: (email: string) => `This link signs you in as ${email}. It works once.`,
  signInAnyone: "This link signs you in. It works once.",
  signIn: "Sign in",
  organization: "Organization",
  invitationTitle: (organization: string) => `Join ${organization}`,
  invitationLead: (inviter: string, role: string) => `${inviter} invites you to join as ${role}.`,
  invitationPlain: (role: string) => `You are invited to join as ${role}.`,
  invitationFor: "The invitation is for",
  accept: "Accept and join",
  acceptNew: "Make my account and join",
  haveAccount: "There is an account with this email address. Sign in to it, and then accept.",
  otherAccount: (email: string) => `You are signed in as ${email}. Sign out, and then open the invitation’s account.`,
  signOut: "Sign out",
  resetTitle: "Choose a new password",
  resetLead: (email: string) => `For ${email}. All devices that are signed in to this account will be signed out.`,
  resetPlain: "All devices that are signed in to this account will be signed out.",
  reset: "Set the password",
  resetDone: "Password changed. Sign in with it.",
  expires: "Works until",
  toSignIn: "Go to sign-in",
} as const;

export const FORGOT_TEXTS = {
  title: "Forgot your password?",
  mailLead: "We send you a link with which you choose a new one.",
  send: "Send me a link",
  sentTitle: "Look into your mail",
  sentLead: (email: string) =>
    `If there is an account for ${email}, a link is on its way. It works once. Nothing came? Look into the spam folder, or ask an owner of your organization for a link.`,
  noMailLead: "This server sends no mail, so a person has to help you:",
  owner: "An owner of your organization makes a link for you under Settings › Members.",
  operator: "Or the operator of the server makes one with the command",
  command: "npx lineup user reset you@example.org",
  back: "Back to sign-in",
} as const;
