/** Where one is in the calendar, and the ways to elsewhere: page by page, to a day, to another view; and the filters. */
import { ActionIcon, Button, Group, SegmentedControl, Text, TextInput, Title } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { FilterPanel, widthOf } from "../compliance/filter-panel.tsx";
import { LAST_DAY } from "../records/typed-moments.ts";
import { useRecords } from "../records/use-records.ts";
import { EVENT_KIND_NAMES, EVENT_STATUS_NAMES } from "../texts/home-texts.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { dayOf, readDay, SCHEDULE_VIEWS, type ScheduleView, startOfDay, turnPage } from "./calendar-days.ts";
import { sayZone, viewerZone } from "./event-times.ts";
import { EVENT_KINDS, EVENT_STATUSES, NO_TEAM, type ScheduleSearch } from "./schedule-search.ts";
import classes from "./schedule-toolbar.module.css";

type SearchChange = { readonly [K in keyof ScheduleSearch]?: ScheduleSearch[K] | undefined };

export interface ScheduleToolbarProps {
  readonly view: ScheduleView;
  readonly day: string;
  readonly title: string;
  readonly search: ScheduleSearch;
  readonly setSearch: (change: SearchChange) => void;
  /** How many events are shown; undefined while that is not known. */
  readonly count: number | undefined;
}

export function ScheduleToolbar({ view, day, title, search, setSearch, count }: ScheduleToolbarProps) {
  const turn = (direction: 1 | -1) => setSearch({ date: turnPage(view, day, direction) });
  return (
    <>
      <div className={classes.bar}>
        <Group gap="xs" wrap="nowrap">
          <ActionIcon variant="default" size="lg" aria-label={TEXTS.previous[view]} onClick={() => turn(-1)}>
            <IconChevronLeft size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={TEXTS.next[view]} onClick={() => turn(1)}>
            <IconChevronRight size={18} aria-hidden />
          </ActionIcon>
          <Button variant="default" onClick={() => setSearch({ date: dayOf(serverNow()) })}>
            {TEXTS.today}
          </Button>
        </Group>
        <Title order={2} className={classes.title ?? ""} aria-live="polite">
          {title}
        </Title>
        <SegmentedControl
          className={classes.views ?? ""}
          aria-label={TEXTS.viewLabel}
          data={SCHEDULE_VIEWS.map((each) => ({ value: each, label: TEXTS.views[each] }))}
          value={view}
          onChange={(chosen) => setSearch({ view: chosen as ScheduleView, date: day })}
        />
      </div>
      <Filters day={day} search={search} setSearch={setSearch} />
      <Group justify="space-between" gap="xs" mb="sm">
        <Text size="sm" c="dimmed">
          {TEXTS.zone(sayZone(viewerZone(), startOfDay(day)))}
        </Text>
        <Text size="sm" c="dimmed" role="status">
          {count !== undefined && TEXTS.count(count)}
        </Text>
      </Group>
    </>
  );
}

function Filters({ day, search, setSearch }: Pick<ScheduleToolbarProps, "day" | "search" | "setSearch">) {
  const { all: teams = [] } = useRecords("team");
  const { team, kind, status } = search;
  const choices = teams
    .map(({ id, name, game }) => ({ value: id, label: `${name} (${game})` }))
    .toSorted((one, other) => one.label.localeCompare(other.label));
  return (
    <FilterPanel
      count={[team, kind, status].filter((each) => each !== undefined).length}
      onClear={() => setSearch({ team: undefined, kind: undefined, status: undefined })}
    >
      <FilterSelect
        label={TEXTS.team}
        any={TEXTS.anyTeam}
        choices={[...choices, { value: NO_TEAM, label: TEXTS.noTeam }]}
        value={team}
        onChange={(chosen) => setSearch({ team: chosen })}
        w={widthOf(220)}
      />
      <FilterSelect
        label={TEXTS.kind}
        any={TEXTS.anyKind}
        choices={EVENT_KINDS.map((each) => ({ value: each, label: EVENT_KIND_NAMES[each] }))}
        value={kind}
        onChange={(chosen) => setSearch({ kind: EVENT_KINDS.find((each) => each === chosen) })}
        w={widthOf(150)}
      />
      <FilterSelect
        label={TEXTS.status}
        any={TEXTS.anyStatus}
        choices={EVENT_STATUSES.map((each) => ({ value: each, label: EVENT_STATUS_NAMES[each] }))}
        value={status}
        onChange={(chosen) => setSearch({ status: EVENT_STATUSES.find((each) => each === chosen) })}
        w={widthOf(150)}
      />
      <DayJump day={day} onDay={(date) => setSearch({ date })} />
    </FilterPanel>
  );
}

interface DayJumpProps {
  readonly day: string;
  readonly onDay: (day: string) => void;
}

/** What is being typed stays in the field until it is left: a year is 2 and 20 on its way to 2028. */
function DayJump({ day, onDay }: DayJumpProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      type="date"
      max={LAST_DAY}
      label={TEXTS.goTo}
      value={typed ?? day}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const chosen = readDay(value);
        if (chosen !== undefined && chosen > "1970") onDay(chosen);
      }}
      onBlur={() => setTyped(null)}
      w={widthOf(160)}
    />
  );
}
