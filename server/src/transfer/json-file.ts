/** Reads one JSON file with a list for each table; what is wrong with an item is said with the line it begins on. */
import { setImmediate as breathe } from "node:timers/promises";
import { findNearestName } from "@lineup/api/nearest-name";
import { type CheckedTables, RowChecker } from "./checked-rows.ts";
import { showValue } from "./import-faults.ts";
import type { FileContent, ImportFiles } from "./import-files.ts";
import { isTableName, TABLE_NAMES, type TableName } from "./tables.ts";

/** The checked rows; undefined when the form of the file is broken. */
export async function readJsonFile(
  content: FileContent,
  file: string,
  files: ImportFiles,
): Promise<CheckedTables | undefined> {
  const { faults } = files;
  const refuse = (line: number | null, column: string | null, value: unknown, message: string) =>
    void faults.add({ file, line, column, value: showValue(value), message });
  const text = files.read(content, file)?.toString("utf8");
  const root = text === undefined ? undefined : parseDocument(text, refuse);
  if (text === undefined || root === undefined) return undefined;
  if (!isObject(root)) return refuse(1, null, root, `must be an object with the lists ${TABLE_NAMES.join(", ")}`);
  const lists = Object.entries(root).filter(([, list]) => list !== null);
  const total = lists.reduce((sum, [, list]) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (!files.takeRows(file, total)) return undefined;
  const { lines, repeated } = locateItems(text);
  for (const { name, line } of repeated) refuse(line, showValue(name), null, "is there twice; keep one of the two");
  const tables: Partial<Record<TableName, RowChecker["checked"]>> = {};
  let done = 0;
  for (const [name, list] of lists) {
    if (!isTableName(name)) {
      const nearest = faults.isFull ? undefined : findNearestName(name, TABLE_NAMES);
      const hint = nearest === undefined ? `use ${TABLE_NAMES.join(", ")}` : `did you mean ${nearest}?`;
      refuse(null, showValue(name), null, `is not a list that can be imported; ${hint}`);
    } else if (!Array.isArray(list)) refuse(null, name, list, "must be a list of objects");
    else {
      const checker = new RowChecker(name, file, faults);
      tables[name] = checker.checked;
      for (const [index, item] of list.entries()) {
        const line = lines.get(name)?.[index] ?? 1;
        if (isObject(item)) checker.addObject(item, line);
        else refuse(line, name, item, "must be an object of columns and values");
        done += 1;
        if (done % 1_000 !== 0) continue;
        files.report(done, total);
        await breathe();
      }
    }
  }
  return tables;
}

interface Located {
  /** For each list of the outermost object, the lines its items begin on. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Lists, and columns of items, that have the name of an earlier one, which JSON's own reader would drop unsaid. */
  readonly repeated: readonly { readonly name: string; readonly line: number }[];
}

function parseDocument(
  text: string,
  refuse: (line: number | null, column: string | null, value: unknown, message: string) => void,
): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) refuse(findSyntaxLine(error), null, null, `is not JSON: ${error.message}`);
    else throw error;
    return undefined;
  }
}

function findSyntaxLine(error: SyntaxError): number | null {
  const match = /line (\d+)/.exec(error.message);
  return match === null ? null : Number(match[1]);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]|\n/g;

/** Where things stand in a text that is valid JSON. */
function locateItems(text: string): Located {
  const lines = new Map<string, number[]>();
  const repeated: { name: string; line: number }[] = [];
  /** For each object or list around the present place, the names it has had; a list has none. */
  const around: (Set<string> | undefined)[] = [];
  let line = 1;
  let list = "";
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "\n") line += 1;
    else if (token === "{" || token === "[") {
      // An item is an object, or a list by mistake; other mistakes have no line of their own and take the last one's.
      if (around.length === 2) lines.get(list)?.push(line);
      isName = token === "{";
      around.push(isName ? new Set() : undefined);
      if (around.length === 2) lines.set(list, []);
    } else if (token === "}" || token === "]") around.pop();
    else if (token === ",") isName = around.at(-1) !== undefined;
    else if (isName) {
      isName = false;
      if (around.length !== 1 && around.length !== 3) continue;
      const name = JSON.parse(token) as string;
      if (around.at(-1)?.has(name)) repeated.push({ name, line });
      around.at(-1)?.add(name);
      if (around.length === 1) list = name;
    }
  }
  return { lines, repeated };
}
