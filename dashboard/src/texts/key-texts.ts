/** What Compliance › API Keys says. */
import type { KeyState, OVERLAPS, USAGE_SPANS } from "@lineup/api/dashboard/keys";

export const KEY_STATE_TEXTS: Readonly<Record<KeyState, { readonly word: string; readonly advice: string }>> = {
  active: { word: "Active", advice: "In use and within its limits. There is nothing to do." },
  "never used": {
    word: "Never used",
    advice: "No request has come with this key yet. Put it into your tool, or revoke it if nobody needs it.",
  },
  "expires soon": {
    word: "Expires soon",
    advice: "It ends within 14 days. Rotate it now, so that nothing stops when it ends.",
  },
  "rate limited": {
    word: "Rate limited",
    advice:
      "One of its windows is full and requests are refused. Have the tool ask less often, or ask your operator for a larger tier.",
  },
  rotating: {
    word: "Rotating",
    advice: "A successor has taken its place. Put the new key into your tool before the old one stops working.",
  },
  expired: {
    word: "Expired",
    advice: "It has ended and its requests are refused. Create a new key if something still needs one.",
  },
  revoked: {
    word: "Revoked",
    advice: "It was revoked for good and its requests are refused. Create a new key if something still needs one.",
  },
};

export const PRESET_TEXTS = {
  analytics: {
    name: "Read-only analytics",
    purpose: "Dashboards, reports and stat pages. Sees players, teams, roster and schedule; changes nothing.",
  },
  "roster-sync": {
    name: "Roster sync",
    purpose: "Keeps another system and your roster in step. Sees teams and roster; creates and updates players.",
  },
  scouting: {
    name: "Scouting",
    purpose: "Scouting tools. Adds and updates prospects; sees the players and teams they are compared with.",
  },
  everything: {
    name: "Everything",
    purpose: "Every permission there is, contracts included. Only for what truly needs all of it.",
  },
} as const;

export const KEYS_TEXTS = {
  title: "API Keys",
  intro: "A key lets a tool of yours call the API. Each has its own permissions and its own share of the limits.",
  create: "Create key",
  search: "Search keys",
  searchHint: "Name, permission, person…",
  stateFilter: "State",
  anyState: "Any state",
  working: "All that work",
  columns: {
    name: "Name",
    permissions: "Permissions",
    state: "State",
    recent: "Last 36 hours",
    lastUsed: "Last used",
    expires: "Expires",
    createdBy: "Created by",
  },
  caption: "API keys of this organization",
  never: "Never",
  notYet: "Not yet",
  revoked: "Revoked",
  everything: "Everything",
  readOnly: (count: number) => `Read only (${count})`,
  some: (count: number, all: number) => `${count} of ${all}`,
  endingTitle: (count: number) => (count === 1 ? "One key ends within 14 days" : `${count} keys end within 14 days`),
  endingBody: "Rotate before the end: the old key works on while you put the new one into your tool.",
  ends: "ends",
  emptyTitle: "No keys yet",
  emptyBody: "Create the first one, and your tools can read and change this organization’s data.",
  emptyBodyReadOnly: "Nobody has created a key for this organization yet.",
  nothingTitle: "No key matches",
  nothingBody: "Change the search or the state, or clear both.",
  clear: "Clear filters",
  count: (shown: number, all: number) =>
    shown === all ? `${all} ${all === 1 ? "key" : "keys"}` : `${shown} of ${all} keys`,
  recentNone: (hours: number) => `No requests in the last ${hours} hours`,
  recentSome: (total: string, most: string, now: string, hours: number) =>
    `Requests in the last ${hours} hours: ${total}; at most ${most} in one hour; ${now} in this one`,
} as const;

export const REVEAL_TEXTS = {
  createdTitle: "Your new key",
  rotatedTitle: "The new key",
  once: "This is the only time the key is shown",
  onceBody:
    "Copy it now to where your tool keeps its secrets. Only server-side code may hold it: never a page, an app or a repository.",
  key: "Key",
  env: ".env line",
  copyKey: "Copy key",
  copyEnv: "Copy .env line",
  copyCurl: "Copy curl",
  oldWorksUntil: "The old key works until",
  oldEnded: "The old key is refused from now on.",
  stored: "I have stored it",
  storedHint: "Until you say so, this page asks before it is left.",
  goOn: "Go to the key",
  waitingTitle: "Waiting for the first request…",
  waitingBody: "Call the API with the key, for example with the curl above. It appears here by itself.",
  arrivedTitle: "The first request has come",
  arrived: (method: string, target: string, status: number, code: string | null) =>
    `${method} ${target} was answered with ${code === null ? status : `${status} ${code}`}.`,
  arrivedPlain: "The key is in use.",
  openRequest: "Look at it",
  leaveTitle: "Leave without the key?",
  leaveBody: "It is not shown again. If it is lost, revoke it and create another.",
  leave: "Leave",
} as const;

export const OVERLAP_TEXTS: Readonly<
  Record<(typeof OVERLAPS)[number], { readonly word: string; readonly hint: string }>
> = {
  now: { word: "Stop now", hint: "The old key is refused at once. For a key that may have leaked." },
  "1h": { word: "1 hour", hint: "For a tool that you can change right away." },
  "24h": { word: "24 hours", hint: "For most tools." },
  "7d": { word: "7 days", hint: "When somebody else has to make the change." },
  "30d": { word: "30 days", hint: "When it has to wait for a release." },
};

export const USAGE_SPAN_TEXTS: Readonly<Record<(typeof USAGE_SPANS)[number], string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "400d": "400 days",
};

export const USAGE_SPAN_LEADS: Readonly<Record<(typeof USAGE_SPANS)[number], string>> = {
  "24h": "In the last 24 hours",
  "7d": "In the last 7 days",
  "30d": "In the last 30 days",
  "400d": "In the last 400 days",
};

export const KEY_TEXTS = {
  missingTitle: "API key",
  missingLead: "There is no such key",
  faultTitle: "API key",
  edit: "Edit",
  rotate: "Rotate",
  revoke: "Revoke",
  id: "Id",
  prefix: "Begins with",
  created: "Created",
  createdBy: "Created by",
  lastUsed: "Last used",
  expires: "Expires",
  revoked: "Revoked",
  facts: "About this key",
  never: "Never",
  notYet: "Not yet",
  copyId: "Copy id",
  successor: "Its successor is",
  successorUntil: "This key works until",
  predecessor: "It takes the place of",
  endsSoon: "It ends",
  limits: "Limits",
  minute: "Last minute",
  day: "Last 24 hours",
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  frees: (when: string) => `Begins to free up ${when}`,
  inSeconds: (seconds: number) => `in ${seconds} s`,
  free: "Wholly free",
  full: "Full: requests are refused.",
  usage: "Requests over time",
  span: "Span",
  answered: "Answered (2xx, 3xx)",
  refused: "Refused (4xx)",
  failed: "Failed (5xx)",
  time: "From",
  noUsage: "No requests in this span.",
  usageCaption: "Requests of this key by status",
  usageSummary: (total: string, answered: string, refused: string, failed: string) =>
    `${total === "1" ? "1 request" : `${total} requests`}: ${answered} answered, ${refused} refused, ${failed} failed`,
  endpoints: "Top endpoints",
  endpointsCaption: "Endpoints this key called most, in the span chosen above",
  endpoint: "Endpoint",
  requests: "Requests",
  errors: "Errors",
  average: "Average",
  latest: "Latest requests",
  latestCaption: "The latest requests of this key",
  allRequests: "All its requests",
  noRequests: "No requests are kept for this key.",
  noRequestsYet: "No requests yet.",
  permissions: "Permissions",
  unused: "Never used",
  unusedTitle: (count: number) =>
    count === 1 ? "One permission was never used" : `${count} permissions were never used`,
  unusedBody:
    "No request of the last 400 days needed what is marked below. A key that holds less can do less harm: drop what its tool does not need.",
  tooSoon: "What its tool does not need is marked here once the key has been in use for a week.",
  dropUnused: "Drop what is unused",
  editTitle: "Edit key",
  name: "Name",
  saved: "Key changed.",
  keepsWorking: "Changes hold from the next request on. The key itself stays the same.",
  rotateTitle: "Rotate key",
  rotateBody:
    "A new key with the same name and permissions takes its place. The old one works on for the time you choose, so that nothing stops while you change your tool.",
  overlap: "How long should the old key work on?",
  rotateSubmit: "Make the new key",
  revokeTitle: "Revoke key",
  revokeBody: "From the next request on, the key is refused with KEY_REVOKED, for good. Its history stays.",
  revokeUse: "Whatever still uses it will stop working.",
  revokeUnused: "Nothing has ever used it.",
  lastDay: (count: string) => `${count} ${count === "1" ? "request" : "requests"} in the last 24 hours`,
  revokeSubmit: "Revoke for good",
  typedWrong: "This is not the key’s name.",
  revokedDone: "Key revoked.",
} as const;

const FROM_ENVIRONMENT = "The key is read from the environment variable LINEUP_KEY.";

/** "Use it", at the end of a key's page and where it is shown once. */
export const KEY_USE_TEXTS = {
  title: "Use it",
  lead: "Each asks for something that this key may read. Use it on servers only.",
  choose: "Language",
  readOn: "More in the guide",
  /** `keyless`: what to know where the key itself is not in the text. */
  uses: {
    curl: { name: "curl", lead: "", keyless: FROM_ENVIRONMENT, guide: "first-call" },
    typescript: { name: "TypeScript", lead: "", keyless: FROM_ENVIRONMENT, guide: "first-call" },
    python: { name: "Python", lead: "", keyless: FROM_ENVIRONMENT, guide: "first-call" },
    assistant: {
      name: "Assistant",
      lead: "Paste it into the MCP settings of your assistant.",
      keyless: "Where it does not read the environment, write the key in place of the variable.",
      guide: "ask-an-assistant",
    },
  },
} as const;
