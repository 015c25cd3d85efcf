/** Players: everybody of the organization in one dense table, to find, look at and change many at once. */
import type { Player } from "@lineup/api/players";
import { Button, Group, Text } from "@mantine/core";
import { IconPlus, IconSearchOff, IconUsers } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useAllows, useOrganization } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { FirstSteps } from "../records/first-steps.tsx";
import { useRecords } from "../records/use-records.ts";
import { PLAYERS_TEXTS as TEXTS } from "../texts/player-texts.ts";
import { ColumnMenu, useHiddenColumns } from "../ui/column-menu.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { RecordTable } from "../ui/record-table.tsx";
import { readRowSort, writeRowSort } from "../ui/sort-rows.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { CreatePlayerDialog } from "./create-player-dialog.tsx";
import { HIDDEN_COLUMNS, makePlayerColumns } from "./player-columns.tsx";
import { PlayerFilters } from "./player-filters.tsx";
import { filterPlayers, NO_FILTERS, readPlayersSearch } from "./players-search.ts";

export function PlayersPage() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("data:manage");
  const [isCreating, setIsCreating] = useState(false);
  const players = useRecords("player");
  const create = mayManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      {TEXTS.create}
    </Button>
  );
  const isEmpty = players.isComplete && players.all?.length === 0;
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={isEmpty ? undefined : create || undefined} />
      {players.failure !== null ? (
        <LoadFault failure={players.failure} onRetry={players.retry} />
      ) : isEmpty ? (
        <EmptyState
          icon={<IconUsers size={22} />}
          title={TEXTS.emptyTitle}
          action={create && <FirstSteps>{create}</FirstSteps>}
        >
          {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
        </EmptyState>
      ) : (
        <PlayerList orgId={orgId} all={players.all} isComplete={players.isComplete} mayManage={mayManage} />
      )}
      {isCreating && <CreatePlayerDialog orgId={orgId} onClose={() => setIsCreating(false)} />}
    </>
  );
}

interface PlayerListProps {
  readonly orgId: string;
  readonly all: readonly Player[] | undefined;
  readonly isComplete: boolean;
  readonly mayManage: boolean;
}

/** Of the bar at the foot while some are selected; it takes two lines on a phone. */
const BAR_PX = 64;
const keyOf = (player: Player) => player.id;

function PlayerList({ orgId, all, isComplete, mayManage }: PlayerListProps) {
  const teams = useRecords("team");
  const [search, setSearch] = useSearchState(readPlayersSearch);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const columnChoice = useHiddenColumns("players", HIDDEN_COLUMNS);
  const columns = useMemo(() => makePlayerColumns(orgId, teams.byId), [orgId, teams.byId]);
  const shown = useMemo(
    () => (all === undefined ? undefined : filterPlayers(all, search, teams.byId)),
    [all, search, teams.byId],
  );
  const sort = useMemo(() => readRowSort(search.sort), [search.sort]);
  const clear = (
    <Button variant="default" onClick={() => setSearch(NO_FILTERS)}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <>
      <Group gap="xs" mb="sm" wrap="wrap">
        <PlayerFilters search={search} setSearch={setSearch} teams={teams.all ?? []} />
        <ColumnMenu columns={columns} {...columnChoice} />
        <Text size="sm" c="dimmed" role="status" ml="auto">
          {all !== undefined && shown !== undefined && TEXTS.count(shown.length, all.length, isComplete)}
        </Text>
      </Group>
      {mayManage && selected.size > 0 && (
        <BulkBar orgId={orgId} selected={selected} shown={shown ?? []} onClear={() => setSelected(new Set())} />
      )}
      <RecordTable
        label={TEXTS.caption}
        columns={columns}
        rows={shown}
        rowKey={keyOf}
        sort={sort}
        onSort={(next) => setSearch({ sort: writeRowSort(next) })}
        hidden={columnChoice.hidden}
        selection={mayManage ? { selected, onChange: setSelected } : undefined}
        isBusy={!isComplete}
        footPx={selected.size > 0 ? BAR_PX : 0}
        empty={
          <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} action={clear}>
            {TEXTS.nothingBody}
          </EmptyState>
        }
      />
    </>
  );
}
