/** Work for the keeper, of a process that may be ended before it can do it itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeServiceFolder, type ServiceFolder } from "./service-process.ts";

/** A script beside this file, run with the given data as its standard input, unless the returned folder is removed before. */
export function leaveToKeeper(script: string, input: object): ServiceFolder {
  const folder = makeServiceFolder("tidying");
  const inputFile = join(folder.path, "input.json");
  writeFileSync(inputFile, JSON.stringify(input), { mode: 0o600 });
  const command = [process.execPath, fileURLToPath(new URL(script, import.meta.url))].map(quote).join(" ");
  writeFileSync(join(folder.path, "tidy"), `${command} <${quote(inputFile)}\n`, { mode: 0o600 });
  return folder;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
