import type { ScheduleEntry } from "@lineup/api/schedule";
import { useCallback } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { canTake, takeBack } from "./event-steps.ts";
import { sayLength, sayWhen } from "./event-times.ts";

export interface EventTimes {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/** Moves an entry, or changes its end alone: shown at once, taken back if it is refused, and undone by the toast's button. */
export function useEventMove(): (event: ScheduleEntry, times: EventTimes) => void {
  const { id: orgId } = useOrganization();
  const undo = takeBack(orgId);
  const { mutate: move } = useRecordWrite("moveEvent", {
    says: (event) => TEXTS.moved(sayWhen(event)),
    undo,
    optimistic: ({ body: { startsAt, endsAt } }) => ({ startsAt, endsAt, status: "scheduled" }),
  });
  const { mutate: resize } = useRecordWrite("updateEvent", {
    says: ({ startsAt, endsAt }) => TEXTS.resized(sayLength((endsAt ?? startsAt) - startsAt)),
    undo,
    optimistic: ({ body: { startsAt, endsAt } }) => ({ startsAt, endsAt }),
  });
  return useCallback(
    (event, { startsAt, endsAt }) => {
      const input = { path: { orgId, recordId: event.id }, body: { startsAt, endsAt, updatedAt: event.updatedAt } };
      if (startsAt === event.startsAt || !canTake("move", event)) resize(input);
      else move(input);
    },
    [orgId, move, resize],
  );
}
