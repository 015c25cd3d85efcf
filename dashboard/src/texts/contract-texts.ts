/** What Contracts says. */
import type { Contract } from "@lineup/api/contracts";

export const CONTRACT_STATUS_NAMES: Readonly<Record<Contract["status"], string>> = {
  draft: "Draft",
  pending: "Pending",
  active: "Active",
  expired: "Expired",
  terminated: "Terminated",
};

const contracts = (count: number) => (count === 1 ? "1 contract" : `${count} contracts`);

export const CONTRACTS_TEXTS = {
  title: "Contracts",
  intro: "Who is bound until when, and what has to be decided. No salaries.",
  add: "Add contract",
  views: "Show as",
  timeline: "Time line",
  table: "Table",
  search: "Search contracts",
  searchHint: "Player…",
  status: "Status",
  anyStatus: "Any status",
  team: "Team",
  anyTeam: "Any team",
  noTeam: "Without a team",
  kind: "Kind",
  anyKind: "Any kind",
  clear: "Clear filters",
  count: (shown: number, all: number) => (shown === all ? contracts(all) : `${shown} of ${contracts(all)}`),
  alerts: "What needs a look",
  alertNames: {
    decision: "Need a decision",
    "30": "End in 30 days",
    "60": "60 days",
    "90": "90 days",
  },
  emptyTitle: "No contracts yet",
  emptyBody: "Add the first one, import a list, or sign a prospect with one.",
  emptyBodyReadOnly: "Nobody has added a contract yet.",
  nothingTitle: "No contract matches",
  nothingBody: "Change the search or the filters, or clear them.",
  caption: "Contracts",
  columns: {
    player: "Player",
    decision: "Decision",
    team: "Team",
    kind: "Kind",
    status: "Status",
    startDate: "Starts",
    endDate: "Ends",
    daysRemaining: "Days left",
    notice: "Notice by",
    autoRenew: "Renews itself",
    signedAt: "Signed",
  },
  openEnd: "Open-ended",
  yes: "Yes",
  no: "No",
  noNotice: "None",
} as const;

export const TIMELINE_TEXTS = {
  label: "Contracts by player, those that need a decision first",
  span: "Length of the time line",
  spans: { "1": "1 year", "2": "2 years", "5": "5 years" },
  earlier: "Earlier",
  later: "Later",
  today: "Today",
  shown: (from: string, to: string) => `${from} to ${to}`,
  legend: "What the bars mean",
  notice: "Too late for notice",
  noTeam: "No team",
  until: (day: string) => `until ${day}`,
  from: (day: string) => `from ${day}`,
  openEnd: "open-ended",
} as const;

/** One contract in words, for those who do not see its bar. */
export const CONTRACT_WORDS = {
  head: (status: string, kind: string, ign: string) => `${status} ${kind} contract of ${ign}`,
  span: (from: string, to: string) => `from ${from} to ${to}`,
  openSpan: (from: string) => `from ${from}, open-ended`,
  next: (status: string, from: string) => `${status} from ${from}`,
  noticeBy: (day: string) => `notice by ${day}`,
  renews: "renews itself",
  terminated: (day: string) => `terminated on ${day}`,
} as const;

export const DECISION_TEXTS = {
  ends: (when: string) => `Ends ${when}`,
  noticeBy: (day: string) => `notice by ${day}`,
  noticeOver: "too late for notice",
  start: (day: string) => `Not signed, and was to start on ${day}`,
} as const;

export const CONTRACT_TEXTS = {
  contract: "Contract",
  missingTitle: "There is no such contract",
  missingBody: "It was deleted, or the link is wrong.",
  title: (ign: string) => `Contract of ${ign}`,
  edit: "Edit",
  sign: "Sign",
  renew: "Renew",
  terminate: "Terminate",
  delete: "Delete",
  history: "History",
  toPlayer: "Open the player",
  noDate: "None",
  facts: {
    player: "Player",
    status: "Status",
    kind: "Kind",
    team: "Team",
    startDate: "Starts",
    endDate: "Ends",
    next: "Next contract",
    noticePeriodDays: "Notice period",
    noticeBy: "Notice by",
    autoRenew: "Renews itself",
    signedAt: "Signed",
    terminatedAt: "Terminated",
  },
  noticeDays: (days: number) => (days === 1 ? "1 day" : `${days} days`),
  noTeam: "None",
} as const;

export const CONTRACT_FORM_TEXTS = {
  addTitle: "Add a contract",
  editTitle: (ign: string) => `Edit the contract of ${ign}`,
  added: "Contract added.",
  saved: "Contract changed.",
  player: "Player",
  playerMissing: "Choose the player.",
  team: "Team",
  kind: "Kind",
  status: "Status",
  startDate: "Starts",
  startMissing: "Choose the day on which it starts.",
  endDate: "Ends (empty: open-ended)",
  endBeforeStart: "The end lies before the start.",
  notice: "Notice, in days",
  noticeUnread: "Write a whole number of days from 0 to 3650, or nothing.",
  autoRenew: "Renews itself at its end",
  submitAdd: "Add contract",
} as const;

export const STEP_TEXTS = {
  signTitle: (ign: string) => `Sign the contract of ${ign}`,
  signBody: "It is active from now on, and the player counts as signed.",
  signedAt: "Signed on",
  signSubmit: "Sign",
  signed: "Contract signed.",
  renewTitle: (ign: string) => `Renew the contract of ${ign}`,
  renewBody: "Makes a new contract from the end of this one, on the same terms. This one stays as it is.",
  renewStart: (day: string) => `The new one starts on ${day}.`,
  renewAgain: (next: string) => `There is a next contract already: ${next}. This makes another.`,
  renewEnd: "The new one ends (empty: open-ended)",
  renewStatus: "Status of the new one",
  renewSubmit: "Renew",
  renewed: (status: Contract["status"]) =>
    status === "active"
      ? "Contract renewed."
      : `Contract renewed. The new one is ${CONTRACT_STATUS_NAMES[status].toLowerCase()} until it is signed.`,
  renewOpen: "This contract is open-ended, so there is no end to renew it from. Give it an end first.",
  endBeforeStart: "The end lies before the start of the new one.",
  terminateTitle: (ign: string) => `Terminate the contract of ${ign}`,
  terminateBody: "It is over from that day on. To have it end on a day to come, edit its end instead.",
  terminatedAt: "Terminated on",
  terminatedInFuture: "That day is still to come. To have the contract end then, edit its end.",
  terminatedBeforeStart: (start: string) => `The contract begins on ${start}. Choose that day or a later one.`,
  terminateSubmit: "Terminate",
  terminated: "Contract terminated.",
} as const;
