/** Data › Contracts: who is bound until when, as a time line by player or as a table; what needs a decision comes first. */
import type { Contract } from "@lineup/api/contracts";
import { Button } from "@mantine/core";
import { IconFileText, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useCallback, useMemo, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useAllows } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { FirstSteps } from "../records/first-steps.tsx";
import { useRecords } from "../records/use-records.ts";
import { CONTRACTS_TEXTS as TEXTS } from "../texts/contract-texts.ts";
import { ColumnMenu, useHiddenColumns } from "../ui/column-menu.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { RecordTable } from "../ui/record-table.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import { readRowSort, writeRowSort } from "../ui/sort-rows.ts";
import { makeContractColumns } from "./contract-columns.tsx";
import { ContractDrawer } from "./contract-drawer.tsx";
import { ContractAlerts, ContractFilters, ContractViews, type SetContractsSearch } from "./contract-filters.tsx";
import { AddContractDialog } from "./contract-form-dialog.tsx";
import { ContractTimeline } from "./contract-timeline.tsx";
import {
  type ContractsSearch,
  compareContracts,
  countAlerts,
  type Decisions,
  filterContracts,
  findDecisions,
  readContractsSearch,
} from "./contracts-search.ts";

const LIST_PX = 420;
const NONE: readonly Contract[] = [];

export function ContractsPage() {
  const mayManage = useAllows("data:manage");
  const [search, setSearch] = useSearchState(readContractsSearch);
  const contracts = useRecords("contract");
  const [isAdding, setAdding] = useState(false);
  const [now] = useState(serverNow);
  const { all } = contracts;
  const decisions = useMemo(() => findDecisions(all ?? NONE, now), [all, now]);
  const open = useCallback(({ id }: { id: string }) => setSearch({ open: id }, { isStep: true }), [setSearch]);
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {TEXTS.add}
    </Button>
  );
  const actions = (
    <>
      <ContractViews view={search.view} setSearch={setSearch} />
      {add}
    </>
  );
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={all?.length === 0 ? undefined : actions} />
      {all === undefined ? (
        contracts.failure === null ? (
          <BlockSkeleton height={LIST_PX} />
        ) : (
          <LoadFault failure={contracts.failure} onRetry={contracts.retry} />
        )
      ) : all.length === 0 ? (
        <EmptyState
          icon={<IconFileText size={22} />}
          title={TEXTS.emptyTitle}
          action={add && <FirstSteps>{add}</FirstSteps>}
        >
          {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
        </EmptyState>
      ) : (
        <ContractList
          all={all}
          isComplete={contracts.isComplete}
          decisions={decisions}
          now={now}
          search={search}
          setSearch={setSearch}
          onOpen={open}
        />
      )}
      <ContractDrawer
        id={search.open}
        contract={search.open === undefined ? undefined : contracts.byId.get(search.open)}
        decision={search.open === undefined ? undefined : decisions.get(search.open)}
        isComplete={contracts.isComplete}
        mayManage={mayManage}
        now={now}
        onOpen={open}
        onClose={() => setSearch({ open: undefined })}
      />
      {isAdding && (
        <AddContractDialog
          onClose={() => setAdding(false)}
          onAdded={(id) => {
            setAdding(false);
            open({ id });
          }}
        />
      )}
    </>
  );
}

interface ContractListProps {
  readonly all: readonly Contract[];
  readonly isComplete: boolean;
  readonly decisions: Decisions;
  readonly now: number;
  readonly search: ContractsSearch;
  readonly setSearch: SetContractsSearch;
  readonly onOpen: (contract: Contract) => void;
}

const NO_FILTERS = { q: undefined, status: undefined, kind: undefined, team: undefined, alert: undefined };
/** Until somebody chooses otherwise. */
const USUALLY_HIDDEN = ["startDate", "notice", "autoRenew"];
const rowKey = ({ id }: Contract) => id;

function ContractList({ all, isComplete, decisions, now, search, setSearch, onOpen }: ContractListProps) {
  const teams = useRecords("team");
  const { q, status, kind, team, alert, view, span, sort } = search;
  const counts = useMemo(() => countAlerts(all, decisions, now), [all, decisions, now]);
  const shown = useMemo(
    () => filterContracts(all, { q, status, kind, team, alert }, decisions, now).sort(compareContracts(decisions, now)),
    [all, q, status, kind, team, alert, decisions, now],
  );
  const columns = useMemo(
    () => makeContractColumns({ decisions, teams: teams.byId, now, onOpen }),
    [decisions, teams.byId, now, onOpen],
  );
  const columnChoice = useHiddenColumns("contracts", USUALLY_HIDDEN);
  const rowSort = useMemo(() => readRowSort(sort), [sort]);
  return (
    <>
      <ContractAlerts counts={counts} value={alert} onChange={(next) => setSearch({ alert: next })} />
      <ContractFilters all={all} shown={shown.length} teams={teams.all ?? []} search={search} setSearch={setSearch}>
        {view === "table" && <ColumnMenu columns={columns} {...columnChoice} />}
      </ContractFilters>
      {shown.length === 0 ? (
        <EmptyState
          icon={<IconSearchOff size={22} />}
          title={TEXTS.nothingTitle}
          action={
            <Button variant="default" onClick={() => setSearch(NO_FILTERS)}>
              {TEXTS.clear}
            </Button>
          }
        >
          {TEXTS.nothingBody}
        </EmptyState>
      ) : view === "table" ? (
        <RecordTable
          label={TEXTS.caption}
          columns={columns}
          rows={shown}
          rowKey={rowKey}
          hidden={columnChoice.hidden}
          sort={rowSort}
          onSort={(next) => setSearch({ sort: writeRowSort(next) })}
          isBusy={!isComplete}
        />
      ) : (
        <ContractTimeline
          contracts={shown}
          decisions={decisions}
          now={now}
          span={span}
          onSpan={(next) => setSearch({ span: next })}
          onOpen={onOpen}
        />
      )}
    </>
  );
}
