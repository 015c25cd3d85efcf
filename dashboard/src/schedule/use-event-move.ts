import type { ScheduleEntry } from "@lineup/api/schedule";
import { useCallback, useRef } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { canTake, takeBack } from "./event-steps.ts";
import { sayLength, sayWhen } from "./event-times.ts";

export interface EventTimes {
  readonly startsAt: number;
  readonly endsAt: number | null;
}

/**
 * Moves an entry, or changes its end alone: shown at once, taken back if it is refused, and undone by the toast's button. Where the same
 * entry is moved again before the server has answered, the second waits for the first, whose version it has seen.
 */
export function useEventMove(): (event: ScheduleEntry, times: EventTimes) => void {
  const { id: orgId } = useOrganization();
  const before = useRef(new Map<string, ScheduleEntry>());
  const underWay = useRef(new Map<string, Promise<number>>());
  const options = {
    undo: (event: ScheduleEntry) => {
      const seen = before.current.get(event.id);
      return seen && takeBack(orgId, seen, event.updatedAt);
    },
    optimistic: ({ path, body }: { path: { recordId: string }; body: Partial<EventTimes> }) => {
      const { updatedAt: _, ...fields } = body as Partial<ScheduleEntry>;
      return { kind: "event" as const, id: path.recordId, fields };
    },
  };
  const { mutateAsync: move } = useRecordWrite("moveEvent", {
    ...options,
    says: (event) => TEXTS.moved(sayWhen(event)),
    optimistic: (input) => {
      const shown = options.optimistic(input as Parameters<typeof options.optimistic>[0]);
      return { ...shown, fields: { ...shown.fields, status: "scheduled" } };
    },
  });
  const { mutateAsync: resize } = useRecordWrite("updateEvent", {
    ...options,
    says: ({ startsAt, endsAt }) => TEXTS.resized(sayLength((endsAt ?? startsAt) - startsAt)),
    optimistic: (input) => options.optimistic(input as Parameters<typeof options.optimistic>[0]),
  });
  return useCallback(
    (event, { startsAt, endsAt }) => {
      const write = (updatedAt: number) => {
        before.current.set(event.id, event);
        const path = { orgId, recordId: event.id };
        return startsAt === event.startsAt || !canTake("move", event)
          ? resize({ path, body: { startsAt, endsAt, updatedAt } })
          : move({ path, body: { startsAt, endsAt, updatedAt } });
      };
      const earlier = underWay.current.get(event.id);
      const written = (earlier === undefined ? write(event.updatedAt) : earlier.then(write)).then(
        ({ updatedAt }) => updatedAt,
        // Why it was refused is told already.
        () => event.updatedAt,
      );
      underWay.current.set(event.id, written);
      void written.then(() => {
        if (underWay.current.get(event.id) === written) underWay.current.delete(event.id);
      });
    },
    [orgId, move, resize],
  );
}
