/** Compliance › Requests: every request of the organization's keys, newest first; what is filtered and what is open stand in the address. */
import type { RequestView } from "@lineup/api/dashboard/records";
import { Button, Group, Switch, Text } from "@mantine/core";
import { IconListSearch, IconSearchOff } from "@tabler/icons-react";
import { useState } from "react";
import { useOrganization } from "../client/session.ts";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { FindRequest } from "./find-request.tsx";
import { OlderRequests } from "./older-requests.tsx";
import { useRequestColumns } from "./request-columns.tsx";
import { RequestDrawer } from "./request-drawer.tsx";
import { CLEAR_REQUESTS, RequestFilters } from "./request-filters.tsx";
import { isFiltering, readRequestsSearch } from "./requests-search.ts";
import { type RequestPages, useRequestPages } from "./use-request-pages.ts";
import { useSearchState } from "./use-search-state.ts";

export function RequestsPage() {
  const { id: orgId } = useOrganization();
  const [search, setSearch] = useSearchState(readRequestsSearch);
  const [isLive, setLive] = useState(true);
  const pages = useRequestPages(orgId, search, isLive);
  return (
    <>
      <PageHeader
        title={TEXTS.title}
        lead={pages.retentionDays === undefined ? TEXTS.introUnknown : TEXTS.intro(pages.retentionDays)}
        actions={
          <Switch
            label={TEXTS.live}
            description={TEXTS.liveHint}
            checked={isLive}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
        }
      />
      <FindRequest id={search.id} onFind={(id) => setSearch({ ...CLEAR_REQUESTS, id, open: id }, { isStep: true })} />
      <RequestFilters search={search} onChange={setSearch} />
      {pages.isDeep && (
        <Group gap="xs" mb="xs" role="status">
          <Text size="sm" c="dimmed">
            {TEXTS.pausedOlder}
          </Text>
          <Button size="compact-sm" variant="default" onClick={pages.backToNewest}>
            {TEXTS.resume}
          </Button>
        </Group>
      )}
      <RequestList
        orgId={orgId}
        pages={pages}
        isFiltered={isFiltering(search)}
        onClear={() => setSearch(CLEAR_REQUESTS)}
      />
      <RequestDrawer
        requestId={search.open}
        known={pages.requests?.find((request) => request.id === search.open)}
        onClose={() => setSearch({ open: undefined })}
      />
    </>
  );
}

interface RequestListProps {
  readonly orgId: string;
  readonly pages: RequestPages;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function RequestList({ orgId, pages, isFiltered, onClear }: RequestListProps) {
  const columns = useRequestColumns(orgId);
  if (pages.failure !== null) return <LoadFault failure={pages.failure} onRetry={pages.retry} />;
  const isSearching = pages.requests?.length === 0 && pages.hasOlder;
  return (
    <>
      {!isSearching && (
        <DataTable<RequestView>
          label={TEXTS.caption}
          columns={columns}
          rows={pages.requests}
          rowKey={(request) => request.id}
          skeletonRows={8}
          empty={
            isFiltered ? (
              <NothingFound retentionDays={pages.retentionDays ?? 0} onClear={onClear} />
            ) : (
              <NoRequests orgId={orgId} />
            )
          }
        />
      )}
      <OlderRequests pages={pages} />
    </>
  );
}

function NoRequests({ orgId }: { readonly orgId: string }) {
  return (
    <EmptyState
      icon={<IconListSearch size={22} />}
      title={TEXTS.emptyTitle}
      action={
        <ButtonLink to="/orgs/$orgId/compliance/keys" params={{ orgId }}>
          {TEXTS.emptyAction}
        </ButtonLink>
      }
    >
      {TEXTS.emptyBody}
    </EmptyState>
  );
}

function NothingFound({ retentionDays, onClear }: { readonly retentionDays: number; readonly onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconSearchOff size={22} />}
      title={TEXTS.nothingTitle}
      action={
        <Button variant="default" onClick={onClear}>
          {TEXTS.clear}
        </Button>
      }
    >
      {TEXTS.nothingBody(retentionDays)}
    </EmptyState>
  );
}
