/** What Compliance › Webhooks says. */
import type { DeliveryState, PING_TYPE, WebhookState } from "@lineup/api/dashboard/webhooks";

/** Written once more, for the record brings every schema along; another text does not compile. */
export const PING: typeof PING_TYPE = "webhook.ping";

export const WEBHOOK_STATE_TEXTS: Readonly<Record<WebhookState, { readonly word: string; readonly advice: string }>> = {
  active: { word: "Healthy", advice: "Its endpoint takes what is sent. There is nothing to do." },
  new: {
    word: "New",
    advice: "Its first message is a ping. Changes follow once the endpoint was tried.",
  },
  rotating: {
    word: "Rotating",
    advice:
      "Messages are signed with the old and the new secret. Put the new one into your endpoint before the old one ends.",
  },
  failing: {
    word: "Failing",
    advice: "Mend the endpoint: what waits is sent again by itself. A test shows at once whether it works.",
  },
  disabled: {
    word: "Disabled",
    advice: "Nothing is sent to it. Enable it, and what came meanwhile is sent, as far back as 30 days.",
  },
};

export const DELIVERY_STATE_TEXTS: Readonly<Record<DeliveryState, { readonly word: string; readonly advice: string }>> =
  {
    waiting: { word: "Waiting", advice: "It is tried again by itself." },
    delivered: { word: "Delivered", advice: "The endpoint took it." },
    failed: { word: "Given up", advice: "The last attempt failed too. Send it again once the endpoint is mended." },
  };

export const WEBHOOKS_TEXTS = {
  title: "Webhooks",
  intro:
    "A webhook tells another system within a second what was changed here: a signed message to an address of yours.",
  create: "Create webhook",
  full: (max: number) => `There are ${max} webhooks, the most there can be. Delete one to create another.`,
  search: "Search webhooks",
  searchHint: "Address, description, type…",
  stateFilter: "State",
  anyState: "Any state",
  columns: {
    name: "Webhook",
    state: "State",
    types: "Told of",
    recent: "Latest deliveries",
    lastAttempt: "Last attempt",
    createdBy: "Created by",
  },
  caption: "Webhooks of this organization",
  since: "since",
  waiting: (count: number) => (count >= 1000 ? "1,000 or more waiting" : `${count} waiting`),
  allTypes: "All changes",
  someTypes: (count: number) => (count === 1 ? "1 type" : `${count} types`),
  noAttempt: "None yet",
  noAnswer: "No answer",
  recentNone: "Nothing was sent yet",
  recentSome: (total: number, delivered: number, waiting: number, failed: number) =>
    `Of the latest ${total === 1 ? "delivery" : `${total} deliveries`}: ${delivered} delivered, ${waiting} waiting, ${failed} given up`,
  emptyTitle: "No webhooks yet",
  emptyBody: "Create the first one, and another system is told of changes instead of asking for them again and again.",
  emptyBodyReadOnly: "Nobody has created a webhook for this organization yet.",
  nothingTitle: "No webhook matches",
  nothingBody: "Change the search or the state, or clear both.",
  clear: "Clear filters",
  count: (shown: number, all: number) =>
    shown === all ? `${all} ${all === 1 ? "webhook" : "webhooks"}` : `${shown} of ${all} webhooks`,
  troubleTitle: (count: number) => (count === 1 ? "One webhook needs you" : `${count} webhooks need you`),
  troubleBody: "What was not delivered waits, and can be sent again: nothing is lost while you mend the endpoint.",
  failingSince: "has been failing since",
  disablesIn: "and will be disabled",
  wasDisabled: "was disabled",
} as const;

export const WEBHOOK_TEXTS = {
  missingTitle: "Webhook",
  missingLead: "There is no such webhook",
  test: "Send a test",
  edit: "Edit",
  rotate: "Rotate",
  disable: "Disable",
  enable: "Enable",
  delete: "Delete",
  facts: "About this webhook",
  health: "Health",
  url: "Address",
  copyUrl: "Copy address",
  types: "Told of",
  allTypes: "All changes, also of types that later versions add",
  id: "Id",
  copyId: "Copy id",
  created: "Created",
  createdBy: "Created by",
  changed: "Last changed",
  latest: "Latest deliveries",
  lastAttempt: "Last attempt",
  waiting: "Waiting",
  waitingNone: "Nothing waits",
  waitingSome: (count: string) => (count === "1" ? "1 message is tried again" : `${count} messages are tried again`),
  waitingDisabled: (count: string) =>
    count === "1" ? "1 message is sent once it is enabled" : `${count} messages are sent once it is enabled`,
  orMore: (count: string) => `${count} or more`,
  behind: "Not looked at yet",
  behindSome: (count: string) => (count === "1" ? "1 entry of the audit log" : `${count} entries of the audit log`),
  failingSince: "Failing since",
  disablesAt: "Disabled, unless it succeeds before",
  secret: "Secret",
  secretAlone: "One secret signs",
  secretUntil: "Two secrets sign; the old one until",
  failingNotice: "No attempt has succeeded since",
  failingThen: "If none does by",
  failingEnd: ", it is disabled.",
  disabledNotice: "It has been disabled since",
  rotatingNotice: "The old secret signs too until",
  testing: "Waiting for the endpoint, for at most 15 seconds…",
  tested: "The endpoint took the test",
  testFailed: "The endpoint did not take the test",
  deliveries: "Deliveries",
  editTitle: "Edit webhook",
  saved: "Webhook changed.",
  editNote: "Changes hold from the next message on. The secret stays the same.",
  rotateTitle: "Rotate secret",
  rotateBody:
    "A new secret is made and shown once. For 24 hours every message is signed with both, so that nothing is refused while you put the new one into your endpoint. After that the old secret signs no more.",
  rotateAgain:
    "The secret before this one is still in its 24 hours. The next rotation has to wait until they are over.",
  rotateSubmit: "Make the new secret",
  disableTitle: "Disable webhook",
  disableBody:
    "Nothing more is sent to it until somebody enables it. What is changed meanwhile is sent then, if it is no older than 30 days.",
  disableSubmit: "Disable",
  disabledDone: "Webhook disabled.",
  enableTitle: "Enable webhook",
  enableBody: "It is sent what came meanwhile, oldest first, and then every new change.",
  enableSubmit: "Enable",
  enabledDone: "Webhook enabled.",
  deleteTitle: "Delete webhook",
  deleteBody:
    "Nothing more is sent to it, and its deliveries go with it, for good. What waits is not sent. To stop it for a while, disable it instead.",
  deleteSubmit: "Delete for good",
  deletedDone: "Webhook deleted.",
} as const;

export const DELIVERY_TEXTS = {
  lead: (days: number) =>
    `Every message and each attempt to send it, kept ${days} days. What was answered is never kept.`,
  leadUnknown: "Every message and each attempt to send it. What was answered is never kept.",
  replayAll: "Send again since…",
  state: "State",
  type: "Type",
  any: "Any",
  ping: "Pings",
  columns: {
    open: "Attempts",
    when: "Made",
    type: "Message",
    state: "State",
    answer: "Last answer",
    next: "Next attempt",
  },
  caption: "Deliveries, newest first",
  attempts: (count: number) => (count === 1 ? "1 attempt" : `${count} attempts`),
  noAttempt: "Not tried yet",
  noAnswer: "No answer",
  now: "Now",
  noNext: "None",
  older: "Load more",
  noOlder: "There are no older ones.",
  paused: "Paused while you look at older ones.",
  resume: "Back to the newest",
  emptyTitle: "Nothing was sent yet",
  emptyBody: "Send a test, or change something that it is told of.",
  emptyBodyReadOnly: "As soon as something changes that it is told of, it is listed here.",
  nothingTitle: "No delivery matches",
  nothingBody: (days: number) => `Change the filters, or clear them. Deliveries are kept ${days} days.`,
  clear: "Clear filters",
  id: "Message id",
  copyId: "Copy message id",
  sequence: "Number of the change",
  attemptsCaption: "Attempts, oldest first",
  attempt: { number: "Attempt", at: "When", status: "Answer", duration: "Duration", fault: "What happened" },
  taken: "Taken",
  replay: "Send it again",
  replayDisabled: "Enable the webhook to send it again.",
  replayHint: "With the same id: an endpoint that has it already can tell.",
  replayed: "It is sent again now.",
} as const;

export const REPLAY_TEXTS = {
  title: "Send changes again",
  body: "Every change since then that it is told of is sent again, oldest first, under the same ids as before. An endpoint that has one already should take it without acting twice.",
  since: "Since when?",
  choices: {
    trouble: "Since it last worked",
    "1h": "The last hour",
    "24h": "The last 24 hours",
    "7d": "The last 7 days",
    moment: "A moment",
  },
  moment: "From",
  momentHint: (days: number) => `In your time, no more than ${days} days ago.`,
  momentMissing: (days: number) => `Choose a moment in the last ${days} days.`,
  submit: "Send again",
  done: (entries: string) =>
    entries === "1"
      ? "1 entry of the audit log is looked at again."
      : `${entries} entries of the audit log are looked at again.`,
  nothing: "Nothing was changed since then. Choose an earlier moment.",
} as const;

/** What to do about an attempt that did not succeed. */
export const ATTEMPT_ADVICE = {
  unreached: "Check the address, and that the endpoint can be reached from the internet over HTTPS.",
  refused: "If it checks signatures, put the secret into it, then send a test.",
  noPath: "Check the path of the address, and that it takes POST.",
  gone: "410 means that it wants nothing more, so the webhook was disabled. Enable it once the endpoint is back.",
  moved: "Put the final address into the webhook.",
  busy: "It is tried again later. If it stays so, have the endpoint answer first and work afterwards.",
  broken: "Look into the endpoint’s own log, by the message id.",
  other: "The endpoint must answer with 200 to 299.",
} as const;
