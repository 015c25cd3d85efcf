/** What was sent to a webhook, newest first; filters stand in the address, and a delivery opens to its attempts. */
import type { DeliveryView, WebhookView } from "@lineup/api/dashboard/webhooks";
import { Button, Group, Text } from "@mantine/core";
import { IconHistory, IconSearchOff, IconSend } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { serverNow } from "../client/server-clock.ts";
import { useActionPages } from "../client/use-action.ts";
import { DELIVERY_TEXTS as TEXTS, WEBHOOK_TEXTS } from "../texts/webhook-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { SectionCard } from "../ui/section-card.tsx";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { type DeliveriesSearch, makeDeliveriesQuery, readDeliveriesSearch } from "./deliveries-search.ts";
import { makeDeliveryColumns } from "./delivery-columns.tsx";
import { DeliveryDetail, type Replaying } from "./delivery-detail.tsx";
import { CLEAR_DELIVERIES, DeliveryFilters } from "./delivery-filters.tsx";
import { useSearchState } from "./use-search-state.ts";

const LIVE_MS = 4_000;
const LIMIT = "25";

export interface DeliveriesProps {
  readonly orgId: string;
  readonly webhook: WebhookView;
  /** Undefined for those who only look. */
  readonly onReplayAll: (() => void) | undefined;
}

export function Deliveries({ orgId, webhook, onReplayAll }: DeliveriesProps) {
  const [search, setSearch] = useSearchState(readDeliveriesSearch);
  const pages = useDeliveryPages(orgId, webhook.id, search);
  const replayAll = onReplayAll !== undefined && webhook.state !== "disabled" && (
    <Button variant="default" size="xs" leftSection={<IconSend size={14} aria-hidden />} onClick={onReplayAll}>
      {TEXTS.replayAll}
    </Button>
  );
  const isFiltered = Object.keys(search).length > 0;
  return (
    <SectionCard
      title={WEBHOOK_TEXTS.deliveries}
      lead={pages.retentionDays === undefined ? TEXTS.leadUnknown : TEXTS.lead(pages.retentionDays)}
      actions={replayAll}
    >
      <DeliveryFilters search={search} onChange={setSearch} />
      {pages.failure !== null ? (
        <LoadFault failure={pages.failure} onRetry={pages.retry} />
      ) : (
        <DeliveryTable
          orgId={orgId}
          webhookId={webhook.id}
          rows={pages.deliveries}
          replaying={onReplayAll === undefined ? "no" : webhook.state === "disabled" ? "later" : "yes"}
          nothing={
            isFiltered ? (
              <NothingFound retentionDays={pages.retentionDays ?? 0} onClear={() => setSearch(CLEAR_DELIVERIES)} />
            ) : (
              <NothingYet mayManage={onReplayAll !== undefined} />
            )
          }
        />
      )}
      <MoreDeliveries pages={pages} />
    </SectionCard>
  );
}

type DeliveryPages = ReturnType<typeof useDeliveryPages>;

/** Asked for anew every few seconds, until somebody goes on to older ones: then the list stands still, or what is read would move away. */
function useDeliveryPages(orgId: string, webhookId: string, search: DeliveriesSearch) {
  const filterText = JSON.stringify(search);
  const [deepFor, setDeepFor] = useState<string | null>(null);
  const isDeep = deepFor === filterText;
  // A span that moves begins when it was chosen: were it to move with every moment, every moment would ask anew.
  const query = useMemo(
    () => ({ ...makeDeliveriesQuery(JSON.parse(filterText) as DeliveriesSearch, serverNow()), limit: LIMIT }),
    [filterText],
  );
  const client = useQueryClient();
  const input = { path: { orgId, webhookId }, query };
  const pages = useActionPages("listDeliveries", input, { refetchInterval: isDeep ? false : LIVE_MS, staleTime: 0 });
  const all = pages.data?.pages;
  return {
    /** Undefined while the first page loads. */
    deliveries: all?.flatMap((page) => page.deliveries),
    failure: all === undefined ? pages.error : null,
    retentionDays: all?.[0]?.retentionDays,
    hasOlder: pages.hasNextPage,
    isLoadingOlder: pages.isFetchingNextPage,
    isDeep,
    loadOlder: () => {
      setDeepFor(filterText);
      void pages.fetchNextPage();
    },
    backToNewest: () => {
      setDeepFor(null);
      void client.resetQueries({ queryKey: ["listDeliveries", input, "pages"] });
    },
    retry: () => void pages.refetch(),
  };
}

interface DeliveryTableProps {
  readonly orgId: string;
  readonly webhookId: string;
  readonly rows: readonly DeliveryView[] | undefined;
  readonly replaying: Replaying;
  readonly nothing: ReactNode;
}

function DeliveryTable({ orgId, webhookId, rows, replaying, nothing }: DeliveryTableProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const isPhone = useIsPhone();
  const toggle = (id: string) => setOpened((before) => before.symmetricDifference(new Set([id])));
  return (
    <DataTable
      label={TEXTS.caption}
      columns={makeDeliveryColumns({ opened, onToggle: toggle, isPhone })}
      rows={rows}
      rowKey={({ id }) => id}
      skeletonRows={5}
      detail={(delivery) =>
        opened.has(delivery.id) ? (
          <DeliveryDetail orgId={orgId} webhookId={webhookId} delivery={delivery} replaying={replaying} />
        ) : null
      }
      empty={nothing}
    />
  );
}

function MoreDeliveries({ pages }: { readonly pages: DeliveryPages }) {
  if (pages.deliveries === undefined || pages.deliveries.length === 0) return null;
  return (
    <Group justify="center" gap="sm" mt="md">
      {pages.isDeep && (
        <Button variant="subtle" onClick={pages.backToNewest}>
          {TEXTS.resume}
        </Button>
      )}
      {pages.hasOlder ? (
        <Button variant="default" loading={pages.isLoadingOlder} onClick={pages.loadOlder}>
          {TEXTS.older}
        </Button>
      ) : (
        <Text size="sm" c="dimmed" role="status">
          {TEXTS.noOlder}
        </Text>
      )}
    </Group>
  );
}

function NothingYet({ mayManage }: { readonly mayManage: boolean }) {
  return (
    <EmptyState icon={<IconHistory size={22} />} title={TEXTS.emptyTitle} heading={3}>
      {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
    </EmptyState>
  );
}

function NothingFound({ retentionDays, onClear }: { readonly retentionDays: number; readonly onClear: () => void }) {
  const clear = (
    <Button variant="default" onClick={onClear}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} heading={3} action={clear}>
      {TEXTS.nothingBody(retentionDays)}
    </EmptyState>
  );
}
