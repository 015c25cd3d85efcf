/** `lineup import`: takes an organization's data from files. */
import { resolve } from "node:path";
import { RESOURCES } from "@lineup/api/endpoints";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import type { ImportSummary } from "../transfer/tables.ts";
import { addCommand, ORG_MEANING, withStore } from "./command.ts";
import { note, printJson, printTable } from "./output.ts";
import { withProgress } from "./progress.ts";

const NAMES = RESOURCES.map(({ name }) => name);
const LIST = new Intl.ListFormat("en-GB");

interface ImportOptions {
  readonly org: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function addTo(program: Command): void {
  addCommand(program, "import", `Import ${LIST.format(NAMES)}; all of it or nothing`, [
    'npx lineup import --org "Northwind Esports" --dry-run ./season',
    'npx lineup import --org "Northwind Esports" ./season',
    "npx lineup import --org org_… northwind.json --json",
  ])
    .argument(
      "<PATH>",
      `a folder with any of ${LIST.format(NAMES.map((name) => `${name}.csv`))}, or one .json file with those lists`,
    )
    .requiredOption("--org <ORG>", ORG_MEANING)
    .option("--dry-run", "check everything and say what would change, but write nothing")
    .option("--json", "print the summary as JSON")
    .action(importPath);
}

async function importPath(path: string, options: ImportOptions): Promise<void> {
  await withStore(async (store) => {
    const { importInto } = await import("../transfer/import.ts");
    const organization = await requireOrganization(store, options.org);
    const dryRun = options.dryRun === true;
    const summary = await withProgress(dryRun ? "Checking" : "Importing", ({ update }) =>
      importInto(
        store,
        organization.id,
        { path: resolve(path) },
        {
          origin: commandOrigin("import"),
          dryRun,
          onProgress: ({ phase, done, total }) => update(done, total, `${phase} rows`),
        },
      ),
    );
    const { id, name } = organization;
    if (options.json) return printJson({ organization: { id, name }, dryRun, tables: summary });
    printSummary(summary, name, dryRun);
  });
}

function printSummary(summary: ImportSummary, organization: string, dryRun: boolean): void {
  printTable(Object.entries(summary), [
    { title: "table", value: ([table]) => table },
    { title: dryRun ? "to create" : "created", value: ([, rows]) => rows.created.toLocaleString("en") },
    { title: dryRun ? "to update" : "updated", value: ([, rows]) => rows.updated.toLocaleString("en") },
    { title: "unchanged", value: ([, rows]) => rows.unchanged.toLocaleString("en") },
  ]);
  note(dryRun ? `Everything is in order; nothing was written to ${organization}.` : `Imported into ${organization}.`);
}
