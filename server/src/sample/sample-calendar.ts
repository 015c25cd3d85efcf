/** Moments of the sample, all relative to the moment it is made, on full hours as calendars have them. */
import { DAY_MS } from "@lineup/api/tiers";

const HOUR_MS = DAY_MS / 24;
const MINUTE_MS = HOUR_MS / 60;

export interface SampleCalendar {
  /** A time of day (UTC), so many days from today; before today where negative. */
  at(days: number, hour?: number, minute?: number): number;
  /** So many minutes from now, on a multiple of five. */
  minutesFromNow(minutes: number): number;
}

export function makeCalendar(now: number): SampleCalendar {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const fiveMinutes = 5 * MINUTE_MS;
  return {
    at: (days, hour = 0, minute = 0) => today + days * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS,
    minutesFromNow: (minutes) => Math.floor((now + minutes * MINUTE_MS) / fiveMinutes) * fiveMinutes,
  };
}

/** Numbers that look drawn and are the same every time: from 0 up to, not including, 1. */
export function makeDraw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
