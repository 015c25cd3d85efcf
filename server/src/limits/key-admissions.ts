/** One key's admissions, as an engine holds them and as the journal writes them down and brings them back. */
import { DAY_MS } from "@lineup/api/tiers";
import { AdmissionRing } from "./ring.ts";

/** What `settledTo` is where chunks must be written anew from the ring, whatever stands in them. */
export const TO_BE_REWRITTEN = -1;

/** What of a ring is written. */
export interface WritableRing {
  readonly length: number;
  readonly newestMs: number;
  advance(nowMs: number): void;
  ageMs(index: number, nowMs: number): number;
}

/** The admissions in the ring are the last before `nextNumber`. */
export interface KeyAdmissions<Ring extends WritableRing = AdmissionRing> {
  readonly keyId: string;
  readonly ring: Ring;
  nextNumber: number;
  /** Admissions below this number are in the file, unless they have left the window. */
  writtenTo: number;
  /** Those below this number are in chunks. Where it is less than `writtenTo`, passes have the rest. */
  settledTo: number;
  /** No chunk below this one is in the file. */
  firstChunk: number;
}

export function createKeyAdmissions(keyId: string): KeyAdmissions {
  return { keyId, ring: new AdmissionRing(DAY_MS), nextNumber: 0, writtenTo: 0, settledTo: 0, firstChunk: 0 };
}

/**
 * Counts admissions that come from the file, in the order of their numbers; `offsetMs` is how far its timeline is ahead of the monotonic
 * clock. Times never decrease with the numbers, and none is in the future; where a clock set back between two runs made them so, they are
 * changed, and `writtenTo` stays at the first of those.
 */
export function restoreAdmissions(
  key: KeyAdmissions,
  first: number,
  times: ArrayLike<number>,
  nowMs: number,
  offsetMs: number,
): void {
  const { ring } = key;
  const end = first + times.length;
  let changedFrom = key.writtenTo < key.nextNumber ? key.writtenTo : end;
  for (let number = first; number < end; number++) {
    const writtenMs = (times[number - first] as number) - offsetMs;
    const timeMs = Math.max(Math.min(writtenMs, nowMs), ring.newestMs);
    if (nowMs - timeMs >= DAY_MS) continue;
    ring.push(timeMs);
    if (timeMs !== writtenMs) changedFrom = Math.min(changedFrom, number);
  }
  key.nextNumber = end;
  key.writtenTo = changedFrom;
}
