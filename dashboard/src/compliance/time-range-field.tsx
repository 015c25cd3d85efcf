/** A filter by time: a span that moves with the clock, or from one moment to another. */
import { Select } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import "@mantine/dates/styles.layer.css";
import { useState } from "react";
import { RANGE_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { widthOf } from "./filter-panel.tsx";
import {
  MOVING_RANGE_WORDS,
  MOVING_RANGES,
  type MovingRange,
  readLocalTime,
  sayLocalTime,
  type TimeRange,
} from "./time-range.ts";

export interface TimeRangeFieldProps {
  readonly value: TimeRange;
  readonly onChange: (range: {
    range: MovingRange | undefined;
    from: number | undefined;
    to: number | undefined;
  }) => void;
}

const CUSTOM = "custom";
const NOTHING = { range: undefined, from: undefined, to: undefined };

export function TimeRangeField({ value, onChange }: TimeRangeFieldProps) {
  const isFixed = value.from !== undefined || value.to !== undefined;
  const [isAsked, setAsked] = useState(false);
  const isCustom = value.range === undefined && (isFixed || isAsked);
  const choose = (choice: string | null) => {
    setAsked(choice === CUSTOM);
    if (choice !== CUSTOM) onChange({ ...NOTHING, range: MOVING_RANGES.find((range) => range === choice) });
    else if (value.range !== undefined) onChange(NOTHING);
  };
  return (
    <>
      <Select
        label={TEXTS.label}
        placeholder={TEXTS.any}
        data={[
          ...MOVING_RANGES.map((range) => ({ value: range as string, label: MOVING_RANGE_WORDS[range] })),
          { value: CUSTOM, label: TEXTS.custom },
        ]}
        value={isCustom ? CUSTOM : (value.range ?? null)}
        onChange={choose}
        clearable
        w={widthOf(160)}
      />
      {isCustom && (
        <>
          <MomentField
            label={TEXTS.from}
            value={value.from}
            onChange={(from) => onChange({ ...NOTHING, from, to: value.to })}
          />
          <MomentField
            label={TEXTS.to}
            value={value.to}
            onChange={(to) => onChange({ ...NOTHING, from: value.from, to })}
          />
        </>
      )}
    </>
  );
}

interface MomentFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}

function MomentField({ label, value, onChange }: MomentFieldProps) {
  return (
    <DateTimePicker
      label={label}
      placeholder={TEXTS.pick}
      value={value === undefined ? null : sayLocalTime(value)}
      onChange={(text) => onChange(text === null ? undefined : readLocalTime(text))}
      valueFormat="D MMM YYYY HH:mm"
      clearable
      weekendDays={[]}
      hideOutsideDates
      clearButtonProps={{ "aria-label": TEXTS.clear(label) }}
      submitButtonProps={{ "aria-label": TEXTS.done }}
      timePickerProps={{ hoursInputLabel: TEXTS.hours, minutesInputLabel: TEXTS.minutes, "aria-label": TEXTS.time }}
      w={widthOf(190)}
    />
  );
}
