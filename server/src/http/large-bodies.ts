/** Bodies of many megabytes are read and worked on a few at a time, so that the memory they take is bounded whoever sends them. */
import { type Action, TooManyTries } from "@lineup/api/dashboard/action";

const AT_ONCE = 2;
const WAIT_MS = 3_000;
let taken = 0;

/** From before the body is read until the work is done. */
export async function withSlot<T>(action: Action, work: () => Promise<T>): Promise<T> {
  if (action.bodyMaxBytes === undefined) return work();
  if (taken >= AT_ONCE) {
    throw new TooManyTries("Others are sending files just now. Try again in a few seconds.", WAIT_MS);
  }
  taken += 1;
  try {
    return await work();
  } finally {
    taken -= 1;
  }
}
