/** What can be done with an entry: only what its state allows. What needs no more said is done at once, and can be undone. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Group } from "@mantine/core";
import {
  IconArrowsMove,
  IconCalendarOff,
  IconClockPause,
  IconPencil,
  IconTrash,
  IconTrophy,
} from "@tabler/icons-react";
import { useRef } from "react";
import { useOrganization } from "../client/session.ts";
import { useRecordWrite } from "../records/use-record-write.ts";
import { SCHEDULE_TEXTS, EVENT_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { canHaveResult, canTake, takeBack } from "./event-steps.ts";

export type EventDialogName = "move" | "edit" | "result" | "delete";

export interface EventActionsProps {
  readonly event: ScheduleEntry;
  readonly onAsk: (dialog: EventDialogName, event: ScheduleEntry) => void;
}

export function EventActions({ event, onAsk }: EventActionsProps) {
  const { postpone, cancel, isBusy } = useEventSteps();
  return (
    <Group gap="xs" role="group" aria-label={TEXTS.actions}>
      {canTake("move", event) && (
        <Button leftSection={<IconArrowsMove size={16} aria-hidden />} onClick={() => onAsk("move", event)}>
          {TEXTS.move}
        </Button>
      )}
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onAsk("edit", event)}>
        {TEXTS.edit}
      </Button>
      {canHaveResult(event) && (
        <Button
          variant="default"
          leftSection={<IconTrophy size={16} aria-hidden />}
          onClick={() => onAsk("result", event)}
        >
          {event.result === null ? SCHEDULE_TEXTS.enterResult : TEXTS.correctResult}
        </Button>
      )}
      {canTake("postpone", event) && (
        <Button
          variant="default"
          leftSection={<IconClockPause size={16} aria-hidden />}
          disabled={isBusy}
          onClick={() => postpone(event)}
        >
          {TEXTS.postpone}
        </Button>
      )}
      {canTake("cancel", event) && (
        <Button
          variant="default"
          leftSection={<IconCalendarOff size={16} aria-hidden />}
          disabled={isBusy}
          onClick={() => cancel(event)}
        >
          {TEXTS.cancel}
        </Button>
      )}
      <Button
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => onAsk("delete", event)}
      >
        {TEXTS.delete}
      </Button>
    </Group>
  );
}

function useEventSteps() {
  const { id: orgId } = useOrganization();
  const undo = takeBack(orgId);
  const postpone = useRecordWrite("postponeEvent", { says: TEXTS.postponed, undo });
  const cancel = useRecordWrite("cancelEvent", { says: TEXTS.cancelled, undo });
  // A double click is one: it comes before the buttons show that something is under way.
  const isTaking = useRef(false);
  const take = (write: typeof postpone | typeof cancel) => (event: ScheduleEntry) => {
    if (isTaking.current) return;
    isTaking.current = true;
    const onSettled = () => {
      isTaking.current = false;
    };
    write.mutate({ path: { orgId, recordId: event.id }, body: { updatedAt: event.updatedAt } }, { onSettled });
  };
  return { postpone: take(postpone), cancel: take(cancel), isBusy: postpone.isPending || cancel.isPending };
}
