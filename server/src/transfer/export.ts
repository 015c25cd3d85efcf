/**
 * Exports an organization into a folder of CSV files, or into one JSON file, that import reads. The files show one moment,
 * for everything is read from one state of the store, a page at a time; others write meanwhile, and wait for nothing.
 * Files are written under temporary names and take their own only when all are whole and on the disk, so an export that
 * fails before leaves what was there. Only a failure among the renames of a folder can leave files of two moments.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import type { TableName } from "./tables.ts";
import { type ExportSummary, type ExportTarget, writeCsv, writeJson } from "./write-export.ts";

export interface ExportOptions {
  readonly onProgress?: (progress: { readonly table: TableName; readonly done: number }) => void;
}

export async function exportFrom(
  store: Store,
  orgId: string,
  path: string,
  options: ExportOptions = {},
): Promise<ExportSummary> {
  const isJson = extname(path).toLowerCase() === ".json";
  const target = new Target(isJson ? dirname(path) : path);
  const report = (table: TableName, done: number) => options.onProgress?.({ table, done });
  if ((await store.revisionOf(orgId)) === undefined) throw new StoreError(`No organization has the id ${orgId}.`);
  try {
    const summary = await store.readOrgAtOnce(orgId, async (org) =>
      isJson ? writeJson(org, await target.begin(basename(path)), report) : writeCsv(org, target, report),
    );
    await target.finish();
    return summary;
  } catch (error) {
    await target.abandon();
    throw error;
  }
}

/** Files on their way: each has a temporary name in its own folder until all are finished. */
class Target implements ExportTarget {
  readonly #folder: string;
  readonly #suffix = `.${randomUUID()}.tmp`;
  readonly #open = new Map<string, FileHandle>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async begin(name: string): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true });
    // The data is people's; who exports it decides who else may read it.
    const file = await open(this.#temporary(name), "wx", 0o600);
    this.#open.set(name, file);
    return file;
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

  #temporary(name: string): string {
    return join(this.#folder, `${name}${this.#suffix}`);
  }
}
