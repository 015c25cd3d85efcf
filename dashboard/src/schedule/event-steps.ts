/** What can be done with an entry, as the server has it, and what takes it back. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import type { AnyRecord } from "../records/record-kinds.ts";
import type { Step } from "../records/use-record-write.ts";
import { endOf } from "./event-spans.ts";
import type { EventStatus } from "./schedule-search.ts";

type EventStep = "move" | "postpone" | "cancel" | "complete";

/** In which states a step can be taken; in others the entry is edited. */
const STEP_STATES: Readonly<Record<EventStep, readonly EventStatus[]>> = {
  move: ["scheduled", "postponed"],
  postpone: ["scheduled", "live"],
  cancel: ["scheduled", "live", "postponed"],
  complete: ["scheduled", "live"],
};

export function canTake(step: EventStep, { status }: Pick<ScheduleEntry, "status">): boolean {
  return STEP_STATES[step].includes(status);
}

/** Whether it is played for a result that it can still get, by completing it or afterwards. */
export function canHaveResult(event: ScheduleEntry): boolean {
  const isPlayed = event.kind === "match" || event.kind === "scrim" || event.opponent !== null || event.result !== null;
  return isPlayed && (event.status === "completed" || canTake("complete", event));
}

/** A match that has begun and has no result. */
export function lacksResult(event: ScheduleEntry, now: number): boolean {
  return event.kind === "match" && event.result === null && event.startsAt <= now && canHaveResult(event);
}

/** One that is over, too. */
export function waitsForResult(event: ScheduleEntry, now: number): boolean {
  return (
    lacksResult(event, now) && (event.status === "completed" || (event.status === "scheduled" && endOf(event) <= now))
  );
}

/** For a write's `undo`: writes what a step changed as it was before; what nobody touched stays. */
export function takeBack(orgId: string) {
  return ({ updatedAt }: ScheduleEntry, _: unknown, before: AnyRecord | undefined): Step | undefined => {
    if (before === undefined) return undefined;
    const { id: recordId, startsAt, endsAt, previousStartsAt, status, result } = before as ScheduleEntry;
    const body = { startsAt, endsAt, previousStartsAt, status, result, updatedAt };
    return { name: "updateEvent", input: { path: { orgId, recordId }, body } };
  };
}
