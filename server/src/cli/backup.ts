/** `lineup backup`: a consistent copy of the store, also while it is being served. */
import type { Command } from "commander";
import { backupTo } from "../store/backup.ts";
import { joinDataFolder, requireStoreIn } from "../store/data-folder.ts";
import { addExamples } from "./examples.ts";
import { formatBytes, print, printJson } from "./output.ts";
import { startProgress } from "./progress.ts";
import { readConfigAloud } from "./with-store.ts";

export function addTo(program: Command): void {
  addExamples(
    program
      .command("backup")
      .description("Write a consistent, checked copy of the whole store to one file, while serving or not")
      .argument("<FILE>", "the file to write; it holds all data, so keep it as safe as the store")
      .option("--force", "replace the file if it exists")
      .option("--json", "print what was written as JSON")
      .action(backup),
    ["npx lineup backup /var/backups/lineup-$(date +%F).db", "npx lineup backup latest.db --force"],
  );
}

async function backup(file: string, options: { readonly force?: boolean; readonly json?: boolean }): Promise<void> {
  const { dataDir } = readConfigAloud();
  requireStoreIn(dataDir);
  const lock = joinDataFolder(dataDir);
  const progress = startProgress("Copying the store");
  try {
    const made = await backupTo(dataDir, file, {
      overwrite: options.force === true,
      onProgress: (done, total) => progress.update(done, total, "pages"),
    });
    progress.end();
    if (options.json) printJson(made);
    else print(`Wrote ${made.file} (${formatBytes(made.bytes)}), checked and complete.`);
  } finally {
    progress.end();
    lock.release();
  }
}
