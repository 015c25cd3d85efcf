/** Compliance › Webhooks: every webhook of the organization and how it goes, looked at anew every few seconds. */
import type { WebhookState, WebhookView } from "@lineup/api/dashboard/webhooks";
import { Button, Group, Text } from "@mantine/core";
import { IconPlus, IconSearchOff, IconWebhook } from "@tabler/icons-react";
import { useMemo } from "react";
import { live } from "../client/live.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { WEBHOOKS_TEXTS as TEXTS, WEBHOOK_STATE_TEXTS } from "../texts/webhook-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FilterSelect } from "../ui/filter-select.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { useSearchState } from "./use-search-state.ts";
import { makeWebhookColumns } from "./webhook-columns.tsx";
import { WebhookTroubles } from "./webhook-troubles.tsx";
import { filterWebhooks, readWebhooksSearch, WEBHOOK_STATE_FILTERS, type WebhooksSearch } from "./webhooks-search.ts";

const LIVE_MS = 5_000;

export function WebhooksPage() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("keys:manage");
  const [search, setSearch] = useSearchState(readWebhooksSearch);
  const webhooks = useAction("listWebhooks", { path: { orgId } }, live(LIVE_MS));
  const all = webhooks.data?.webhooks;
  const max = webhooks.data?.max ?? Number.POSITIVE_INFINITY;
  const create = mayManage ? <CreateLink orgId={orgId} full={(all?.length ?? 0) >= max ? max : null} /> : undefined;
  return (
    <>
      <PageHeader title={TEXTS.title} lead={TEXTS.intro} actions={all?.length === 0 ? undefined : create} />
      {all === undefined && webhooks.error !== null ? (
        <LoadFault failure={webhooks.error} onRetry={webhooks.refetch} />
      ) : all?.length === 0 ? (
        <EmptyState icon={<IconWebhook size={22} />} title={TEXTS.emptyTitle} action={create}>
          {mayManage ? TEXTS.emptyBody : TEXTS.emptyBodyReadOnly}
        </EmptyState>
      ) : (
        <WebhookList orgId={orgId} all={all} search={search} setSearch={setSearch} />
      )}
    </>
  );
}

interface CreateLinkProps {
  readonly orgId: string;
  /** How many there can be, where there are so many; else null. */
  readonly full: number | null;
}

function CreateLink({ orgId, full }: CreateLinkProps) {
  if (full !== null) {
    return (
      <Text size="sm" c="dimmed" role="note" maw={520}>
        {TEXTS.full(full)}
      </Text>
    );
  }
  return (
    <ButtonLink
      to="/orgs/$orgId/compliance/webhooks/new"
      params={{ orgId }}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {TEXTS.create}
    </ButtonLink>
  );
}

interface WebhookListProps {
  readonly orgId: string;
  readonly all: readonly WebhookView[] | undefined;
  readonly search: WebhooksSearch;
  readonly setSearch: (change: { q?: string | undefined; state?: WebhookState | undefined }) => void;
}

function WebhookList({ orgId, all, search, setSearch }: WebhookListProps) {
  const columns = useMemo(() => makeWebhookColumns(orgId), [orgId]);
  const shown = all === undefined ? undefined : filterWebhooks(all, search);
  const clear = (
    <Button variant="default" onClick={() => setSearch({ q: undefined, state: undefined })}>
      {TEXTS.clear}
    </Button>
  );
  return (
    <>
      <WebhookTroubles orgId={orgId} webhooks={all ?? []} />
      <Group gap="xs" mb="sm" wrap="wrap">
        <SearchField label={TEXTS.search} hint={TEXTS.searchHint} value={search.q} onChange={(q) => setSearch({ q })} />
        <StateSelect all={all ?? []} value={search.state} onChange={(state) => setSearch({ state })} />
        <Text size="sm" c="dimmed" role="status" ml="auto">
          {all !== undefined && shown !== undefined && TEXTS.count(shown.length, all.length)}
        </Text>
      </Group>
      <DataTable
        label={TEXTS.caption}
        columns={columns}
        rows={shown}
        rowKey={(webhook) => webhook.id}
        empty={
          <EmptyState icon={<IconSearchOff size={22} />} title={TEXTS.nothingTitle} action={clear}>
            {TEXTS.nothingBody}
          </EmptyState>
        }
      />
    </>
  );
}

interface StateSelectProps {
  readonly all: readonly WebhookView[];
  readonly value: WebhookState | undefined;
  readonly onChange: (state: WebhookState | undefined) => void;
}

/** Only states that some webhook is in, each with how many; and the one chosen, even when none is left in it. */
function StateSelect({ all, value, onChange }: StateSelectProps) {
  const choices = WEBHOOK_STATE_FILTERS.flatMap((state) => {
    const count = all.filter((webhook) => webhook.state === state).length;
    const label = `${WEBHOOK_STATE_TEXTS[state].word} (${count})`;
    return count === 0 && state !== value ? [] : [{ value: state, label }];
  });
  return (
    <FilterSelect
      label={TEXTS.stateFilter}
      isLabelHidden
      any={TEXTS.anyState}
      choices={choices}
      value={value}
      onChange={(state) => onChange(WEBHOOK_STATE_FILTERS.find((each) => each === state))}
      w={190}
    />
  );
}
