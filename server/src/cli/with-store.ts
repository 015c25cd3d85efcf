/** The frame of every command that works on the store: settings, folder, store, and all of it closed at the end. */
import { type Config, readConfig } from "../config.ts";
import { joinDataFolder, requireStoreIn } from "../store/data-folder.ts";
import { type OpenedSqlite, openSqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { warn } from "./output.ts";

export interface WithStoreOptions {
  /** Whether a folder without a store gets one; otherwise it is taken for a mistyped name. */
  readonly mayCreate?: boolean;
}

export function readConfigAloud(): Config {
  const config = readConfig();
  for (const warning of config.warnings) warn(warning);
  return config;
}

export async function withStore<T>(
  work: (store: Store, config: Config, opened: OpenedSqlite) => Promise<T>,
  options: WithStoreOptions = {},
): Promise<T> {
  const config = readConfigAloud();
  if (options.mayCreate !== true) requireStoreIn(config.dataDir);
  const lock = joinDataFolder(config.dataDir);
  try {
    const opened = await openSqliteStore(config.dataDir);
    try {
      return await work(opened.store, config, opened);
    } finally {
      await opened.store.close();
    }
  } finally {
    lock.release();
  }
}
