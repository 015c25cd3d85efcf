/** The fields of an entry: those that most need, and the rest behind a button. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Collapse, NativeSelect, SegmentedControl, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useState } from "react";
import { GameSelect, TeamSelect } from "../records/record-fields.tsx";
import { useRecords } from "../records/use-records.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES } from "../texts/home-texts.ts";
import { EVENT_FORM_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { type EventFormValues, nameEvent } from "./event-form-values.ts";
import { EventTimeFields } from "./event-time-fields.tsx";
import { EVENT_KINDS, EVENT_STATUSES, type EventKind, type EventStatus } from "./schedule-search.ts";

interface FieldsProps {
  readonly form: UseFormReturnType<EventFormValues>;
}

export function MainFields({ form, event }: FieldsProps & { readonly event: ScheduleEntry | undefined }) {
  const { values } = form;
  const teams = useRecords("team").byId;
  const changeTeam = (teamId: string | null) => {
    form.setFieldValue("teamId", teamId);
    const game = teams.get(teamId ?? "")?.game;
    if (game !== undefined) form.setFieldValue("game", game);
  };
  const named = nameEvent({ ...values, title: "" }, teams.get(values.teamId ?? "")?.name);
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={TEXTS.kind}
        data={EVENT_KINDS.map((kind) => ({ value: kind, label: EVENT_KIND_NAMES[kind] }))}
        value={values.kind}
        onChange={(kind) => form.setFieldValue("kind", kind as EventKind)}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
        <TeamSelect
          none={TEXTS.noTeam}
          value={values.teamId}
          onChange={changeTeam}
          error={form.errors.teamId}
          data-field="teamId"
          data-autofocus
        />
        <TextInput
          label={TEXTS.opponent}
          {...form.getInputProps("opponent")}
          data-field="opponent"
          autoComplete="off"
          maxLength={200}
        />
      </SimpleGrid>
      <TextInput
        label={TEXTS.title}
        required
        placeholder={named}
        {...form.getInputProps("title")}
        data-field="title"
        autoComplete="off"
        maxLength={200}
      />
      <EventTimeFields
        value={values}
        onChange={(times) => form.setValues({ ...times })}
        event={{ id: event?.id, teamId: values.teamId, timezone: values.timezone }}
        errors={form.errors}
      />
      <BestOfSelect form={form} />
    </>
  );
}

const USUAL_BEST_OF = [1, 3, 5, 7];

function BestOfSelect({ form }: FieldsProps) {
  const { bestOf } = form.values;
  const choices = bestOf === null || USUAL_BEST_OF.includes(bestOf) ? USUAL_BEST_OF : [...USUAL_BEST_OF, bestOf];
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
      <NativeSelect
        label={TEXTS.bestOf}
        data={[{ value: "", label: TEXTS.notSaid }, ...choices.map(String)]}
        value={bestOf ?? ""}
        onChange={({ currentTarget: { value } }) => form.setFieldValue("bestOf", value === "" ? null : Number(value))}
        error={form.errors.bestOf}
        data-field="bestOf"
      />
      <TextInput
        label={TEXTS.competition}
        {...form.getInputProps("competition")}
        data-field="competition"
        maxLength={200}
      />
    </SimpleGrid>
  );
}

export function MoreFields({ form, isEdit }: FieldsProps & { readonly isEdit: boolean }) {
  const [isOpen, setOpen] = useState(isEdit);
  const Chevron = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        rightSection={<Chevron size={14} aria-hidden />}
        onClick={() => setOpen(!isOpen)}
      >
        {TEXTS.more}
      </Button>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs" mt="xs">
          <TextInput label={TEXTS.stage} {...form.getInputProps("stage")} data-field="stage" maxLength={200} />
          <TextInput label={TEXTS.location} {...form.getInputProps("location")} data-field="location" maxLength={200} />
          <TextInput
            label={TEXTS.streamUrl}
            type="url"
            placeholder={TEXTS.streamHint}
            {...form.getInputProps("streamUrl")}
            data-field="streamUrl"
          />
          <GameSelect
            value={form.values.game}
            onChange={(game) => form.setFieldValue("game", game)}
            error={form.errors.game}
            data-field="game"
          />
          <ZoneSelect form={form} />
          <NativeSelect
            label={TEXTS.status}
            data={EVENT_STATUSES.map((status) => ({ value: status, label: EVENT_STATUS_NAMES[status] }))}
            value={form.values.status}
            onChange={(change) => form.setFieldValue("status", change.currentTarget.value as EventStatus)}
            data-field="status"
          />
        </SimpleGrid>
      </Collapse>
    </div>
  );
}

const ZONES = Intl.supportedValuesOf("timeZone");

function ZoneSelect({ form }: FieldsProps) {
  const { timezone } = form.values;
  const zones = timezone === null || ZONES.includes(timezone) ? ZONES : [timezone, ...ZONES];
  return (
    <NativeSelect
      label={TEXTS.timezone}
      description={TEXTS.timezoneHint}
      data={[{ value: "", label: TEXTS.notSaid }, ...zones]}
      value={timezone ?? ""}
      onChange={({ currentTarget: { value } }) => form.setFieldValue("timezone", value === "" ? null : value)}
      error={form.errors.timezone}
      data-field="timezone"
    />
  );
}
