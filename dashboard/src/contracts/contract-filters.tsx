/** What narrows the contracts down: what needs a look first, then search and filters; and how they are shown. */
import type { Contract } from "@lineup/api/contracts";
import type { Team } from "@lineup/api/teams";
import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconAlertTriangle, IconHourglass } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { CONTRACT_STATUS_NAMES, CONTRACTS_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { CONTRACT_KIND_NAMES } from "../texts/home-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { ALERTS, type Alert, type ContractsSearch, KINDS, NO_TEAM, STATUSES } from "./contracts-search.ts";

export type SetContractsSearch = (
  change: {
    readonly [K in keyof ContractsSearch]?: ContractsSearch[K] | undefined;
  },
) => void;

export interface ContractAlertsProps {
  readonly counts: Readonly<Record<Alert, number>>;
  readonly value: Alert | undefined;
  readonly onChange: (alert: Alert | undefined) => void;
}

/** Each shows those contracts alone, and a second press all again. */
export function ContractAlerts({ counts, value, onChange }: ContractAlertsProps) {
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={TEXTS.alerts}>
      {ALERTS.map((alert) => {
        const IconShape = alert === "decision" ? IconAlertTriangle : IconHourglass;
        const isOn = value === alert;
        return (
          <Button
            key={alert}
            size="xs"
            variant={isOn ? "filled" : "default"}
            aria-pressed={isOn}
            leftSection={<IconShape size={14} aria-hidden />}
            onClick={() => onChange(isOn ? undefined : alert)}
          >
            {TEXTS.alertNames[alert]}: {counts[alert]}
          </Button>
        );
      })}
    </Group>
  );
}

export interface ContractFiltersProps {
  readonly all: readonly Contract[];
  readonly shown: number;
  readonly teams: readonly Team[];
  readonly search: ContractsSearch;
  readonly setSearch: SetContractsSearch;
  /** Stands at the end, such as the choice of columns. */
  readonly children?: ReactNode;
}

export function ContractFilters({ children, all, shown, teams, search, setSearch }: ContractFiltersProps) {
  return (
    <Group gap="xs" mb="sm" wrap="wrap">
      <SearchField label={TEXTS.search} hint={TEXTS.searchHint} value={search.q} onChange={(q) => setSearch({ q })} />
      <FilterSelect
        label={TEXTS.status}
        isLabelHidden
        any={TEXTS.anyStatus}
        choices={STATUSES.map((status) => ({ value: status, label: CONTRACT_STATUS_NAMES[status] }))}
        value={search.status}
        onChange={(value) => setSearch({ status: STATUSES.find((status) => status === value) })}
        w={135}
      />
      <FilterSelect
        label={TEXTS.team}
        isLabelHidden
        any={TEXTS.anyTeam}
        choices={[
          { value: NO_TEAM, label: TEXTS.noTeam },
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={search.team}
        onChange={(team) => setSearch({ team })}
        w={190}
      />
      <FilterSelect
        label={TEXTS.kind}
        isLabelHidden
        any={TEXTS.anyKind}
        choices={KINDS.map((kind) => ({ value: kind, label: CONTRACT_KIND_NAMES[kind] }))}
        value={search.kind}
        onChange={(value) => setSearch({ kind: KINDS.find((kind) => kind === value) })}
        w={115}
      />
      <Text size="sm" c="dimmed" role="status" ml="auto">
        {TEXTS.count(shown, all.length)}
      </Text>
      {children}
    </Group>
  );
}

export interface ContractViewsProps {
  readonly view: ContractsSearch["view"];
  readonly setSearch: SetContractsSearch;
}

export function ContractViews({ view, setSearch }: ContractViewsProps) {
  return (
    <SegmentedControl
      aria-label={TEXTS.views}
      value={view ?? "timeline"}
      onChange={(next) => setSearch({ view: next === "table" ? "table" : undefined })}
      data={[
        { value: "timeline", label: TEXTS.timeline },
        { value: "table", label: TEXTS.table },
      ]}
    />
  );
}
