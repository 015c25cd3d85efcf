/** The files that somebody wants to import, as the page holds them until they are sent. */
import type { ResourceName } from "@lineup/api/endpoints";
import { TABLE_TEXTS } from "../texts/transfer-texts.ts";

export const TABLES = Object.keys(TABLE_TEXTS) as readonly ResourceName[];

export interface SourceFile {
  /** As it is called on the person's device. */
  readonly name: string;
  readonly size: number;
  readonly base64: string;
  /** Of a CSV file what it holds, undefined while nobody has said so; "all" of a JSON file. */
  readonly holds: ResourceName | "all" | undefined;
}

/** All that may be sent at once, as the server has it. */
export const FILES_MAX_BYTES = 24 * 1024 * 1024;

export function isFitFile(name: string): boolean {
  return /\.(csv|json|txt|tsv)$/i.test(name);
}

/** What a name says of what is in the file: `players (2).csv` and `Spring players.csv` hold players. */
export function guessTable(name: string): SourceFile["holds"] {
  if (/\.json$/i.test(name)) return "all";
  const words = name.toLowerCase();
  const named = TABLES.filter((table) => words.includes(table));
  return named.length === 1 ? named[0] : undefined;
}

/** Fails where the file is not there any more. */
export async function readSourceFile(file: File): Promise<SourceFile> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
  return { name: file.name, size: file.size, base64: url.slice(url.indexOf(",") + 1), holds: guessTable(file.name) };
}

/** A file replaces the one that holds the same: a person who has mended it drops it again. A JSON file holds everything. */
export function addFiles(before: readonly SourceFile[], added: readonly SourceFile[]): SourceFile[] {
  let files = [...before];
  for (const file of added) {
    const isReplaced = (one: SourceFile) =>
      one.name === file.name ||
      file.holds === "all" ||
      one.holds === "all" ||
      (one.holds === file.holds && file.holds !== undefined);
    files = [...files.filter((one) => !isReplaced(one)), file];
  }
  return files.toSorted((a, b) => orderOf(a) - orderOf(b));
}

function orderOf({ holds }: SourceFile): number {
  return holds === undefined || holds === "all" ? -1 : TABLES.indexOf(holds);
}

/** What is sent: by the name that says what is in it. Undefined while a file does not say it. */
export function listSent(files: readonly SourceFile[]): { name: string; base64: string }[] | undefined {
  if (files.length === 0 || files.some(({ holds }) => holds === undefined)) return undefined;
  return files.map(({ name, base64, holds }) => ({ name: holds === "all" ? name : `${holds}.csv`, base64 }));
}
