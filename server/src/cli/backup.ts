/** `lineup backup`: a consistent copy of the store, also while it is being served. */
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { type Backup, type BackupOptions, backupPostgresTo, backupTo } from "../store/backup.ts";
import { joinDataFolder, requireStoreIn } from "../store/data-folder.ts";
import { findAddress } from "../store/postgres-snapshot.ts";
import { addCommand, readConfigAloud } from "./command.ts";
import { formatBytes, type JsonOption, print, printJson } from "./output.ts";
import { withProgress } from "./progress.ts";

export function addTo(program: Command): void {
  const description = "Write a consistent, checked copy of the whole store to one file, while serving or not";
  addCommand(program, "backup", description, [
    "npx lineup backup /var/backups/lineup-$(date +%F).db",
    "npx lineup backup latest.db --force",
  ])
    .argument("<FILE>", "the file to write; it holds all data, so keep it as safe as the store")
    .option("--force", "replace the file if it exists")
    .option("--json", "print what was written as JSON")
    .action(backup);
}

async function backup(file: string, options: JsonOption & { readonly force?: boolean }): Promise<void> {
  const config = readConfigAloud();
  const made = await withProgress("Copying the store", ({ update }) =>
    copy(config, file, { overwrite: options.force === true, onProgress: update }),
  );
  if (options.json) printJson(made);
  else print(`Wrote ${made.file} (${formatBytes(made.bytes)}), checked and complete.`);
}

async function copy(config: Config, file: string, options: BackupOptions): Promise<Backup> {
  const { dataDir } = config;
  const address = findAddress(config);
  if (address !== undefined) return backupPostgresTo(address, dataDir, file, options);
  requireStoreIn(dataDir);
  const lock = joinDataFolder(dataDir);
  try {
    return await backupTo(dataDir, file, options);
  } finally {
    lock.release();
  }
}
