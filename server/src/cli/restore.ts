/** `lineup restore`: a backup takes the store's place. */
import type { Command } from "commander";
import { describeStore } from "../config.ts";
import { MARKS_FILE, setMarksAside } from "../store/audit-marks.ts";
import { SCHEMA } from "../store/postgres-migrations.ts";
import { findAddress, type PostgresAddress } from "../store/postgres-snapshot.ts";
import { type Restored, restoreFrom, restoreIntoPostgres } from "../store/restore-store.ts";
import { addExamples } from "./examples.ts";
import { count, note, print, printJson, shellWord } from "./output.ts";
import { startProgress } from "./progress.ts";
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
  const config = readConfigAloud();
  const address = findAddress(config);
  const { keptAs, migrated } =
    address === undefined ? await restoreFrom(config.dataDir, file) : await restoreAloud(address, file);
  const hadMarks = await setMarksAside(config.dataDir);
  const store = describeStore(config);
  if (options.json) return printJson({ store, dataDir: config.dataDir, keptAs: keptAs ?? null, migrated });
  print(`Restored ${file} into ${store}.`);
  if (migrated > 0) print(`Took ${count(migrated, "step")} to bring its schema up to date.`);
  note("Keys are as they were then: one that was revoked since is valid again. Look through them, and revoke it anew.");
  if (hadMarks)
    note(`What this machine had seen of the audit log is set aside as ${MARKS_FILE}.set-aside, and begun anew.`);
  if (address !== undefined)
    note(
      `Other machines that served this database would find its audit log cut off: remove ${MARKS_FILE} from their data folders.`,
    );
  if (keptAs === undefined) return;
  if (address === undefined) {
    print(`The store that was there is kept as ${keptAs}.`);
    note(`To go back to it: npx lineup restore ${shellWord(keptAs)}`);
    return;
  }
  print(`The store that was there is kept in the schema ${keptAs}, and takes its room until you drop it.`);
  note(`To be rid of it: DROP SCHEMA ${keptAs} CASCADE;`);
  note(
    `To go back to it, while no server runs: ALTER SCHEMA ${SCHEMA} RENAME TO ${SCHEMA}_given_up; ` +
      `ALTER SCHEMA ${keptAs} RENAME TO ${SCHEMA};`,
  );
}

async function restoreAloud(address: PostgresAddress, file: string): Promise<Restored> {
  const progress = startProgress("Restoring the store");
  try {
    return await restoreIntoPostgres(address, file, {
      onProgress: (done, total, phase) => progress.update(done, total, `rows, ${phase}`),
    });
  } finally {
    progress.end();
  }
}
