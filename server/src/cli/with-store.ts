/** The frame of every command that works on the store: settings, folder, store, and all of it closed at the end. */
import { type Config, readConfig } from "../config.ts";
import { joinDataFolder } from "../store/data-folder.ts";
import { explainMarksFault, type OpenedStore, openStore, requireStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { warn } from "./output.ts";

export interface WithStoreOptions {
  /** Whether a folder or database without a store gets one; otherwise it is taken for a mistyped name. */
  readonly mayCreate?: boolean;
}

export function readConfigAloud(): Config {
  const config = readConfig();
  for (const warning of config.warnings) warn(warning);
  return config;
}

export async function withStore<T>(
  work: (store: Store, config: Config, opened: OpenedStore) => Promise<T>,
  options: WithStoreOptions = {},
): Promise<T> {
  const config = readConfigAloud();
  if (options.mayCreate !== true) await requireStore(config);
  // A database looks after itself; a folder has files that a restore puts in place.
  const lock = config.databaseUrl === undefined ? joinDataFolder(config.dataDir) : undefined;
  try {
    const opened = await openStore(config, { onMarksFault: (error) => warn(explainMarksFault(error)) });
    try {
      return await work(opened.store, config, opened);
    } finally {
      await opened.store.close();
    }
  } finally {
    lock?.release();
  }
}
