/** Data › Prospects: the people the organization may sign, as a board by stage or as a table. */
import type { Prospect } from "@lineup/api/prospects";
import { Button, Text } from "@mantine/core";
import { IconBinoculars, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useCallback, useMemo, useState } from "react";
import { useAllows } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { FirstSteps } from "../records/first-steps.tsx";
import { useRecords } from "../records/use-records.ts";
import { BOARD_TEXTS, PROSPECTS_TEXTS as TEXTS } from "../texts/prospect-texts.ts";
import { ColumnMenu, useHiddenColumns } from "../ui/column-menu.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { RecordTable } from "../ui/record-table.tsx";
import { BlockSkeleton } from "../ui/skeletons.tsx";
import { readRowSort, writeRowSort } from "../ui/sort-rows.ts";
import { ProspectBoard } from "./prospect-board.tsx";
import { makeProspectColumns } from "./prospect-columns.tsx";
import { ProspectDrawer } from "./prospect-drawer.tsx";
import { ProspectFilters, ProspectViews, type SetProspectsSearch } from "./prospect-filters.tsx";
import { AddProspectDialog } from "./prospect-form-dialog.tsx";
import { compareProspects, filterProspects, type ProspectsSearch, readProspectsSearch } from "./prospects-search.ts";
import { SignProspectDialog } from "./sign-prospect-dialog.tsx";
import { type MoveToStage, useStageMove } from "./use-stage-move.ts";

const BOARD_PX = 420;

export function ProspectsPage() {
  const mayManage = useAllows("data:manage");
  const [search, setSearch] = useSearchState(readProspectsSearch);
  const prospects = useRecords("prospect");
  const [isAdding, setAdding] = useState(false);
  const [signing, setSigning] = useState<Prospect | null>(null);
  const moveNow = useStageMove();
  const move: MoveToStage = useCallback(
    (prospect, stage) => {
      // A prospect who is signed becomes a player; one who has done so only changes stage.
      if (stage === "signed" && prospect.playerId === null) setSigning(prospect);
      else moveNow(prospect, stage);
    },
    [moveNow],
  );
  const open = useCallback(({ id }: { id: string }) => setSearch({ open: id }, { isStep: true }), [setSearch]);
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {TEXTS.add}
    </Button>
  );
  const actions = (
    <>
      <ProspectViews view={search.view} setSearch={setSearch} />
      {add}
    </>
  );
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={prospects.all?.length === 0 ? undefined : actions} />
      {prospects.all === undefined ? (
        <Waiting records={prospects} />
      ) : prospects.all.length === 0 ? (
        <EmptyState
          icon={<IconBinoculars size={22} />}
          title={TEXTS.emptyTitle}
          action={add && <FirstSteps>{add}</FirstSteps>}
        >
          {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
        </EmptyState>
      ) : (
        <ProspectList
          all={prospects.all}
          isComplete={prospects.isComplete}
          search={search}
          setSearch={setSearch}
          onOpen={open}
          onMove={mayManage ? move : undefined}
        />
      )}
      <ProspectDrawer
        id={search.open}
        prospect={search.open === undefined ? undefined : prospects.byId.get(search.open)}
        isComplete={prospects.isComplete}
        onMove={mayManage ? move : undefined}
        onClose={() => setSearch({ open: undefined })}
      />
      {isAdding && (
        <AddProspectDialog
          onClose={() => setAdding(false)}
          onAdded={(id) => {
            setAdding(false);
            open({ id });
          }}
        />
      )}
      {signing !== null && (
        <SignProspectDialog
          prospect={prospects.byId.get(signing.id) ?? signing}
          onStageOnly={
            signing.stage === "signed"
              ? undefined
              : () => {
                  setSigning(null);
                  moveNow(prospects.byId.get(signing.id) ?? signing, "signed");
                }
          }
          onClose={() => setSigning(null)}
        />
      )}
    </>
  );
}

function Waiting({
  records,
}: {
  readonly records: Pick<ReturnType<typeof useRecords<"prospect">>, "failure" | "retry">;
}) {
  if (records.failure !== null) return <LoadFault failure={records.failure} onRetry={records.retry} />;
  return <BlockSkeleton height={BOARD_PX} />;
}

interface ProspectListProps {
  readonly all: readonly Prospect[];
  readonly isComplete: boolean;
  readonly search: ProspectsSearch;
  readonly setSearch: SetProspectsSearch;
  readonly onOpen: (prospect: Prospect) => void;
  readonly onMove: MoveToStage | undefined;
}

/** Until somebody chooses otherwise. */
const USUALLY_HIDDEN = ["contractEndDate", "lastContactAt", "tags"];
const rowKey = ({ id }: Prospect) => id;

function ProspectList({ all, isComplete, search, setSearch, onOpen, onMove }: ProspectListProps) {
  const { q, game, priority, assignee, view, sort } = search;
  const shown = useMemo(
    () => filterProspects(all, { q, game, priority, assignee }),
    [all, q, game, priority, assignee],
  );
  const columns = useMemo(() => makeProspectColumns(onOpen), [onOpen]);
  const rows = useMemo(() => (view === "table" ? shown.toSorted(compareProspects) : []), [shown, view]);
  const columnChoice = useHiddenColumns("prospects", USUALLY_HIDDEN);
  const rowSort = useMemo(() => readRowSort(sort), [sort]);
  const nothing = (
    <EmptyState
      icon={<IconSearchOff size={22} />}
      title={TEXTS.nothingTitle}
      action={
        <Button
          variant="default"
          onClick={() => setSearch({ q: undefined, game: undefined, priority: undefined, assignee: undefined })}
        >
          {TEXTS.clear}
        </Button>
      }
    >
      {TEXTS.nothingBody}
    </EmptyState>
  );
  return (
    <>
      <ProspectFilters all={all} shown={shown.length} search={search} setSearch={setSearch}>
        {view === "table" && <ColumnMenu columns={columns} {...columnChoice} />}
      </ProspectFilters>
      {shown.length === 0 ? (
        nothing
      ) : view === "table" ? (
        <RecordTable
          label={TEXTS.caption}
          columns={columns}
          rows={rows}
          rowKey={rowKey}
          hidden={columnChoice.hidden}
          sort={rowSort}
          onSort={(next) => setSearch({ sort: writeRowSort(next) })}
          isBusy={!isComplete}
        />
      ) : (
        <>
          <ProspectBoard prospects={shown} onOpen={onOpen} onMove={onMove} />
          <Text size="sm" c="dimmed" mt="sm" {...(onMove !== undefined && { visibleFrom: "sm" })}>
            {onMove === undefined ? BOARD_TEXTS.hintReadOnly : BOARD_TEXTS.hint}
          </Text>
        </>
      )}
    </>
  );
}
