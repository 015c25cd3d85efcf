/** What Compliance › Webhooks › Create says, and what is said of a secret when it is shown. */
export const CREATE_WEBHOOK_TEXTS = {
  title: "Create webhook",
  intro: "Messages say what changed and never the values: your endpoint asks the API for those, with its own key.",
  url: "Address",
  urlHint: "Where your endpoint takes POST, beginning with https://.",
  urlPlaceholder: "https://hooks.example.com/lineup",
  urlMissing: "Give the address of your endpoint, beginning with https://.",
  urlNotHttps: "Begin the address with https://. Messages are sent encrypted only.",
  urlUnread: "This is no address. Write it as https://hooks.example.com/lineup.",
  description: "Description",
  descriptionHint:
    "What listens there and who keeps it, so that you know it again in a year. It names the webhook in the list.",
  descriptionPlaceholder: "Discord bot, kept by Ada",
  types: "What should it be told of?",
  all: "All changes",
  allHint: "Also types that later versions add.",
  chosen: "Only these types",
  chosenHint: "An endpoint that is told less has less to do.",
  typesMissing: "Choose at least one type, or all changes.",
  every: "All",
  everyOf: (kind: string) => `All of ${kind}`,
  submit: "Create webhook",
  cancel: "Cancel",
} as const;

/** By what a type begins with. */
export const KIND_NAMES: Readonly<Record<string, string>> = {
  player: "Players",
  team: "Teams",
  roster: "Roster",
  schedule: "Schedule",
  prospect: "Prospects",
  contract: "Contracts",
};

/** By what a type ends with. */
export const CHANGE_WORDS: Readonly<Record<string, string>> = {
  created: "Added",
  updated: "Changed",
  deleted: "Deleted or erased",
  expiring: "Ends in 90, 60, 30 or 7 days",
  expired: "Has ended",
};

export const SECRET_TEXTS = {
  createdTitle: "Your new webhook",
  rotatedTitle: "The new secret",
  once: "This is the only time the secret is shown",
  onceBody:
    "Copy it now to where your endpoint keeps its secrets. With it the endpoint checks that a message comes from here; otherwise anybody could send it one.",
  secret: "Secret",
  env: ".env line",
  verify: "Verify in Node.js",
  verifyHint:
    "Messages are signed as Standard Webhooks says (webhook-id, webhook-timestamp, webhook-signature); there are libraries for most languages. Verify before you act, and answer with 200 within 15 seconds.",
  oldUntil: "Every message is signed with the old secret too until",
  stored: "I have stored it",
  storedHint: "Until you say so, this page asks before it is left.",
  goOn: "Go to the webhook",
  leaveTitle: "Leave without the secret?",
  leaveBody: "It is not shown again. If it is lost, rotate it: that makes another.",
  leave: "Leave",
  pingWaitingTitle: "Sending a ping…",
  pingWaitingBody: "What the endpoint answers appears here by itself, within 15 seconds.",
  pingTakenTitle: "The endpoint took the ping",
  pingRefusedTitle: "The endpoint did not take the ping",
  pingAgain: "Send the ping again",
  pingNow: "Send a ping",
  pingNowHint: "Once the new secret is in its place, see whether the endpoint takes it.",
} as const;
