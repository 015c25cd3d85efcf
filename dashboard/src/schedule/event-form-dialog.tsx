/** Makes an entry, or changes one. */

import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Group, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { FormEvent } from "react";
import type { RequestFailure } from "../client/request-failure.ts";
import { useOrganization } from "../client/session.ts";
import { RecordDialog } from "../records/record-dialog.tsx";
import { useRecordForm } from "../records/use-record-form.ts";
import { useRecords } from "../records/use-records.ts";
import { COMMON_TEXTS } from "../texts/frame-texts.ts";
import { EVENT_FORM_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { FormError } from "../ui/form-error.tsx";
import { MainFields, MoreFields } from "./event-fields.tsx";
import {
  type EventFormValues,
  eventValues,
  findEventFaults,
  newEventValues,
  toEventBody,
  toEventChange,
} from "./event-form-values.ts";

export interface CreateEventDialogProps {
  /** When it begins and whose it is, until somebody says otherwise. */
  readonly startsAt: number;
  readonly teamId: string | null;
  readonly onClose: () => void;
}

export function CreateEventDialog({ startsAt, teamId, onClose }: CreateEventDialogProps) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team").byId;
  const nameOf = (id: string | null) => teams.get(id ?? "")?.name;
  const { onSubmit, ...shown } = useRecordForm("createEvent", {
    initialValues: newEventValues(startsAt, teamId, teams.get(teamId ?? "")?.game ?? "Other"),
    validate: findEventFaults,
    toInput: (values) => ({ path: { orgId }, body: toEventBody(values, nameOf(values.teamId)) }),
    says: ({ title }) => TEXTS.created(title),
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog onClose={onClose} size="lg" title={TEXTS.createTitle}>
      <EventForm {...shown} onSubmit={onSubmit} onClose={onClose} submit={TEXTS.create} />
    </RecordDialog>
  );
}

export interface EditEventDialogProps {
  readonly event: ScheduleEntry;
  readonly onClose: () => void;
}

export function EditEventDialog({ event, onClose }: EditEventDialogProps) {
  const { id: orgId } = useOrganization();
  const teams = useRecords("team").byId;
  const { onSubmit, ...shown } = useRecordForm("updateEvent", {
    initialValues: eventValues(event),
    validate: findEventFaults,
    toInput: (values) => {
      const change = toEventChange(event, values, teams.get(values.teamId ?? "")?.name);
      return change && { path: { orgId, recordId: event.id }, body: change };
    },
    says: TEXTS.saved,
    undo: "fields",
    onDone: onClose,
    onClose,
  });
  return (
    <RecordDialog onClose={onClose} size="lg" title={TEXTS.editTitle(event.title)}>
      <EventForm {...shown} event={event} onSubmit={onSubmit} onClose={onClose} submit={TEXTS.save} />
    </RecordDialog>
  );
}

interface EventFormProps {
  readonly form: UseFormReturnType<EventFormValues>;
  readonly event?: ScheduleEntry;
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly isBusy: boolean;
  readonly failure: RequestFailure | null;
  readonly onClose: () => void;
  readonly submit: string;
}

function EventForm({ form, event, onSubmit, isBusy, failure, onClose, submit }: EventFormProps) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        <MainFields form={form} event={event} />
        <MoreFields form={form} isEdit={event !== undefined} />
        <FormError failure={failure} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {COMMON_TEXTS.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
