/** What all pages of records say. */
const KIND_WORDS: Readonly<Record<string, readonly [string, string]>> = {
  player: ["player", "players"],
  team: ["team", "teams"],
  assignment: ["roster entry", "roster entries"],
  contract: ["contract", "contracts"],
  event: ["event", "events"],
  prospect: ["prospect", "prospects"],
  calendar: ["calendar link", "calendar links"],
};

function countOf(count: number, kind: string): string {
  const [one, many] = KIND_WORDS[kind] ?? [kind, kind];
  return `${count} ${count === 1 ? one : many}`;
}

export const RECORD_TEXTS = {
  import: "Import",
  leaveTitle: "Leave without saving?",
  leaveBody: "What you typed in the dialog is not saved, and will be lost.",
  leave: "Leave",
  saved: "Saved.",
  undo: "Undo",
  undone: "Taken back.",
  undoneTooLate: "Somebody has changed this since; it stays as they left it.",
  conflictTitle: "Somebody else changed this meanwhile",
  conflictBody:
    "Nothing of yours was written yet. Compare the two. Saving yours writes only the fields that you changed; whatever else they changed stays.",
  conflictTable: "Both versions, field by field",
  field: "Field",
  seen: "As you saw it",
  theirs: "Now",
  yours: "Yours",
  unchanged: "unchanged",
  keepTheirs: "Keep theirs",
  saveMine: "Save mine",
  noHistory: "Nothing is recorded of it.",
  olderHistory: "Show older changes",
  by: "by",
  historyVerbs: {
    created: "Created",
    updated: "Changed",
    deleted: "Deleted",
    expiring: "Soon to end",
    expired: "Ended",
  } as Readonly<Record<string, string>>,
  delete: "Delete",
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteBody:
    "Deleting is for mistakes: it is gone from every list and export, and cannot be undone. The audit log says that it was deleted.",
  deleted: (name: string) => `${name} was deleted.`,
  goesAlong: (count: number, kind: string) => `${countOf(count, kind)} will be deleted with it.`,
  changesAlong: (count: number, kind: string) => `${countOf(count, kind)} will no longer refer to it.`,
  team: "Team",
  noTeam: "No team",
  player: "Player",
  game: "Game",
  role: "Role",
  noRole: "No role",
  chooseRole: "Choose a role",
  choosePlayer: "Type part of a name",
  noSuchPlayer: "No player is called that.",
  noPlayers: "There are no players yet.",
  noCountry: "No country",
  noSuchCountry: "No country is called that.",
  clearCountry: "Clear the country",
  time: "Time",
  dayHint: "Such as 24 Dec 2026",
  zone: (zone: string) => `Your time zone: ${zone}`,
} as const;

/** Of names and values that people add themselves. */
export const PAIR_TEXTS = {
  saved: (title: string) => `${title} saved.`,
  stats: "Statistics",
  statsEmpty: "No statistics yet.",
  statName: "Name",
  statValue: "Value",
  externalIds: "External ids",
  externalIdsEmpty: "No ids in other systems yet.",
  system: "System",
  externalId: "Id there",
  addPair: "Add",
  editPairs: (title: string) => `Change ${title.toLowerCase()}`,
  change: "Change",
  removePair: (name: string) => (name === "" ? "Remove line" : `Remove ${name}`),
  pairMissing: "Give both a name and a value, or remove the line.",
  pairTwice: (name: string) => `${name} stands there twice.`,
} as const;
