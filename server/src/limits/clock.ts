/**
 * Windows are counted on the monotonic clock, which no correction of the wall clock can move; the wall clock serves only to
 * tell clients when a window resets and to remember admissions across restarts.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, as an integer. */
  wallMs(): number;
  /** Milliseconds since some fixed moment, as an integer that never decreases while the process runs. */
  monotonicMs(): number;
}

/**
 * Both clocks are cut to whole milliseconds, each at its own phase, so that their difference flickers between two
 * neighbouring integers. The wall time is therefore the monotonic time plus the larger of the two: a reset announced to a
 * client stays the same from one response to the next and is never early, at the price of up to a millisecond.
 */
function createSystemClock(): Clock {
  let offsetMs = Number.NEGATIVE_INFINITY;
  const monotonicMs = () => Math.floor(performance.now());
  return {
    monotonicMs,
    wallMs() {
      const monotonic = monotonicMs();
      const sampledMs = Date.now() - monotonic;
      if (sampledMs > offsetMs || sampledMs < offsetMs - 1) offsetMs = sampledMs;
      return monotonic + offsetMs;
    },
  };
}

export const systemClock: Clock = createSystemClock();
