/** Data › Schedule: month, week and agenda of every team's matches, scrims, practices and events. */
import type { ScheduleEntry } from "@lineup/api/schedule";
import { Button, Stack } from "@mantine/core";
import { IconCalendarEvent, IconFileImport, IconPlus } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useAllows, useOrganization } from "../client/session.ts";
import { useSearchState } from "../compliance/use-search-state.ts";
import { useRecords } from "../records/use-records.ts";
import { SCHEDULE_TEXTS as TEXTS } from "../texts/schedule-texts.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import type { EventDialogName } from "./event-actions.tsx";
import { EventDialogs, type ShownEventDialog } from "./event-dialogs.tsx";
import { EventPanel } from "./event-panel.tsx";
import { findClashes, listClashing } from "./event-spans.ts";
import { NO_TEAM, readScheduleSearch } from "./schedule-search.ts";
import { proposeStart, ScheduleView } from "./schedule-view.tsx";
import { SubscribeButton } from "./subscribe-button.tsx";
import { useEventMove } from "./use-event-move.ts";

const NONE: readonly ScheduleEntry[] = [];

export function SchedulePage() {
  const mayManage = useAllows("data:manage");
  const [search, setSearch] = useSearchState(readScheduleSearch);
  const { all, byId, isComplete, failure, retry } = useRecords("event");
  const [dialog, setDialog] = useState<ShownEventDialog | null>(null);
  const move = useEventMove();
  const clashes = useMemo(() => findClashes(all ?? NONE), [all]);
  const opened = byId.get(search.open ?? "");
  const create = (startsAt: number) =>
    setDialog({ name: "create", startsAt, teamId: search.team === NO_TEAM ? null : (search.team ?? null) });
  const ask = (name: EventDialogName, event: ScheduleEntry) => setDialog({ name, event });
  const open = (id: string) => setSearch({ open: id }, { isStep: true });
  const isEmpty = isComplete && all?.length === 0;
  const createButton = mayManage ? <CreateButton onClick={() => create(proposeStart(search.date))} /> : undefined;
  return (
    <>
      <PageHeader
        title={TEXTS.title}
        lead={TEXTS.intro}
        actions={
          <>
            <SubscribeButton />
            {!isEmpty && createButton}
          </>
        }
      />
      {all === undefined && failure !== null ? (
        <LoadFault failure={failure} onRetry={retry} />
      ) : isEmpty ? (
        <NoEvents mayManage={mayManage} create={createButton} />
      ) : (
        <ScheduleView
          all={all}
          isComplete={isComplete}
          clashes={clashes}
          mayManage={mayManage}
          search={search}
          setSearch={setSearch}
          onOpen={open}
          onCreate={create}
          onMove={move}
          onResult={(event) => ask("result", event)}
        />
      )}
      <EventPanel
        id={search.open}
        event={opened}
        isComplete={isComplete}
        clashing={opened === undefined ? NONE : listClashing(opened, clashes)}
        mayManage={mayManage}
        onClose={() => setSearch({ open: undefined })}
        onOpen={open}
        onAsk={ask}
      />
      <EventDialogs
        shown={dialog}
        onClose={() => setDialog(null)}
        onMove={move}
        onDeleted={() => setSearch({ open: undefined })}
      />
    </>
  );
}

function CreateButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      {TEXTS.create}
    </Button>
  );
}

interface NoEventsProps {
  readonly mayManage: boolean;
  readonly create: React.ReactNode;
}

function NoEvents({ mayManage, create }: NoEventsProps) {
  const { id: orgId } = useOrganization();
  const ways = (
    <Stack gap="xs" align="center">
      {create}
      <ButtonLink
        to="/orgs/$orgId/data/import-export"
        params={{ orgId }}
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
      >
        {TEXTS.import}
      </ButtonLink>
    </Stack>
  );
  return (
    <EmptyState icon={<IconCalendarEvent size={22} />} title={TEXTS.emptyTitle} {...(mayManage && { action: ways })}>
      {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
    </EmptyState>
  );
}
