/** How long entries last, which of them lie in a span of time, and which of one team overlap. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { TimeSpan } from "./calendar-days.ts";

const HOUR_MS = 3_600_000;

/** How long the API takes an entry without an end to last; a test holds the two together. */
export const OPEN_END_MS = 6 * HOUR_MS;

type Timed = Pick<ScheduleEntry, "startsAt" | "endsAt">;

export function endOf({ startsAt, endsAt }: Timed): number {
  return endsAt ?? startsAt + OPEN_END_MS;
}

/** Those that begin, last or end in it, soonest first. */
export function listWithin<E extends Timed>(events: readonly E[], { from, until }: TimeSpan): E[] {
  return events
    .filter((event) => event.startsAt < until && (endOf(event) > from || event.startsAt >= from))
    .sort((one, other) => one.startsAt - other.startsAt);
}

/** Those of one team that overlap, each with at least one other of them. */
export interface Clash {
  readonly teamId: string;
  readonly events: readonly ScheduleEntry[];
}

/** What is cancelled or postponed takes nobody's time. */
function takesTime({ status }: ScheduleEntry): boolean {
  return status !== "cancelled" && status !== "postponed";
}

export function doOverlap(one: Timed, other: Timed): boolean {
  return one.startsAt < lastMomentOf(other) && other.startsAt < lastMomentOf(one);
}

/** An entry that ends as it begins takes that moment all the same. */
function lastMomentOf(event: Timed): number {
  return Math.max(endOf(event), event.startsAt + 1);
}

/** All clashes, soonest first: one pass over each team's entries in their order, however many overlap. */
export function findClashes(events: readonly ScheduleEntry[]): Clash[] {
  const ofTeams = Map.groupBy(
    events.filter((event) => event.teamId !== null && takesTime(event)),
    (event) => event.teamId ?? "",
  );
  const clashes = [...ofTeams].flatMap(([teamId, ofTeam]) =>
    chainOverlaps(ofTeam)
      .filter((chain) => chain.length > 1)
      .map((chain) => ({ teamId, events: chain })),
  );
  return clashes.sort((one, other) => startOf(one) - startOf(other));
}

function startOf({ events }: Clash): number {
  return events[0]?.startsAt ?? 0;
}

function chainOverlaps(events: readonly ScheduleEntry[]): ScheduleEntry[][] {
  const chains: ScheduleEntry[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const event of events.toSorted((one, other) => one.startsAt - other.startsAt)) {
    if (event.startsAt < until) chains.at(-1)?.push(event);
    else chains.push([event]);
    until = Math.max(until, lastMomentOf(event));
  }
  return chains;
}

/** Those that this one overlaps. */
export function listClashing(event: ScheduleEntry, clashes: readonly Clash[]): ScheduleEntry[] {
  const clash = clashes.find(
    ({ teamId, events }) => teamId === event.teamId && events.some(({ id }) => id === event.id),
  );
  return (clash?.events ?? []).filter((other) => other.id !== event.id && doOverlap(event, other));
}

/** What the team has at a time that is only thought of; `id` is that of the entry itself, where there is one. */
export function listOverlapping(
  events: readonly ScheduleEntry[],
  planned: Timed & { readonly id?: string | undefined; readonly teamId: string | null },
): ScheduleEntry[] {
  if (planned.teamId === null) return [];
  return events.filter(
    (other) =>
      other.id !== planned.id && other.teamId === planned.teamId && takesTime(other) && doOverlap(planned, other),
  );
}
