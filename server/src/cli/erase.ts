/** `lineup erase`: takes a person out of the data, the logs and the files of the store. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { Config } from "../config.ts";
import { type Erasure, erasePerson, previewErasure } from "../erasure/erase-person.ts";
import { findOwner, listErased } from "../erasure/erased-list.ts";
import { sweepErasures } from "../erasure/sweep.ts";
import { type BlockStore, postgresBlocks } from "../request-log/request-block.ts";
import { SqliteBlocks } from "../request-log/sqlite-blocks.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import { REQUESTS_FILE, STORE_FILE } from "../store/data-folder.ts";
import { findAddress, listKeptSchemas } from "../store/postgres-snapshot.ts";
import type { Store } from "../store/store.ts";
import { addCommand, withStore } from "./command.ts";
import {
  CommandError,
  confirmDeletion,
  count,
  explainFailure,
  formatTime,
  type JsonOption,
  note,
  print,
  printJson,
  printTable,
  shellWord,
  UsageError,
  visible,
  warn,
} from "./output.ts";

interface EraseOptions extends JsonOption {
  readonly yes?: boolean;
  readonly list?: boolean;
}

export function addTo(program: Command): void {
  const description =
    "Erase a person: delete the player or prospect with all that belongs to it, and take every value about them out of the logs and files";
  addCommand(program, "erase", description, [
    "npx lineup erase player_01k3v2m9x8e4r7t2y6u1i5o0pa",
    "npx lineup erase prospect_01k3v2m9x8e4r7t2y6u1i5o0pa --yes --json",
    "npx lineup erase --list",
  ])
    .argument("[ID...]", "ids of players or prospects, also of deleted ones; one that was erased before is swept again")
    .option("--yes", "do not ask")
    .option("--list", "print what was erased, by id, instead")
    .option("--json", "print what was done as JSON")
    .action(erase);
}

async function erase(ids: readonly string[], options: EraseOptions): Promise<void> {
  if (options.list === true) return list(options);
  if (ids.length === 0) throw new UsageError("Name the player or prospect to erase by its id, or add --list.");
  await withStore(async (store, config) => {
    const done: (Erasure & { readonly id: string; readonly orgId: string })[] = [];
    for (const id of new Set(ids)) {
      const owner = await findOwner(store, id);
      if (owner === undefined)
        throw new CommandError(
          `No player or prospect has the id ${id}, and nothing was erased of it. GET /players and GET /prospects tell ids; the audit log tells those of deleted records.`,
        );
      if (owner.isErased) {
        if (!done.some(({ people }) => people.some((one) => one.id === id)))
          note(`${id} was erased before; sweeping again.`);
      } else done.push({ id, orgId: owner.orgId, ...(await eraseOne(store, owner.orgId, id, options)) });
    }
    await sweep(store, config, ids);
    if (options.json) printJson(done);
    else for (const one of done) print(`Erased ${describe(one)}.`);
    await printCopies(config);
  });
}

async function eraseOne(store: Store, orgId: string, id: string, { yes }: EraseOptions): Promise<Erasure> {
  if (yes !== true) {
    const preview = await previewErasure(store, orgId, id);
    const [first] = preview.people;
    await confirmDeletion({
      what: `${first?.name ?? id}`,
      question: `Erase ${describe(preview)}, with every value about them in the logs?`,
      name: first?.name ?? id,
      command: `npx lineup erase ${shellWord(id)}`,
    });
  }
  return erasePerson(store, orgId, id, commandOrigin("erase"));
}

/** "Viper (player …) and Viper (prospect …), with 2 assignments and 1 contract" */
function describe({ people, assignments, contracts }: Erasure): string {
  const who = people.map(({ kind, id, name }) => `${name} (${kind} ${id})`).join(" and ");
  return `${visible(who)}, with ${count(assignments, "assignment")} and ${count(contracts, "contract")}`;
}

async function sweep(store: Store, config: Config, ids: readonly string[]): Promise<void> {
  const blocks = openBlocks(store, config);
  try {
    await store.writeUse(async (db) => {
      await db.updateTable("erasures").set({ swept_at: null }).where("record_id", "in", ids).execute();
    });
    await sweepErasures({ store, blocks });
  } finally {
    await blocks?.close();
  }
}

function openBlocks(store: Store, { dataDir }: Config): BlockStore | undefined {
  if (store.kind === "postgres") return postgresBlocks(store);
  const file = join(dataDir, REQUESTS_FILE);
  if (!existsSync(file)) return undefined;
  return new SqliteBlocks(file, warn);
}

/** Copies that Lineup has made itself, and that hold what was there before. */
async function printCopies(config: Config): Promise<void> {
  const copies = listCopies(config);
  if (copies.length > 0) note(`Copies from before still hold them. Remove those you do not need: ${copies.join(", ")}`);
  if (config.databaseUrl === undefined) {
    note("A backup from before holds them too; restoring it here erases them again.");
    return;
  }
  const schemas = await listKept(config);
  if (schemas.length > 0) {
    note("Stores that were put aside in the database still hold them. Drop those you do not need:");
    for (const schema of schemas) note(`  DROP SCHEMA ${schema} CASCADE;`);
  }
  note(
    "Backups, replicas and archived journals of PostgreSQL still hold them; docs/people-and-audit.md says what to do.",
  );
}

async function listKept(config: Config): Promise<string[]> {
  const address = findAddress(config);
  if (address === undefined) return [];
  return listKeptSchemas(address).catch((error) => {
    warn(`What else the database keeps could not be looked up. ${explainFailure(error)}`);
    return [];
  });
}

/** Of a store that was moved to a database, all that is left of it in the folder. */
function listCopies({ dataDir, databaseUrl }: Config): string[] {
  const starts = databaseUrl === undefined ? [`${STORE_FILE}.before-`] : [STORE_FILE, REQUESTS_FILE];
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  return names.filter((name) => starts.some((start) => name.startsWith(start))).map((name) => join(dataDir, name));
}

async function list(options: EraseOptions): Promise<void> {
  await withStore(async (store) => {
    const erased = await listErased(store);
    if (options.json) return printJson(erased);
    if (erased.length === 0) return note("Nobody was erased.");
    printTable(erased, [
      { title: "organization", value: (row) => row.orgId },
      { title: "record", value: (row) => row.recordId },
      { title: "erased", value: (row) => formatTime(row.at) },
    ]);
  });
}
