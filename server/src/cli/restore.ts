/** `lineup restore`: a backup takes the store's place. */
import type { Command } from "commander";
import { restoreFrom } from "../store/backup.ts";
import { addExamples } from "./examples.ts";
import { count, note, print, printJson, shellWord } from "./output.ts";
import { readConfigAloud } from "./with-store.ts";

export function addTo(program: Command): void {
  addExamples(
    program
      .command("restore")
      .description(
        "Put a backup in the store's place, after checking it; refused while a server runs. The present store is kept beside it",
      )
      .argument("<FILE>", 'a file that "lineup backup" wrote')
      .option("--json", "print what was done as JSON")
      .action(restore),
    ["npx lineup restore /var/backups/lineup-2026-01-31.db"],
  );
}

async function restore(file: string, options: { readonly json?: boolean }): Promise<void> {
  const { dataDir } = readConfigAloud();
  const { keptAs, migrated } = await restoreFrom(dataDir, file);
  if (options.json) return printJson({ dataDir, keptAs: keptAs ?? null, migrated });
  print(`Restored ${file} into ${dataDir}.`);
  if (migrated > 0) print(`Took ${count(migrated, "step")} to bring its schema up to date.`);
  note("Keys are as they were then: one that was revoked since is valid again. Look through them, and revoke it anew.");
  if (keptAs === undefined) return;
  print(`The store that was there is kept as ${keptAs}.`);
  note(`To go back to it: npx lineup restore ${shellWord(keptAs)}`);
}
