/** `lineup org …`: organizations. */
import { TIER_NAMES, TIERS, type Tier } from "@lineup/api/tiers";
import type { Command } from "commander";
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  type Organization,
  renameOrganization,
  requireName,
  requireOrganization,
  requireTier,
  setTier,
} from "../access/organizations.ts";
import { describeStore } from "../config.ts";
import { commandOrigin } from "../store/audit-entry.ts";
import type { Store } from "../store/store.ts";
import { addCommand, ORG_MEANING, withStore } from "./command.ts";
import {
  confirmDeletion,
  count,
  formatTime,
  type JsonOption,
  note,
  print,
  printJson,
  printTable,
  shellWord,
  understand,
  warn,
} from "./output.ts";

const MEANT = "The organization's name";
const TIER_HINT = `one of ${TIER_NAMES.join(", ")}`;

export function addTo(program: Command): void {
  const org = addCommand(program, "org", "Make, list, change and delete organizations", [
    "npx lineup org list",
    "npx lineup org create --help",
  ]);
  addCommand(org, "create", "Make an organization", [
    'npx lineup org create --name "Northwind Esports" --tier Pro',
    "npx lineup org create --name Northwind --json",
  ])
    .requiredOption("--name <NAME>", "its name, 1 to 200 characters")
    .option("--tier <TIER>", TIER_HINT, "Free")
    .option("--json", "print the organization as JSON")
    .action(create);
  addCommand(org, "list", "List all organizations", ["npx lineup org list", "npx lineup org list --json"])
    .option("--json", "print a JSON array")
    .action(list);
  addCommand(org, "rename", "Give an organization another name", [
    'npx lineup org rename Northwind "Northwind Esports"',
  ])
    .argument("<ORG>", ORG_MEANING)
    .argument("<NAME>", "the new name")
    .option("--json", "print the organization as JSON")
    .action(rename);
  addCommand(org, "tier", "Set the tier, and with it the limits of each of the organization's keys", [
    "npx lineup org tier Northwind Pro",
  ])
    .argument("<ORG>", ORG_MEANING)
    .argument("<TIER>", TIER_HINT)
    .option("--json", "print the organization as JSON")
    .action(changeTier);
  addCommand(org, "delete", "Delete an organization with its keys and all of its data, for good", [
    "npx lineup org delete Northwind",
    "npx lineup org delete Northwind --yes",
  ])
    .argument("<ORG>", ORG_MEANING)
    .option("--yes", "do not ask")
    .option("--json", "print the deleted organization as JSON")
    .action(remove);
}

async function create(options: JsonOption & { readonly name: string; readonly tier: string }): Promise<void> {
  const wanted = understand(() => ({ name: requireName(MEANT, options.name), tier: requireTier(options.tier) }));
  await withStore(
    async (store, config, { migrated }) => {
      const organization = await createOrganization(store, wanted, commandOrigin("org create"));
      await warnOfNamesakes(store, organization);
      if (options.json) return printJson(organization);
      print(`Made ${shown(organization)}: ${describeTier(organization.tier)}.`);
      if (migrated > 0) note(`This is the first one in a new store, in ${describeStore(config)}.`);
      note("To make a key for it:");
      note(`  npx lineup key create --org ${organization.id} --name "My integration" --permission players:read`);
    },
    { mayCreate: true },
  );
}

/** Names may repeat, but then only the id says which is meant. */
async function warnOfNamesakes(store: Store, { id, name }: Organization): Promise<void> {
  const namesakes = (await listOrganizations(store)).filter((other) => other.name === name && other.id !== id);
  if (namesakes.length === 0) return;
  warn(`Another organization has the same name. Commands need the id from now on: ${id} is the new one.`);
}

async function list(options: JsonOption): Promise<void> {
  await withStore(async (store) => {
    const organizations = await listOrganizations(store);
    if (options.json) return printJson(organizations);
    if (organizations.length === 0) return note('There is no organization yet. Make one with "lineup org create".');
    printTable(organizations, [
      { title: "id", value: (row) => row.id },
      { title: "name", value: (row) => row.name },
      { title: "tier", value: (row) => row.tier },
      { title: "keys in use", value: (row) => `${row.activeKeyCount} of ${row.keyCount}` },
      { title: "created", value: (row) => formatTime(row.createdAt) },
    ]);
  });
}

async function rename(ref: string, text: string, options: JsonOption): Promise<void> {
  const name = understand(() => requireName(MEANT, text));
  await withStore(async (store) => {
    const organization = await renameOrganization(store, ref, name, commandOrigin("org rename"));
    if (options.json) return printJson(organization);
    print(`Now named ${shown(organization)}.`);
  });
}

async function changeTier(ref: string, text: string, options: JsonOption): Promise<void> {
  const tier = understand(() => requireTier(text));
  await withStore(async (store) => {
    const organization = await setTier(store, ref, tier, commandOrigin("org tier"));
    if (options.json) return printJson(organization);
    print(`${shown(organization)} is on tier ${describeTier(organization.tier)}.`);
  });
}

async function remove(ref: string, options: JsonOption & { readonly yes?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const organization = await requireOrganization(store, ref);
    if (!options.yes) {
      const org = store.org(organization.id);
      const players = await org.countRows(org.selectFrom("players").select("players.id"));
      await confirmDeletion({
        what: shown(organization),
        question: `Delete ${shown(organization)}, its keys and all of its data (${count(players, "player")})?`,
        name: organization.name,
        command: `npx lineup org delete ${shellWord(organization.id)}`,
      });
    }
    await deleteOrganization(store, organization.id, commandOrigin("org delete"));
    if (options.json) return printJson(organization);
    print(`Deleted ${shown(organization)}, its keys and all of its data.`);
  });
}

function shown(organization: Organization): string {
  return `${organization.name} (${organization.id})`;
}

function describeTier(tier: Tier): string {
  const { perMinute, perDay } = TIERS[tier];
  return `${tier}, ${perMinute.toLocaleString("en")} requests a minute and ${perDay.toLocaleString("en")} a day for each key`;
}
