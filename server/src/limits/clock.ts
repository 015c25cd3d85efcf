/**
 * Windows are counted on the monotonic clock, which no correction of the wall clock can move; the wall clock serves only to
 * tell clients when a window resets, and to remember admissions across a restart of the machine.
 */
import { readFileSync, readlinkSync } from "node:fs";

export interface Clock {
  /** Milliseconds since the Unix epoch, as an integer. */
  wallMs(): number;
  /** Milliseconds since some fixed moment, as an integer that never decreases while the process runs. */
  monotonicMs(): number;
  /** Processes with the same one read the same monotonic clock. Undefined where that is not known. */
  readonly bootId?: string | undefined;
}

/**
 * Both clocks are cut to whole milliseconds, each at its own phase, so that their difference flickers between two
 * neighbouring integers. The wall time is therefore the monotonic time plus the larger of the two: a reset announced to a
 * client stays the same from one response to the next and is never early, at the price of up to a millisecond.
 */
function createSystemClock(): Clock {
  let offsetMs = Number.NEGATIVE_INFINITY;
  // Not `performance.now`, which begins with the process: this one begins with the machine.
  const monotonicMs = () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + Math.floor(nanoseconds / 1_000_000);
  };
  return {
    monotonicMs,
    bootId: readBootId(),
    wallMs() {
      const monotonic = monotonicMs();
      const sampledMs = Date.now() - monotonic;
      if (sampledMs > offsetMs || sampledMs < offsetMs - 1) offsetMs = sampledMs;
      return monotonic + offsetMs;
    },
  };
}

/** Linux alone tells one run of the machine from another. A container may have a monotonic clock of its own, its time namespace. */
function readBootId(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/time")}`;
  } catch {
    return undefined;
  }
}

export const systemClock: Clock = createSystemClock();
