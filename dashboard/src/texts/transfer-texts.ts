/** What Data › Import & export says. */

import type { ROW_OUTCOMES } from "@lineup/api/dashboard/transfer";
import type { ResourceName } from "@lineup/api/endpoints";
import { sayNumber } from "../ui/number-words.ts";

export type RowOutcome = (typeof ROW_OUTCOMES)[number];

/** In the order in which files are read: what others refer to first. */
export const TABLE_TEXTS: Readonly<Record<ResourceName, { readonly name: string; readonly about: string }>> = {
  teams: { name: "Teams", about: "Name, game, division" },
  players: { name: "Players", about: "In-game name, role, team" },
  roster: { name: "Roster", about: "Who is in which team, and was" },
  contracts: { name: "Contracts", about: "Player, start, end" },
  schedule: { name: "Schedule", about: "Title, team, start" },
  prospects: { name: "Prospects", about: "In-game name, stage" },
};

export const OUTCOME_TEXTS: Readonly<
  Record<RowOutcome, { readonly word: string; readonly tab: string; readonly lead: string }>
> = {
  fault: {
    word: "Fault",
    tab: "Faults",
    lead: "Nothing is imported while a row has a fault. Mend the file, and drop it here again.",
  },
  unclear: {
    word: "Unclear",
    tab: "Unclear",
    lead: "These rows hang on others that have faults. What becomes of them is seen once those are mended.",
  },
  create: { word: "New", tab: "New", lead: "These rows make new records." },
  change: {
    word: "Changed",
    tab: "Changed",
    lead: "These rows change records that are there. What no cell says stays as it is.",
  },
  follow: {
    word: "Follows",
    tab: "Follows",
    lead: "No row is about these records; they change because of rows that do.",
  },
  leave: {
    word: "As it is",
    tab: "As they are",
    lead: "These rows say what is stored already. Nothing is written for them.",
  },
};

const rows = (count: number) => (count === 1 ? "1 row" : `${sayNumber(count)} rows`);

/** "Create 120, change 14" */
function sayPlan(create: number, change: number): string {
  if (create + change === 0) return "Import";
  const parts = [
    ...(create > 0 ? [`create ${sayNumber(create)}`] : []),
    ...(change > 0 ? [`change ${sayNumber(change)}`] : []),
  ].join(", ");
  return parts.charAt(0).toUpperCase() + parts.slice(1);
}

export const TRANSFER_TEXTS = {
  title: "Import & export",
  lead: "Bring a season in from spreadsheets, and take everything out again as files.",
  leadReadOnly: "Take everything out as files that a spreadsheet opens and an import reads.",
  importTitle: "Import",
  importLead:
    "Drop CSV or JSON files. You see what each row would do before anything is written, and then all of it is imported, or nothing.",
  drop: "Drop files here",
  dropMore: "Drop more files, or a mended one in place of its first version",
  or: "or",
  choose: "Choose files",
  formats: "CSV in UTF-8 with commas, semicolons or tabs, or one JSON file. At most 24 MB and 60,000 rows at once.",
  examples: "Begin with an example",
  exampleOf: (name: string) => `Download an example of ${name.toLowerCase()} as CSV`,
  filesTitle: "Files",
  holds: "What it holds",
  holdsOf: (file: string) => `What ${file} holds`,
  chooseTable: "Choose…",
  allTables: "All kinds",
  remove: (file: string) => `Take ${file} out`,
  startOver: "Start over",
  needsTable: (file: string) => `Say what ${file} holds, and it is looked at.`,
  unfitFile: (file: string) =>
    `${file} is neither CSV nor JSON. Save the sheet as CSV UTF-8, and drop that; unpack an archive first.`,
  unreadableFile: (file: string) => `${file} could not be read. It may have been moved or changed; choose it again.`,
  tooLarge: "These files are more than 24 MB together. Split them, and import the parts one after the other.",
  phases: { reading: "Reading", checking: "Checking", writing: "Writing" } as Readonly<Record<string, string>>,
  sending: "Sending the files",
  leaveTitle: "Leave while the files are on their way?",
  leaveBody: "They are still being sent. If you leave now, nothing is imported.",
  leave: "Leave, and import nothing",
  progress: (done: number, total: number) => `${sayNumber(done)} of ${rows(total)}`,
  previewTitle: "What would happen",
  previewReady: (counts: string) => `The files were looked at: ${counts}.`,
  previewTable: "How many rows come to what",
  kind: "Kind",
  faultsTitle: (count: number) =>
    count === 1 ? "1 fault has to be mended" : `${sayNumber(count)} faults have to be mended`,
  faultsBody:
    "Each stands at its row below. Mend them in your files and drop those here again: they replace the ones with faults.",
  markFaults: "Download with faults marked",
  marked: "Downloaded. The column “faults” says what is wrong; it may stay in when you import the file again.",
  cannotMark: "These faults are about whole files, in which no row can be marked. They are listed below.",
  outcomes: "Show rows that are",
  kindFilter: "Kind",
  anyKind: "Any kind",
  rowsTable: "Rows of the files",
  columns: { row: "Row", where: "Where", what: "What happens" },
  line: (file: string, line: number) => `${file}, line ${sayNumber(line)}`,
  follows: "Follows from other rows",
  wholeFile: "The whole file",
  nameless: "Row without a name",
  shown: (shown: number, total: number) => (shown === total ? rows(total) : `${sayNumber(shown)} of ${rows(total)}`),
  more: "Show more rows",
  empty: "empty",
  atImport: "when it is imported",
  became: "becomes",
  nothingTitle: "Nothing to import",
  nothingBody: "Every row says what is stored already.",
  noRows: "No rows of this kind.",
  apply: sayPlan,
  applyLead: "All of it is written at once, in your name, or nothing is.",
  follow: (count: number) =>
    count === 1 ? "1 more record follows from these rows." : `${sayNumber(count)} more records follow from these rows.`,
  doneTitle: "Imported",
  doneBody: "The API shows it from its next request on.",
  doneTable: "What was imported",
  doneColumns: { created: "Created", changed: "Changed", unchanged: "As they were" },
  again: "Import more",
  exportTitle: "Export",
  exportLead: "All data of the organization as it is now, without keys. The audit log says who exported it.",
  exportCsv: "All as CSV",
  exportJson: "All as JSON",
  exportEach: "One kind as CSV",
  exportOf: (name: string) => `Download ${name.toLowerCase()} as CSV`,
  exported: "Downloaded.",
} as const;
