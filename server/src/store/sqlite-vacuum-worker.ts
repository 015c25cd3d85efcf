/** See `vacuumFile` of sqlite-driver.ts. */
import { workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

/** How long it waits for a writer, and for those who still read what was before. */
const PATIENCE_MS = 20_000;

const connection = new Sqlite(workerData as string, { fileMustExist: true, timeout: PATIENCE_MS });
try {
  connection.exec("VACUUM");
  // What was before is in the journal too, until nothing of it is left.
  const [result] = connection.pragma("wal_checkpoint(TRUNCATE)") as { readonly busy: number }[];
  if (result?.busy !== 0) throw new Error("Somebody is still reading what was in the file before. Try again.");
} finally {
  connection.close();
}
