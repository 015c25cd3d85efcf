/** What commands are made of: how each is declared, with examples that its help shows last, and the frame of those that work on the store. */
import type { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
import type { OpenedStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { warn } from "./output.ts";

const examplesOf = new WeakMap<Command, readonly string[]>();

export function addCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly [string, ...string[]],
): Command {
  const command = parent.command(name).description(description);
  examplesOf.set(command, examples);
  return command;
}

export function listExamples(command: Command): readonly string[] {
  return examplesOf.get(command) ?? [];
}

/** Collects what an option is given, repeated or with commas. */
export function addToList(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(",")];
}

/** What `--org` and `<ORG>` mean, wherever they stand. */
export const ORG_MEANING = "the organization's id or exact name";

export function readConfigAloud(): Config {
  const config = readConfig();
  for (const warning of config.warnings) warn(warning);
  return config;
}

/**
 * Settings, folder, store, and all of it closed at the end. A folder or database without a store is taken for a mistyped name, unless the
 * command may make one there.
 */
export async function withStore(
  work: (store: Store, config: Config, opened: OpenedStore) => Promise<void>,
  { mayCreate = false } = {},
): Promise<void> {
  const { joinDataFolder } = await import("../store/data-folder.ts");
  const { explainMarksFault, openStore, requireStore } = await import("../store/open-store.ts");
  const config = readConfigAloud();
  if (!mayCreate) await requireStore(config);
  // A database looks after itself; a folder has files that a restore puts in place.
  const lock = config.databaseUrl === undefined ? joinDataFolder(config.dataDir) : undefined;
  try {
    const opened = await openStore(config, { onMarksFault: (error) => warn(explainMarksFault(error)) });
    try {
      await work(opened.store, config, opened);
    } finally {
      await opened.store.close();
    }
  } finally {
    lock?.release();
  }
}
