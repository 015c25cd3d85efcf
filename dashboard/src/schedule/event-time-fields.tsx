/** When something is: its start and its end, which moves along; the usual lengths at a press; the time where it takes place. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Alert, Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useRef } from "react";
import { MomentField } from "../records/record-fields.tsx";
import { useRecords } from "../records/use-records.ts";
import { EVENT_FORM_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { listOverlapping } from "./event-spans.ts";
import { hasOtherTime, sayLength, sayWhen, sayZone } from "./event-times.ts";

const HOUR_MS = 3_600_000;
const LENGTHS_MS = [1, 1.5, 2, 3, 4].map((hours) => hours * HOUR_MS);
const TITLES_SHOWN = 3;

export interface TypedTimes {
  readonly startsAt: number | null;
  readonly endsAt: number | null;
}

export interface EventTimeFieldsProps {
  readonly value: TypedTimes;
  readonly onChange: (times: TypedTimes) => void;
  readonly event: Pick<ScheduleEntry, "teamId" | "timezone"> & { readonly id?: string | undefined };
  readonly errors: { readonly startsAt?: React.ReactNode; readonly endsAt?: React.ReactNode };
  readonly isFirst?: boolean;
}

export function EventTimeFields({ value, onChange, event, errors, isFirst = false }: EventTimeFieldsProps) {
  const { startsAt, endsAt } = value;
  // While a part of the start is typed there is none for a moment, and the end still goes along.
  const last = useRef(startsAt);
  const moveStart = (start: number | null) => {
    const from = last.current;
    const isSpan = start !== null && from !== null && endsAt !== null;
    onChange({ startsAt: start, endsAt: isSpan ? endsAt + (start - from) : endsAt });
    last.current = start ?? from;
  };
  const moveEnd = (end: number | null) => {
    onChange({ startsAt, endsAt: end });
    last.current = startsAt;
  };
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
        <MomentField
          label={TEXTS.starts}
          required
          value={startsAt}
          onChange={moveStart}
          error={errors.startsAt}
          data-field="startsAt"
          data-autofocus={isFirst}
        />
        <MomentField
          label={TEXTS.ends}
          description={TEXTS.endsHint}
          value={endsAt}
          onChange={moveEnd}
          error={errors.endsAt}
          data-field="endsAt"
        />
      </SimpleGrid>
      {startsAt !== null && (
        <LengthButtons startsAt={startsAt} endsAt={endsAt} onChange={(end) => onChange({ startsAt, endsAt: end })} />
      )}
      {startsAt !== null && <TimeNotes times={{ startsAt, endsAt }} event={event} />}
    </Stack>
  );
}

interface LengthButtonsProps {
  readonly startsAt: number;
  readonly endsAt: number | null;
  readonly onChange: (endsAt: number | null) => void;
}

function LengthButtons({ startsAt, endsAt, onChange }: LengthButtonsProps) {
  const length = endsAt === null ? null : endsAt - startsAt;
  const choices = [...LENGTHS_MS.map((ms) => ({ ms, label: sayLength(ms) })), { ms: null, label: TEXTS.openEnd }];
  return (
    <Group gap={6} role="group" aria-label={TEXTS.lengthLabel}>
      {choices.map(({ ms, label }) => (
        <Button
          key={label}
          size="compact-sm"
          variant={ms === length ? "light" : "default"}
          aria-pressed={ms === length}
          onClick={() => onChange(ms === null ? null : startsAt + ms)}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}

interface TimeNotesProps {
  readonly times: { readonly startsAt: number; readonly endsAt: number | null };
  readonly event: EventTimeFieldsProps["event"];
}

function TimeNotes({ times, event }: TimeNotesProps) {
  const { all = [] } = useRecords("event");
  const { timezone } = event;
  const others = listOverlapping(all, { ...times, id: event.id, teamId: event.teamId });
  const titles = others.slice(0, TITLES_SHOWN).map(({ title }) => title);
  return (
    <div role="status">
      {timezone !== null && hasOtherTime({ ...times, timezone }) && (
        <Text size="sm" c="dimmed">
          {TEXTS.there(sayWhen(times, timezone), sayZone(timezone, times.startsAt))}
        </Text>
      )}
      {others.length > 0 && (
        <Alert color="amber" variant="light" p="xs" icon={<IconAlertTriangle size={16} aria-hidden />}>
          {TEXTS.clashes([...titles, ...(others.length > TITLES_SHOWN ? ["…"] : [])].join(", "))}
        </Alert>
      )}
    </div>
  );
}
