/** Where a run leaves something, looked at before it begins: somebody who has waited for ten minutes is not to be told then that there is no such folder. */
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Common, UsageError } from "./options.ts";

export function preparePlaces({
  dataRoot,
  jsonFile,
  profileDir,
}: Common & { readonly profileDir?: string | undefined }): void {
  if (jsonFile !== undefined) requireWritable("--json", jsonFile);
  makeFolder("--data", dataRoot);
  if (profileDir !== undefined) makeFolder("--profile", profileDir);
}

function requireWritable(option: string, file: string): void {
  const folder = dirname(resolve(file));
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (file.trim() === "" || found?.isDirectory() === true) throw new UsageError(`"${file}" is the name of no file`);
    if (!isFolder(folder)) throw new UsageError(`there is no folder ${folder}`);
    accessSync(found === undefined ? folder : file, constants.W_OK);
  } catch (error) {
    const reason = error instanceof UsageError ? error.message : `${file} cannot be written (${codeOf(error)})`;
    throw new UsageError(`${option}: ${reason}. Name a file in a folder that exists and can be written to.`);
  }
}

function makeFolder(option: string, folder: string): void {
  try {
    makeWithParents(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(
      `${option}: ${folder} cannot be used as a folder (${codeOf(error)}). Choose one that can be written to.`,
    );
  }
}

/** One after the other: asked for all at once, Node never comes back where the system has no room for a folder, as under /proc. */
function makeWithParents(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeWithParents(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else has just made it.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
