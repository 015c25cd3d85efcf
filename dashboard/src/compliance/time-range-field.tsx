/** A filter by time: a span that moves with the clock, or from one moment to another. */
import { TextInput } from "@mantine/core";
import { type KeyboardEvent, useEffect, useState } from "react";
import { LAST_MOMENT } from "../records/typed-moments.ts";
import { RANGE_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
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
const CHOICES = [
  ...MOVING_RANGES.map((range) => ({ value: range, label: MOVING_RANGE_WORDS[range] })),
  { value: CUSTOM, label: TEXTS.custom },
];

export function TimeRangeField({ value, onChange }: TimeRangeFieldProps) {
  const { range, from, to } = value;
  const [isAsked, setAsked] = useState(false);
  const isCustom = range === undefined && (from !== undefined || to !== undefined || isAsked);
  const choose = (choice: string | undefined) => {
    setAsked(choice === CUSTOM);
    onChange({ ...NOTHING, range: MOVING_RANGES.find((each) => each === choice) });
  };
  return (
    <>
      <FilterSelect
        label={TEXTS.label}
        any={TEXTS.any}
        choices={CHOICES}
        value={isCustom ? CUSTOM : range}
        onChange={choose}
        w={widthOf(160)}
      />
      {isCustom && (
        <>
          <MomentField label={TEXTS.from} value={from} onChange={(at) => onChange({ ...NOTHING, from: at, to })} />
          <MomentField label={TEXTS.to} value={to} onChange={(at) => onChange({ ...NOTHING, from, to: at })} />
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

/** While it is typed a year can be 2 or 20; so what stands there counts when the field is left, or at Enter. */
function MomentField({ label, value, onChange }: MomentFieldProps) {
  const said = value === undefined ? "" : sayLocalTime(value);
  const [typed, setTyped] = useState(said);
  useEffect(() => setTyped(said), [said]);
  const take = () => {
    if (typed !== said) onChange(readLocalTime(typed));
  };
  const takeByKey = (event: KeyboardEvent) => {
    if (event.key === "Enter") take();
  };
  return (
    <TextInput
      type="datetime-local"
      max={LAST_MOMENT}
      label={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={takeByKey}
      w={widthOf(200)}
    />
  );
}
