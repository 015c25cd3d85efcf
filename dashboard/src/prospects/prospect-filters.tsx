import type { Prospect } from "@lineup/api/prospects";
import { GAMES } from "@lineup/api/roles";
import { Group, SegmentedControl, Text } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { PRIORITY_NAMES, PROSPECTS_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { listAssigned, NOBODY, PRIORITIES, type ProspectsSearch } from "./prospects-search.ts";

export type SetProspectsSearch = (
  change: { readonly [K in keyof ProspectsSearch]?: ProspectsSearch[K] | undefined },
) => void;

export interface ProspectFiltersProps {
  readonly all: readonly Prospect[];
  readonly shown: number;
  readonly search: ProspectsSearch;
  readonly setSearch: SetProspectsSearch;
  /** Stands at the end, such as the choice of columns. */
  readonly children?: ReactNode;
}

export function ProspectFilters({ children, all, shown, search, setSearch }: ProspectFiltersProps) {
  const people = useMemo(() => listAssigned(all), [all]);
  return (
    <Group gap="xs" mb="sm" wrap="wrap">
      <SearchField label={TEXTS.search} hint={TEXTS.searchHint} value={search.q} onChange={(q) => setSearch({ q })} />
      <FilterSelect
        label={TEXTS.game}
        isLabelHidden
        any={TEXTS.anyGame}
        choices={GAMES.map((game) => ({ value: game, label: game }))}
        value={search.game}
        onChange={(value) => setSearch({ game: GAMES.find((game) => game === value) })}
        w={130}
      />
      <FilterSelect
        label={TEXTS.priority}
        isLabelHidden
        any={TEXTS.anyPriority}
        choices={PRIORITIES.map((priority) => ({ value: priority, label: PRIORITY_NAMES[priority] }))}
        value={search.priority}
        onChange={(value) => setSearch({ priority: PRIORITIES.find((priority) => priority === value) })}
        w={140}
      />
      <FilterSelect
        label={TEXTS.assignedTo}
        isLabelHidden
        any={TEXTS.anybody}
        choices={[{ value: NOBODY, label: TEXTS.nobody }, ...people.map((name) => ({ value: name, label: name }))]}
        value={search.assignee}
        onChange={(assignee) => setSearch({ assignee })}
        w={170}
      />
      <Text size="sm" c="dimmed" role="status" ml="auto">
        {TEXTS.count(shown, all.length)}
      </Text>
      {children}
    </Group>
  );
}

export interface ProspectViewsProps {
  readonly view: ProspectsSearch["view"];
  readonly setSearch: SetProspectsSearch;
}

export function ProspectViews({ view, setSearch }: ProspectViewsProps) {
  return (
    <SegmentedControl
      aria-label={TEXTS.views}
      value={view ?? "board"}
      onChange={(next) => setSearch({ view: next === "table" ? "table" : undefined })}
      data={[
        { value: "board", label: TEXTS.board },
        { value: "table", label: TEXTS.table },
      ]}
    />
  );
}
