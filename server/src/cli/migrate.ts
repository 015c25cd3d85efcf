/** `lineup migrate`: brings the schema up to date without serving. */
import type { Command } from "commander";
import { describeStore } from "../config.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { explainBrokenChain } from "../store/open-store.ts";
import { POSTGRES_MIGRATIONS } from "../store/postgres-migrations.ts";
import { findSecret } from "../store/secret-file.ts";
import { MIGRATIONS } from "../store/sqlite-migrations.ts";
import { addCommand, withStore } from "./command.ts";
import { count, print, printJson, warn } from "./output.ts";

const ORIGIN = commandOrigin("migrate");

export function addTo(program: Command): void {
  addCommand(program, "migrate", "Bring the store's schema up to date; serve does so too", ["npx lineup migrate"])
    .option("--json", "print what was done as JSON")
    .action(migrate);
}

async function migrate(options: { readonly json?: boolean }): Promise<void> {
  await withStore(
    async (store, config, { migrated }) => {
      const schema = (store.kind === "sqlite" ? MIGRATIONS : POSTGRES_MIGRATIONS).length;
      // Without the secret that is left to the first server that starts.
      const hasSecret = findSecret(config) !== undefined;
      const { entries, broken } = hasSecret ? await store.convertChains(ORIGIN) : { entries: 0, broken: [] };
      for (const chain of broken) warn(explainBrokenChain(chain));
      if (options.json) {
        return printJson({
          migrated,
          schema,
          converted: entries,
          store: describeStore(config),
          dataDir: config.dataDir,
        });
      }
      if (entries > 0) print(`Made ${count(entries, "entry", "entries")} of the audit log ready for erasing.`);
      if (migrated === 0) print(`The schema was up to date (step ${schema}).`);
      else print(`Took ${count(migrated, "step")}; the schema is up to date (step ${schema}).`);
    },
    { mayCreate: true },
  );
}
