/** Exports are made a few at a time, and of each organization one: each holds a whole file in memory. */
import { TooManyTries } from "@lineup/api/dashboard/action";

const AT_ONCE = 2;
const WAIT_MS = 5_000;
const exporting = new Set<string>();

export async function exportInTurn<T>(orgId: string, work: () => Promise<T>): Promise<T> {
  if (exporting.has(orgId) || exporting.size >= AT_ONCE) {
    throw new TooManyTries("Another export is being made. Try again in a few seconds.", WAIT_MS);
  }
  exporting.add(orgId);
  try {
    return await work();
  } finally {
    exporting.delete(orgId);
  }
}
