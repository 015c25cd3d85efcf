/**
 * Exports an organization into a folder of CSV files, or into one JSON file, that import reads; or as the texts of such files. They show one
 * moment, for everything is read from one state of the store, a page at a time; others write meanwhile, and wait for nothing.
 * Files are written under temporary names and take their own only when all are whole and on the disk, so an export that
 * fails before leaves what was there. Only a failure among the renames of a folder can leave files of two moments.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { makeFolder } from "../store/private-files.ts";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";
import { type ExportForm, exportPieces, type TextFile } from "./write-export.ts";

/** How many rows were written of each table. */
export type ExportSummary = Record<TableName, number>;

export interface ExportOptions {
  readonly onProgress?: (progress: { readonly table: TableName; readonly done: number }) => void;
}

export async function exportFrom(
  store: Store,
  orgId: string,
  path: string,
  { onProgress }: ExportOptions = {},
): Promise<ExportSummary> {
  const jsonFile = extname(path).toLowerCase() === ".json" ? basename(path) : undefined;
  const target = new Target(jsonFile === undefined ? path : dirname(path));
  if ((await store.revisionOf(orgId)) === undefined) throw new StoreError(`No organization has the id ${orgId}.`);
  try {
    const append = (file: string, text: string) => target.append(file, text);
    const summary = await exportThrough(store, orgId, { jsonFile }, append, onProgress);
    await target.finish();
    return summary;
  } catch (error) {
    await target.abandon();
    throw error;
  }
}

const CHARACTERS_MAX = 48 * 1024 * 1024;

/** The data is more than is handed over at once. */
export class ExportTooLarge extends Error {}

/** For a page that hands them to the browser. Bounded, for all is in memory at once. */
export async function exportTexts(
  store: Store,
  orgId: string,
  form: ExportForm,
): Promise<{ readonly files: readonly TextFile[]; readonly rows: ExportSummary }> {
  const texts = new Map<string, string>();
  let characters = 0;
  const rows = await exportThrough(store, orgId, form, async (file, text) => {
    characters += text.length;
    if (characters > CHARACTERS_MAX) throw new ExportTooLarge("The data is larger than one download.");
    texts.set(file, (texts.get(file) ?? "") + text);
  });
  return { files: [...texts].map(([name, text]) => ({ name, text })), rows };
}

async function exportThrough(
  store: Store,
  orgId: string,
  form: ExportForm,
  append: (file: string, text: string) => Promise<void>,
  onProgress?: ExportOptions["onProgress"],
): Promise<ExportSummary> {
  const summary = Object.fromEntries(TABLE_NAMES.map((table) => [table, 0])) as ExportSummary;
  await store.readOrgAtOnce(orgId, async (org) => {
    for await (const { file, text, table, rows } of exportPieces(org, form)) {
      await append(file, text);
      summary[table] += rows;
      if (rows > 0) onProgress?.({ table, done: summary[table] });
    }
  });
  return summary;
}

/** Files on their way: each has a temporary name in its own folder until all are finished. */
class Target {
  readonly #folder: string;
  readonly #suffix = `.${randomUUID()}.tmp`;
  readonly #open = new Map<string, FileHandle>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async append(name: string, text: string): Promise<void> {
    const file = this.#open.get(name) ?? (await this.#begin(name));
    await file.appendFile(text);
  }

  async finish(): Promise<void> {
    for (const file of this.#open.values()) {
      await file.sync();
      await file.close();
    }
    for (const name of this.#open.keys()) await rename(this.#temporary(name), join(this.#folder, name));
  }

  async abandon(): Promise<void> {
    for (const [name, file] of this.#open) {
      // It may be closed already, where only a name could not be given.
      await file.close();
      await rm(this.#temporary(name), { force: true });
    }
  }

  async #begin(name: string): Promise<FileHandle> {
    makeFolder(this.#folder);
    // The data is people's; who exports it decides who else may read it.
    const file = await open(this.#temporary(name), "wx", 0o600);
    this.#open.set(name, file);
    return file;
  }

  #temporary(name: string): string {
    return join(this.#folder, `${name}${this.#suffix}`);
  }
}
