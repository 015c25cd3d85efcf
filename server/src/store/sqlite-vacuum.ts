/**
 * Rewrites a SQLite file without its free pages and without what is left over inside of others: `secure_delete` overwrites what is deleted,
 * but not the copies that stay behind where pages were split or merged. Done in a thread of its own, because for a large file it takes
 * seconds; others read meanwhile, and writers wait.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export async function vacuumFile(file: string): Promise<void> {
  const worker = new Worker(new URL("./sqlite-vacuum-worker.ts", import.meta.url), { workerData: file });
  await once(worker, "exit");
}
