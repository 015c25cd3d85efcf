/** `lineup restore`: a backup takes the store's place. */
import type { Command } from "commander";
import { type Config, describeStore } from "../config.ts";
import { type ErasedRecord, eraseListedAgain, readErasedIn } from "../erasure/erased-list.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { MARKS_FILE, setMarksAside } from "../store/audit-marks.ts";
import { SCHEMA } from "../store/postgres-migrations.ts";
import { findAddress, type PostgresAddress } from "../store/postgres-snapshot.ts";
import { type Prepare, type Restored, restoreFrom, restoreIntoPostgres } from "../store/restore-store.ts";
import { requireSecret } from "../store/secret-file.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { reasonOf } from "../store/store-error.ts";
import { addCommand, readConfigAloud } from "./command.ts";
import { count, note, print, printJson, shellWord, warn } from "./output.ts";
import { withProgress } from "./progress.ts";

export function addTo(program: Command): void {
  const description =
    "Put a backup in the store's place, after checking it; refused while a server runs. The present store is kept beside it";
  addCommand(program, "restore", description, ["npx lineup restore /var/backups/lineup-2026-01-31.db"])
    .argument("<FILE>", 'a file that "lineup backup" wrote')
    .option("--json", "print what was done as JSON")
    .action(restore);
}

async function restore(file: string, options: { readonly json?: boolean }): Promise<void> {
  const config = readConfigAloud();
  const address = findAddress(config);
  // Of the store that is to be replaced. One that is damaged may not tell.
  const erased = await readErasedIn(config.dataDir, address).catch((error: unknown) => {
    warn(`The present store does not tell who was erased (${reasonOf(error)}).`);
    return undefined;
  });
  let erasedAgain = 0;
  const prepare = async (folder: string) => {
    erasedAgain = await eraseIn(folder, config, erased ?? []);
  };
  const { keptAs, migrated } =
    address === undefined
      ? await restoreFrom(config.dataDir, file, new Date(), prepare)
      : await restoreAloud(address, file, prepare);
  const hadMarks = await setMarksAside(config.dataDir);
  const store = describeStore(config);
  if (options.json) return printJson({ store, dataDir: config.dataDir, keptAs: keptAs ?? null, migrated, erasedAgain });
  print(`Restored ${file} into ${store}.`);
  if (migrated > 0) print(`Took ${count(migrated, "step")} to bring its schema up to date.`);
  if (erasedAgain > 0) print(`Erased ${count(erasedAgain, "record")} again that had been erased since.`);
  if (erased === undefined) {
    note(
      "There was no list here of whom to erase again. If somebody was erased since the backup was made, erase them now; " +
        '"lineup erase --list" on the store that was in use prints their ids.',
    );
  }
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

function restoreAloud(address: PostgresAddress, file: string, prepare: Prepare): Promise<Restored> {
  return withProgress("Restoring the store", ({ update }) =>
    restoreIntoPostgres(address, file, {
      onProgress: (done, total, phase) => update(done, total, `rows, ${phase}`),
      prepare,
    }),
  );
}

/** The copy of the backup is not to bring anybody back. */
async function eraseIn(folder: string, config: Config, erased: readonly ErasedRecord[]): Promise<number> {
  if (erased.length === 0) return 0;
  const { store } = await openSqliteStore(folder, { secret: requireSecret(config) });
  try {
    const records = await eraseListedAgain(store, erased, commandOrigin("restore"));
    if (records > 0) await store.sweep(new Set(erased.map(({ orgId }) => orgId)));
    return records;
  } finally {
    await store.close();
  }
}
