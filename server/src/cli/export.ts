/** `lineup export`: writes an organization's data as files that `lineup import` reads. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { requireOrganization } from "../access/organizations.ts";
import { addCommand, ORG_MEANING, withStore } from "./command.ts";
import { CommandError, type JsonOption, note, printJson, printTable } from "./output.ts";
import { withProgress } from "./progress.ts";

const PATH_HINT = "Name a folder for the CSV files, or one .json file.";

export function addTo(program: Command): void {
  addCommand(program, "export", "Write an organization's data to files that import reads; keys are not among it", [
    'npx lineup export --org "Northwind Esports" ./northwind',
    "npx lineup export --org org_… northwind.json",
  ])
    .argument("<PATH>", "a folder for the CSV files, or the name of one .json file")
    .requiredOption("--org <ORG>", ORG_MEANING)
    .option("--json", "print the summary as JSON")
    .action(exportPath);
}

async function exportPath(path: string, options: JsonOption & { readonly org: string }): Promise<void> {
  const target = resolve(path);
  const found = statSync(target, { throwIfNoEntry: false });
  if (found !== undefined && found.isDirectory() === target.toLowerCase().endsWith(".json")) {
    throw new CommandError(
      `${target} is there and is ${found.isDirectory() ? "a folder" : "no .json file"}. ${PATH_HINT}`,
    );
  }
  await withStore(async (store) => {
    const { exportFrom } = await import("../transfer/export.ts");
    const { id, name } = await requireOrganization(store, options.org);
    const rows = await withProgress("Exporting", ({ update }) =>
      exportFrom(store, id, target, { onProgress: ({ table, done }) => update(done, 0, table) }),
    );
    if (options.json) return printJson({ organization: { id, name }, path: target, rows });
    printTable(Object.entries(rows), [
      { title: "table", value: ([table]) => table },
      { title: "rows", value: ([, number]) => number.toLocaleString("en") },
    ]);
    note(`Wrote ${name} to ${target}.`);
  });
}
