/** Where a run leaves something, looked at before it begins: whoever has waited for ten minutes is not to be told then that there is no such folder. */
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
  if (file.trim() === "" || statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(
      `${option} takes the name of a file, and "${file}" is none. Name a file in a folder that exists.`,
    );
  }
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there?.isDirectory() !== true)
    throw new UsageError(`${option}: there is no folder ${folder}. Make it first, or choose another.`);
  try {
    accessSync(statSync(file, { throwIfNoEntry: false }) === undefined ? folder : file, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${option}: ${file} cannot be written (${codeOf(error)}). Choose another place.`);
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
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (dirname(folder) !== folder) makeWithParents(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Somebody else has just made it.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
