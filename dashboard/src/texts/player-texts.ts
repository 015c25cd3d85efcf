/** What Players and the page of one player say. */
import type { Player } from "@lineup/api/players";

export const STATUS_WORDS: Readonly<Record<Player["status"], string>> = {
  active: "Active",
  benched: "Benched",
  inactive: "Inactive",
};

export const CONTRACT_STATUS_WORDS: Readonly<Record<Player["contractStatus"], string>> = {
  unsigned: "Unsigned",
  in_negotiation: "In negotiation",
  active: "Active",
  expired: "Expired",
  terminated: "Terminated",
};

const countPlayers = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "player" : "players"}`;

export const PLAYERS_TEXTS = {
  title: "Players",
  intro: "Everybody who plays for the organization or belongs to its staff.",
  create: "Add player",
  caption: "Players of this organization",
  search: "Search players",
  searchHint: "Name, external id…",
  team: "Team",
  anyTeam: "Any team",
  noTeam: "No team",
  game: "Game",
  anyGame: "Any game",
  role: "Role",
  anyRole: "Any role",
  status: "Status",
  anyStatus: "Any status",
  contract: "Contract",
  anyContract: "Any contract",
  clear: "Clear filters",
  columns: {
    ign: "Player",
    realName: "Real name",
    team: "Team",
    game: "Game",
    role: "Role",
    status: "Status",
    contractStatus: "Contract",
    nationality: "Country",
    joinDate: "Joined",
    externalIds: "External ids",
    updatedAt: "Changed",
    id: "Id",
  },
  count: (shown: number, all: number, isComplete: boolean) => {
    if (!isComplete) return `${countPlayers(all)} so far…`;
    return shown === all ? countPlayers(all) : `${shown.toLocaleString("en")} of ${countPlayers(all)}`;
  },
  emptyTitle: "No players yet",
  emptyBody: "Add the first one, or import all of them from a spreadsheet.",
  emptyBodyReadOnly: "Nobody has added a player to this organization yet.",
  nothingTitle: "No player matches",
  nothingBody: "Change the search or the filters, or clear them.",
} as const;

export const CREATE_PLAYER_TEXTS = {
  title: "Add a player",
  ign: "In-game name",
  realName: "Real name",
  role: "Role",
  joinDate: "Joined",
  joinDateHint: "Now, if left empty.",
  nationality: "Country",
  status: "Status",
  contractStatus: "Contract status",
  missingRoleAlone: "Choose a role.",
  missingRole: "Choose a role of the team’s game.",
  submit: "Add",
  done: ({ ign }: { readonly ign: string }) => `${ign} was added.`,
} as const;

export const BULK_TEXTS = {
  bar: "What to do with those selected",
  selected: (count: number) => `${count.toLocaleString("en")} selected`,
  hidden: (count: number) => `${count.toLocaleString("en")} of them filtered out`,
  clear: "Clear selection",
  team: "Team…",
  status: "Status…",
  contract: "Contract status…",
  teamTitle: (count: number) => `Move ${countPlayers(count)}`,
  statusTitle: (count: number) => `Change the status of ${countPlayers(count)}`,
  contractTitle: (count: number) => `Change the contract status of ${countPlayers(count)}`,
  contractNote: "This changes what stands at the players. Contracts themselves are kept under Contracts.",
  toTeam: "To team",
  chooseTeam: "Choose a team",
  toNoTeam: "No team",
  chooseStatus: "Choose one",
  misfits: (count: number, game: string) =>
    count === 1
      ? `One of them has a role that ${game} does not know. Choose another:`
      : `${count.toLocaleString("en")} of them have roles that ${game} does not know. Choose others:`,
  withoutTeam: "a player without a team",
  sameForAll: "The same for all",
  roleOf: (ign: string) => `Role of ${ign}`,
  moreMisfits: (count: number) => `And ${count.toLocaleString("en")} more, who get the role for all.`,
  alreadySo: (count: number) =>
    count === 1
      ? "One is like that already and stays as it is."
      : `${count.toLocaleString("en")} are like that already and stay as they are.`,
  chooseRoles: "Choose a role for each, or one for all.",
  submit: (count: number | undefined) => (count === undefined ? "Change" : `Change ${countPlayers(count)}`),
  progress: (done: number, all: number) => `${done.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  running: "Changing players",
  stop: "Stop",
  finished: (changed: number) => `${countPlayers(changed)} changed.`,
  refused: (count: number) => `${countPlayers(count)} not changed:`,
  stopped: (count: number) => `${countPlayers(count)} not tried, because you stopped.`,
  undo: "Undo",
  undoing: "Taking changes back",
  undone: (count: number) => `${countPlayers(count)} changed back.`,
  notUndone: (count: number) => `${countPlayers(count)} not changed back:`,
  changedMeanwhile: "Somebody else changed this player meanwhile. Look at it, then try again.",
  done: "Done",
} as const;

export const ERASE_TEXTS = {
  action: "Erase person",
  title: (name: string) => `Erase ${name}?`,
  body: "Erasing takes every value about the person out of the data, the audit log, the request log and stored answers. It cannot be undone, and restoring a backup erases them again.",
  people: "Erased:",
  player: "player",
  prospect: "prospect",
  assignments: (count: number) => (count === 1 ? "1 roster entry" : `${count} roster entries`),
  contracts: (count: number) => (count === 1 ? "1 contract" : `${count} contracts`),
  submit: "Erase for good",
  done: (isSwept: boolean) =>
    isSwept ? "The person was erased." : "The person was erased. The request log is cleaned within minutes.",
} as const;

export const PLAYER_TEXTS = {
  missingTitle: "Player",
  missingLead: "There is no such player",
  missingBody: "It may have been deleted, or the address is mistyped.",
  delete: "Delete",
  more: "More",
  facts: "Facts",
  factsHint: "Press a value to change it.",
  edit: (name: string) => `Change: ${name}`,
  nothing: "None",
  names: {
    ign: "In-game name",
    realName: "Real name",
    teamAndRole: "Team and role",
    status: "Status",
    contractStatus: "Contract status",
    nationality: "Country",
    joinDate: "Joined",
    imageUrl: "Portrait",
    id: "Id",
    createdAt: "Added",
    updatedAt: "Changed",
  },
  copyId: "Copy id",
  noTeam: "No team",
  saved: (name: string) => `${name} saved.`,
  missingRole: "Choose a role of the team’s game.",
  imageHint: "An https address; empty for none.",
  moved: "Moved.",
  timeline: "Teams and roles",
  timelineEmpty: "Never assigned to a team.",
  from: "from",
  today: "today",
  starter: "Starter",
  captain: "Captain",
  contracts: "Contracts",
  contractsEmpty: "No contract.",
  allContracts: "All contracts",
  openEnded: "open-ended",
  contractKinds: { player: "Player", staff: "Staff", trial: "Trial", loan: "Loan" },
  contractStates: {
    draft: "Draft",
    pending: "Pending",
    active: "Active",
    expired: "Expired",
    terminated: "Terminated",
  },
  history: "History of changes",
  asApi: "As the API shows it",
  asApiLead: "What a key with players:read gets.",
  json: "The player as JSON",
} as const;
