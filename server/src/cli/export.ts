/** `lineup export`: writes an organization's data as files that `lineup import` reads. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import { addExamples } from "./examples.ts";
import { print, printJson } from "./output.ts";
import { withStore } from "./with-store.ts";

interface ExportOptions {
  readonly org: string;
  readonly json?: boolean;
}

export function addTo(program: Command): void {
  addExamples(
    program
      .command("export")
      .description("Write an organization's data to files that import reads; keys are not among it")
      .argument("<PATH>", "a folder for the six CSV files, or the name of one .json file")
      .requiredOption("--org <ORG>", "the organization's id or exact name")
      .option("--json", "print the summary as JSON")
      .action(exportPath),
    ['npx lineup export --org "Northwind Esports" ./northwind', "npx lineup export --org org_… northwind.json"],
  );
}

async function exportPath(path: string, options: ExportOptions): Promise<void> {
  await withStore(async (store) => {
    const { exportFrom } = await import("../transfer/export.ts");
    const organization = await requireOrganization(store, options.org);
    const summary = await exportFrom(store, organization.id, resolve(path));
    if (options.json) return printJson(summary);
    print(JSON.stringify(summary));
  });
}
