/**
 * What commands print: tables and sentences for people, JSON for programs. Results go to standard output, everything else
 * to standard error, and colours only to a terminal. An error that ends a command becomes a message a person can act on, and an exit code.
 */
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { type InspectColor, styleText } from "node:util";
import { MOUNTED_READ_ONLY } from "../store/store-error.ts";

/** Of every command that prints something for programs, too. */
export interface JsonOption {
  readonly json?: boolean;
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly colour?: (row: Row) => InspectColor | undefined;
}

/** Programs read one line; on a terminal a person is reading. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined));
}

export function print(text = ""): void {
  process.stdout.write(`${text}\n`);
}

/** Something worth knowing that is no result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function warn(text: string): void {
  process.stderr.write(`${paint("yellow", "Warning:", process.stderr)} ${visible(text)}\n`);
}

export function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const cells = rows.map((row) => columns.map((column) => visible(column.value(row))));
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((line) => widthOf(line[index] ?? ""))),
  );
  const pad = (text: string, index: number) =>
    // The last column ends where its text does, so that no line has blanks at its end.
    index === columns.length - 1 ? text : text + " ".repeat((widths[index] ?? 0) - widthOf(text));
  print(columns.map(({ title }, index) => paint("bold", pad(title.toUpperCase(), index))).join("  "));
  for (const [number, row] of rows.entries()) {
    const line = columns.map((column, index) => paint(column.colour?.(row), pad(cells[number]?.[index] ?? "", index)));
    print(line.join("  "));
  }
}

/** Names and values, one pair a line. */
export function printPairs(pairs: readonly (readonly [string, string])[]): void {
  const width = Math.max(...pairs.map(([name]) => widthOf(name)));
  for (const [name, value] of pairs) print(`${paint("dim", name.padEnd(width))}  ${visible(value)}`);
}

export function paint(
  colour: InspectColor | undefined,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  // styleText honours NO_COLOR; by itself it would also colour a file where FORCE_COLOR is set.
  return colour === undefined || !stream.isTTY ? text : styleText(colour, text, { stream });
}

export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function formatBytes(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${step === 0 ? bytes : (bytes / 1_000 ** step).toFixed(1)} ${units[step]}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** A word as it can be pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Stored text must not drive the terminal it is shown on; what turns the writing direction could disguise it. */
export function visible(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{FFFD}");
}

function widthOf(text: string): number {
  return [...text].length;
}

/** Asks who sits at the terminal before something goes for good. `command` is what to type where nobody does. */
export async function confirmDeletion(deleted: {
  readonly what: string;
  readonly question?: string;
  /** To be typed instead of yes. */
  readonly name: string;
  readonly command: string;
}): Promise<void> {
  const { what, question = `Delete ${what}?`, name, command } = deleted;
  if (!process.stdin.isTTY) {
    throw new CommandError(`Nobody is there to confirm that ${what} goes for good. Add --yes: ${command} --yes`);
  }
  if (!(await confirm(visible(`${question} It cannot be undone.`), name)))
    throw new CommandError("Nothing was deleted.");
}

/** Whether they said yes, or typed the name. Ctrl-C and the end of the input are no answer. */
async function confirm(question: string, name: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const gone = once(terminal, "close").then(() => "");
    const answer = await Promise.race([terminal.question(`${question} [y/N] `).catch(() => ""), gone]);
    return ["y", "yes", name.toLowerCase()].includes(answer.trim().toLowerCase());
  } finally {
    terminal.close();
  }
}

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A reason why a command did not do what was asked, in words for the one who typed it. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CommandError";
  }
}

/** A command line that was not understood: nothing was done, and nothing opened. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Reads what was typed; what the reader refuses in words for a person was not understood. */
export function understand<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isReadable(error) ? new UsageError(error.message) : error;
  }
}

/** Errors whose message is written for the operator. By name, so that telling one needs none of the modules loaded. */
const READABLE = new Set([
  "CommandError",
  "UsageError",
  "ConfigError",
  "StoreError",
  "AccessError",
  "ActionError",
  "ImportFaults",
  "UnfitFile",
  "JournalUnreadableError",
  "RedisUnreachableError",
]);

/** Whether its message can be shown as it is. */
export function isReadable(error: unknown): error is Error {
  return error instanceof Error && READABLE.has(error.name);
}

export function explainFailure(error: unknown): string {
  if (isReadable(error)) return error.message;
  if (!(error instanceof Error)) return `Unexpected failure: ${String(error)}`;
  const code = "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_BUSY")) {
    return "The store is busy: another process has been writing to it all along. Wait for it to end, then try again.";
  }
  if (code.startsWith("SQLITE_FULL") || code === "ENOSPC") return "The disk is full. Free some space, then try again.";
  if (["ENOENT", "ENOTDIR", "EISDIR", "EEXIST", "ENXIO"].includes(code)) {
    return `${error.message}. Check the path, or choose another.`;
  }
  if (code === "EROFS") return `${error.message}. ${MOUNTED_READ_ONLY}`;
  if (code === "EACCES" || code === "EPERM") {
    return `${error.message}. Run the command as a user who may do that.`;
  }
  return `This should not have happened; please report it with the lines below.\n${error.stack ?? error.message}`;
}
