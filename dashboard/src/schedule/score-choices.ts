/** The ways in which a series can end: of three games 2–0, 2–1, 1–2 and 0–2. */
import type { ScheduleEntry } from "@lineup/api/schedule";

export type Score = NonNullable<ScheduleEntry["result"]>;

/** Beyond that there would be more buttons than two fields are worth. */
const CHOSEN_UP_TO = 7;

/** Won ones first, from the clearest on; none where the length of the series is not known, or long. */
export function listScores(bestOf: number | null): Score[] {
  if (bestOf === null || bestOf > CHOSEN_UP_TO) return [];
  const needed = (bestOf + 1) / 2;
  const others = Array.from({ length: needed }, (_, index) => index);
  return [
    ...others.map((opponent) => ({ own: needed, opponent })),
    ...others.toReversed().map((own) => ({ own, opponent: needed })),
  ];
}

export function sayScore({ own, opponent }: Score): string {
  return `${own}–${opponent}`;
}
