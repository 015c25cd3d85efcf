/** Compliance › Audit: who did what to what, newest first. Filters stand in the address; an entry opens to what changed. */
import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { Button, Group, Text } from "@mantine/core";
import { IconDownload, IconHistory, IconSearchOff } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useOrganization } from "../client/session.ts";
import { useActionMutation, useActionPages } from "../client/use-action.ts";
import { AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { downloadText } from "../ui/download-text.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { sayNumber } from "../ui/number-words.ts";
import { PageHeader } from "../ui/page-header.tsx";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { makeAuditColumns } from "./audit-columns.tsx";
import { AuditDetail } from "./audit-detail.tsx";
import { AuditFilters, CLEAR_AUDIT } from "./audit-filters.tsx";
import { type AuditSearch, makeAuditExport, makeAuditQuery, readAuditSearch } from "./audit-search.ts";
import { useSearchState } from "./use-search-state.ts";

const LIMIT = "50";

export function AuditPage() {
  const { id: orgId } = useOrganization();
  const [search, setSearch] = useSearchState(readAuditSearch);
  // A span that moves begins when it was chosen: were it to move with every moment, every moment would ask anew.
  const query = useMemo(() => ({ ...makeAuditQuery(search, serverNow()), limit: LIMIT }), [search]);
  const pages = useActionPages("listAudit", { path: { orgId }, query }, { staleTime: 0 });
  const entries = pages.data?.pages.flatMap((page) => page.entries);
  const total = pages.data?.pages[0]?.total;
  return (
    <>
      <PageHeader
        title={TEXTS.title}
        lead={TEXTS.intro}
        actions={<ExportButton orgId={orgId} search={search} isEmpty={total === 0} />}
      />
      <AuditFilters search={search} entries={entries ?? []} onChange={setSearch} />
      {entries === undefined && pages.error !== null ? (
        <LoadFault failure={pages.error} onRetry={pages.refetch} />
      ) : (
        <EntryList
          entries={entries}
          total={total}
          isFiltered={Object.keys(search).length > 0}
          onClear={() => setSearch(CLEAR_AUDIT)}
        />
      )}
      {pages.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {TEXTS.older}
          </Button>
        </Group>
      )}
    </>
  );
}

interface ExportButtonProps {
  readonly orgId: string;
  readonly search: AuditSearch;
  readonly isEmpty: boolean;
}

function ExportButton({ orgId, search, isEmpty }: ExportButtonProps) {
  const download = useActionMutation("exportAudit", {
    changes: ["listAudit"],
    says: TEXTS.exported,
    onDone: ({ fileName, csv }) => downloadText(fileName, csv, "text/csv"),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={download.isPending}
      disabled={isEmpty}
      onClick={() => download.mutate({ path: { orgId }, body: makeAuditExport(search, serverNow()) })}
    >
      {TEXTS.exportCsv}
    </Button>
  );
}

interface EntryListProps {
  readonly entries: readonly AuditEntryView[] | undefined;
  readonly total: number | undefined;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function EntryList({ entries, total, isFiltered, onClear }: EntryListProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const isPhone = useIsPhone();
  const toggle = (seq: number) => setOpened((before) => before.symmetricDifference(new Set([seq])));
  return (
    <>
      <Text size="sm" c="dimmed" role="status" mb="xs">
        {total !== undefined && total > 0 && sayTotal(total, isFiltered)}
      </Text>
      <DataTable
        label={TEXTS.caption}
        columns={makeAuditColumns({ opened, onToggle: toggle, isPhone })}
        rows={entries}
        rowKey={(entry) => String(entry.seq)}
        skeletonRows={8}
        detail={(entry) => (opened.has(entry.seq) ? <AuditDetail entry={entry} /> : null)}
        empty={isFiltered ? <NothingFound onClear={onClear} /> : <NothingYet />}
      />
    </>
  );
}

/** The log has so many; how many of them match is not known before all were looked at. */
function sayTotal(total: number, isFiltered: boolean): string {
  if (isFiltered) return TEXTS.totalOfLog(sayNumber(total));
  return total === 1 ? TEXTS.one : TEXTS.total(sayNumber(total));
}

function NothingYet() {
  return (
    <EmptyState icon={<IconHistory size={22} />} title={TEXTS.emptyTitle}>
      {TEXTS.emptyBody}
    </EmptyState>
  );
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  const clear = (
    <Button variant="default" onClick={onClear}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} action={clear}>
      {TEXTS.nothingBody}
    </EmptyState>
  );
}
