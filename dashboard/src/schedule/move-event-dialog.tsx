/** Moves an entry without dragging it: to a day and a time, and with another length. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { focusFirst } from "../client/use-action-form.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { EVENT_FORM_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { PlainDialog } from "../ui/plain-dialog.tsx";
import { findTimeFaults } from "./event-form-values.ts";
import { EventTimeFields, type TypedTimes } from "./event-time-fields.tsx";
import { sayWhen } from "./event-times.ts";
import type { EventTimes } from "./use-event-move.ts";

export interface MoveEventDialogProps {
  readonly event: ScheduleEntry;
  readonly onMove: (event: ScheduleEntry, times: EventTimes) => void;
  readonly onClose: () => void;
}

export function MoveEventDialog({ event, onMove, onClose }: MoveEventDialogProps) {
  const [times, setTimes] = useState<TypedTimes>(event);
  const [isTried, setTried] = useState(false);
  const faults = findTimeFaults(times);
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault();
    setTried(true);
    const { startsAt, endsAt } = times;
    if (startsAt === null || Object.keys(faults).length > 0) return focusFirst(Object.keys(faults));
    onClose();
    if (startsAt !== event.startsAt || endsAt !== event.endsAt) onMove(event, { startsAt, endsAt });
  };
  return (
    <PlainDialog isOpen onClose={onClose} title={TEXTS.moveTitle(event.title)} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {TEXTS.wasAt(sayWhen(event))}
          </Text>
          <EventTimeFields value={times} onChange={setTimes} event={event} errors={isTried ? faults : {}} isFirst />
          {event.status === "postponed" && <Text size="sm">{TEXTS.staysScheduled}</Text>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {COMMON_TEXTS.cancel}
            </Button>
            <Button type="submit">{TEXTS.move}</Button>
          </Group>
        </Stack>
      </form>
    </PlainDialog>
  );
}
