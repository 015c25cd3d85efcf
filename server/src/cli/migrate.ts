/** `lineup migrate`: brings the schema up to date without serving. */
import type { Command } from "commander";
import { describeStore } from "../config.ts";
import { POSTGRES_MIGRATIONS } from "../store/postgres-migrations.ts";
import { MIGRATIONS } from "../store/sqlite-migrations.ts";
import { addExamples } from "./examples.ts";
import { count, print, printJson } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addTo(program: Command): void {
  addExamples(
    program
      .command("migrate")
      .description("Bring the store's schema up to date; serve does so too")
      .option("--json", "print what was done as JSON")
      .action(migrate),
    ["npx lineup migrate"],
  );
}

async function migrate(options: { readonly json?: boolean }): Promise<void> {
  await withStore(
    async (store, config, { migrated }) => {
      const schema = (store.kind === "sqlite" ? MIGRATIONS : POSTGRES_MIGRATIONS).length;
      if (options.json) return printJson({ migrated, schema, store: describeStore(config), dataDir: config.dataDir });
      if (migrated === 0) print(`The schema was up to date (step ${schema}).`);
      else print(`Took ${count(migrated, "step")}; the schema is up to date (step ${schema}).`);
    },
    { mayCreate: true },
  );
}
