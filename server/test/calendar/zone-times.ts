/**
 * Moments around the changes of clocks, and what clocks show then: written by hand, from the laws and not from a library. In Berlin they change on
 * 25 October 2026 and 28 March 2027, in New York on 1 November 2026 and 14 March 2027, in Sydney on 4 October 2026 and 4 April 2027, in
 * Kolkata never.
 */
export const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"] as const;
export type Zone = (typeof ZONES)[number];

interface Moment {
  readonly title: string;
  readonly startsAt: number;
  readonly there: Readonly<Record<Zone, string>>;
}

function moment(title: string, utc: string, berlin: string, newYork: string, sydney: string, kolkata: string): Moment {
  const there = {
    "Europe/Berlin": berlin,
    "America/New_York": newYork,
    "Australia/Sydney": sydney,
    "Asia/Kolkata": kolkata,
  };
  return { title, startsAt: Date.parse(utc), there };
}

/** In order of time. */
export const CHANGES_OF_CLOCKS: readonly Moment[] = [
  moment(
    "Before Sydney's spring",
    "2026-10-03T15:59:00Z",
    "2026-10-03 17:59",
    "2026-10-03 11:59",
    "2026-10-04 01:59",
    "2026-10-03 21:29",
  ),
  moment(
    "Sydney's spring",
    "2026-10-03T16:00:00Z",
    "2026-10-03 18:00",
    "2026-10-03 12:00",
    "2026-10-04 03:00",
    "2026-10-03 21:30",
  ),
  moment(
    "Before Berlin's autumn",
    "2026-10-25T00:30:00Z",
    "2026-10-25 02:30",
    "2026-10-24 20:30",
    "2026-10-25 11:30",
    "2026-10-25 06:00",
  ),
  moment(
    "Berlin's autumn",
    "2026-10-25T01:30:00Z",
    "2026-10-25 02:30",
    "2026-10-24 21:30",
    "2026-10-25 12:30",
    "2026-10-25 07:00",
  ),
  moment(
    "Before New York's autumn",
    "2026-11-01T05:30:00Z",
    "2026-11-01 06:30",
    "2026-11-01 01:30",
    "2026-11-01 16:30",
    "2026-11-01 11:00",
  ),
  moment(
    "New York's autumn",
    "2026-11-01T06:30:00Z",
    "2026-11-01 07:30",
    "2026-11-01 01:30",
    "2026-11-01 17:30",
    "2026-11-01 12:00",
  ),
  moment(
    "Winter",
    "2027-01-09T18:00:00Z",
    "2027-01-09 19:00",
    "2027-01-09 13:00",
    "2027-01-10 05:00",
    "2027-01-09 23:30",
  ),
  moment(
    "Before New York's spring",
    "2027-03-14T06:59:00Z",
    "2027-03-14 07:59",
    "2027-03-14 01:59",
    "2027-03-14 17:59",
    "2027-03-14 12:29",
  ),
  moment(
    "New York's spring",
    "2027-03-14T07:00:00Z",
    "2027-03-14 08:00",
    "2027-03-14 03:00",
    "2027-03-14 18:00",
    "2027-03-14 12:30",
  ),
  moment(
    "Before Berlin's spring",
    "2027-03-28T00:59:00Z",
    "2027-03-28 01:59",
    "2027-03-27 20:59",
    "2027-03-28 11:59",
    "2027-03-28 06:29",
  ),
  moment(
    "Berlin's spring",
    "2027-03-28T01:00:00Z",
    "2027-03-28 03:00",
    "2027-03-27 21:00",
    "2027-03-28 12:00",
    "2027-03-28 06:30",
  ),
  moment(
    "Before Sydney's autumn",
    "2027-04-03T15:30:00Z",
    "2027-04-03 17:30",
    "2027-04-03 11:30",
    "2027-04-04 02:30",
    "2027-04-03 21:00",
  ),
  moment(
    "Sydney's autumn",
    "2027-04-03T16:30:00Z",
    "2027-04-03 18:30",
    "2027-04-03 12:30",
    "2027-04-04 02:30",
    "2027-04-03 22:00",
  ),
];
