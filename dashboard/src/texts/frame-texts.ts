/** What the frame says: navigation, faults, and the words that many pages share. */
export const APP_NAME = "Lineup";

export const FAULT_TEXTS = {
  unreachable: "The server did not answer. Check your connection, then try again.",
  notOurAnswer: (status: number) =>
    `Something between here and the server answered with ${status}. Try again in a moment; if it stays so, tell the operator.`,
  requestId: "Request id",
  copyRequestId: "Copy request id",
  tryAgain: "Try again",
  toastTitle: "That did not work",
  notFoundTitle: "There is no such page",
  notFoundBody: "The address may be mistyped, or what it led to is gone.",
  forbiddenTitle: "Your role does not open this page",
  forbiddenBody: (role: string) =>
    `You are ${role} here. An owner of the organization can change your role under Settings › Members.`,
  foreignTitle: "You do not belong to this organization",
  foreignBody: "Ask an owner of the organization for an invitation, or switch to one of yours.",
  brokenTitle: "This page broke",
  brokenBody: "Nothing you saved is lost. Load the page again; if it breaks again, tell the operator what you did.",
  unreachableTitle: "The server cannot be reached",
  reload: "Load again",
  toHome: "Go to Home",
  toSignIn: "Go to sign-in",
} as const;

const WRONG_PASSWORD = "This is not your current password. Type it again, or have a reset link made.";

/** What stands at a field whose secret is not the right one, by the field's name. */
export const WRONG_SECRET_TEXTS: Readonly<Record<string, string>> = {
  current: WRONG_PASSWORD,
  password: WRONG_PASSWORD,
  token:
    "This is not the token. It is the last line of the server’s log, and in the file setup-token of the data folder.",
};

export const NAVIGATION_TEXTS = {
  label: "Main",
  skip: "Skip to the page",
  home: "Home",
  data: "Organization data",
  roster: "Roster",
  players: "Players",
  teams: "Teams",
  schedule: "Schedule",
  prospects: "Prospects",
  contracts: "Contracts",
  importExport: "Import & export",
  compliance: "Compliance",
  keys: "API Keys",
  webhooks: "Webhooks",
  requests: "Requests",
  audit: "Audit",
  settings: "Settings",
  organization: "Organization",
  members: "Members",
  operator: "Operator",
  allOrganizations: "All organizations",
  account: "Account",
  profile: "Profile",
  security: "Security",
  sessions: "Sessions",
  appearance: "Appearance",
  signOut: "Sign out",
  openMenu: "Open navigation",
  closeMenu: "Close navigation",
  switchOrganization: "Switch organization",
  noOrganization: "No organization",
  userMenu: (name: string) => `Account of ${name}`,
  find: "Find a person, a team, an event, a page",
  shortFind: "Find…",
  shortcuts: "Keyboard shortcuts",
  toDark: "Dark colours",
  toLight: "Light colours",
} as const;

export const COMMON_TEXTS = {
  save: "Save",
  edit: "Edit",
  saved: "Saved.",
  cancel: "Cancel",
  close: "Close",
  clear: "Clear",
  copy: "Copy",
  copied: "Copied",
  loading: "Loading",
  never: "Never",
  none: "None",
  showChart: "Chart",
  showTable: "Table",
  view: "View",
  nameTooLong: (most: number, length: number) => `Must have at most ${most} characters; it has ${length}.`,
  typeName: (name: string) => `Type ${name} to confirm`,
  typeNameHint: (button: string) => `“${button}” can be pressed once this is typed exactly.`,
  ago: "ago",
} as const;

export const ROLE_NAMES = {
  owner: "Owner",
  compliance: "Compliance",
  manager: "Manager",
  viewer: "Viewer",
} as const;

export const ROLE_MEANINGS = {
  owner: "Everything, members and the organization included.",
  compliance: "API keys, webhooks, requests and the audit log; sees members.",
  manager: "Players, teams, contracts and the rest of the data.",
  viewer: "Sees Home and data, changes nothing.",
} as const;

export const NO_ORGANIZATION_TEXTS = {
  title: "Welcome",
  emptyTitle: "You do not belong to an organization yet",
  body: "Ask an owner of your organization for an invitation. Open its link while you are signed in, and you are in.",
} as const;
