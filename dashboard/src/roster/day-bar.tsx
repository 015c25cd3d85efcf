/** Chooses the day that the roster is shown of: a slider from the day the first joined to today, and a field for those who know it. */
import { Button, Group, Slider, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { DayField } from "../records/record-fields.tsx";
import { DAY_TEXTS as TEXTS } from "../texts/roster-texts.ts";
import { sayUtcDay } from "../ui/time-words.ts";
import classes from "./day-bar.module.css";
import { dayNumberOf, startOfDayNumber } from "./roster-days.ts";

export interface DayBarProps {
  /** Undefined for today. */
  readonly day: number | undefined;
  /** When the first joined. */
  readonly first: number | undefined;
  readonly onChoose: (day: number | undefined) => void;
}

export function DayBar({ day, first, onChoose }: DayBarProps) {
  const today = dayNumberOf(serverNow());
  const shown = day ?? today;
  const earliest = Math.min(first === undefined ? today : dayNumberOf(first), shown, today - 1);
  const [slid, setSlid] = useState(shown);
  useEffect(() => setSlid(shown), [shown]);
  const choose = (chosen: number) => onChoose(chosen >= today ? undefined : chosen);
  const say = (number: number) => (number >= today ? TEXTS.today : sayUtcDay(startOfDayNumber(number)));
  return (
    <div className={classes.bar}>
      <Group gap={6} wrap="nowrap" className={classes.label ?? ""}>
        <IconHistory size={16} aria-hidden />
        <Text size="sm" fw={600}>
          {TEXTS.label}
        </Text>
      </Group>
      <Slider
        className={classes.slider ?? ""}
        min={earliest}
        max={today}
        value={slid}
        onChange={setSlid}
        onChangeEnd={choose}
        label={say}
        thumbLabel={TEXTS.slider}
        thumbProps={{ "aria-valuetext": say(slid) }}
        size="sm"
        thumbSize={24}
      />
      <DayField
        value={startOfDayNumber(slid)}
        // While 2028 is typed it is the year 2, and a day that is to come is not one to look at yet.
        onChange={(at) => at !== null && at >= 0 && dayNumberOf(at) <= today && choose(dayNumberOf(at))}
        min={startOfDayNumber(earliest)}
        max={startOfDayNumber(today)}
        aria-label={TEXTS.label}
      />
      <Button
        variant="default"
        size="sm"
        data-today
        // Not `disabled`: what was just pressed would lose the focus.
        {...(day === undefined && { "data-disabled": true, "aria-disabled": true })}
        onClick={() => day !== undefined && onChoose(undefined)}
      >
        {TEXTS.today}
      </Button>
    </div>
  );
}
