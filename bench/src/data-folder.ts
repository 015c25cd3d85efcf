/** A folder for the stores of a run, on the disk to be measured, which is gone when the run is over, however it ends. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

export async function withDataFolder<T>(root: string, work: (dataDir: string) => Promise<T>): Promise<T> {
  mkdirSync(root, { recursive: true });
  const dataDir = mkdtempSync(join(root, "run-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  const giveUp = () => {
    remove();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, giveUp);
  try {
    return await work(dataDir);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, giveUp);
    remove();
  }
}
