/** A folder for the stores of a run, on the disk to be measured, which is gone when the run is over, however it ends. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

/** Somebody presses Ctrl-C, ends it, or closes the terminal. */
const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function withDataFolder<T>(root: string, work: (dataDir: string) => Promise<T>): Promise<T> {
  mkdirSync(root, { recursive: true });
  const dataDir = mkdtempSync(join(root, "run-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  const giveUp = (signal: NodeJS.Signals) => {
    remove();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of ENDINGS) process.once(signal, giveUp);
  try {
    return await work(dataDir);
  } finally {
    for (const signal of ENDINGS) process.off(signal, giveUp);
    remove();
  }
}
