/** Compliance › API Keys: every key of the organization, looked at anew every few seconds. */
import type { KeyView } from "@lineup/api/dashboard/keys";
import { Button, Group, Text } from "@mantine/core";
import { IconKey, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useMemo } from "react";
import { live } from "../client/live.ts";
import { useAllows, useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { KEY_STATE_TEXTS, KEYS_TEXTS } from "../texts/key-texts.ts";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { FilterSelect } from "../ui/filter-select.tsx";
import { ButtonLink } from "../ui/links.tsx";
import { LoadFault } from "../ui/load-fault.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { EndingKeysNotice } from "./ending-keys-notice.tsx";
import { makeKeyColumns } from "./key-columns.tsx";
import {
  filterKeys,
  type KeysSearch,
  matchesState,
  readKeysSearch,
  STATE_FILTERS,
  type StateFilter,
} from "./keys-search.ts";
import { useSearchState } from "./use-search-state.ts";

const LIVE_MS = 5_000;

export function KeysPage() {
  const { id: orgId } = useOrganization();
  const mayManage = useAllows("keys:manage");
  const [search, setSearch] = useSearchState(readKeysSearch);
  const keys = useAction("listKeys", { path: { orgId } }, live(LIVE_MS));
  const all = keys.data?.keys;
  const create = mayManage ? <CreateLink orgId={orgId} /> : undefined;
  return (
    <>
      <PageHeader title={KEYS_TEXTS.title} lead={KEYS_TEXTS.intro} actions={all?.length === 0 ? undefined : create} />
      {all === undefined && keys.error !== null ? (
        <LoadFault failure={keys.error} onRetry={keys.refetch} />
      ) : all?.length === 0 ? (
        <EmptyState icon={<IconKey size={22} />} title={KEYS_TEXTS.emptyTitle} action={create}>
          {mayManage ? KEYS_TEXTS.emptyBody : KEYS_TEXTS.emptyBodyReadOnly}
        </EmptyState>
      ) : (
        <KeyList orgId={orgId} all={all} search={search} setSearch={setSearch} />
      )}
    </>
  );
}

function CreateLink({ orgId }: { readonly orgId: string }) {
  return (
    <ButtonLink
      to="/orgs/$orgId/compliance/keys/new"
      params={{ orgId }}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {KEYS_TEXTS.create}
    </ButtonLink>
  );
}

interface KeyListProps {
  readonly orgId: string;
  readonly all: readonly KeyView[] | undefined;
  readonly search: KeysSearch;
  readonly setSearch: (change: { q?: string | undefined; state?: StateFilter | undefined }) => void;
}

function KeyList({ orgId, all, search, setSearch }: KeyListProps) {
  const columns = useMemo(() => makeKeyColumns(orgId), [orgId]);
  const shown = all === undefined ? undefined : filterKeys(all, search);
  const clear = (
    <Button variant="default" onClick={() => setSearch({ q: undefined, state: undefined })}>
      {KEYS_TEXTS.clear}
    </Button>
  );
  return (
    <>
      <EndingKeysNotice orgId={orgId} keys={all ?? []} />
      <Group gap="xs" mb="sm" wrap="wrap">
        <SearchField
          label={KEYS_TEXTS.search}
          hint={KEYS_TEXTS.searchHint}
          value={search.q}
          onChange={(q) => setSearch({ q })}
        />
        <StateSelect all={all ?? []} value={search.state} onChange={(state) => setSearch({ state })} />
        <Text size="sm" c="dimmed" role="status" ml="auto">
          {all !== undefined && shown !== undefined && KEYS_TEXTS.count(shown.length, all.length)}
        </Text>
      </Group>
      <DataTable
        label={KEYS_TEXTS.caption}
        columns={columns}
        rows={shown}
        rowKey={(key) => key.id}
        empty={
          <EmptyState icon={<IconSearchOff size={22} />} title={KEYS_TEXTS.nothingTitle} action={clear}>
            {KEYS_TEXTS.nothingBody}
          </EmptyState>
        }
      />
    </>
  );
}

interface StateSelectProps {
  readonly all: readonly KeyView[];
  readonly value: StateFilter | undefined;
  readonly onChange: (state: StateFilter | undefined) => void;
}

/** Only states that some key is in, each with how many; and the one chosen, even when none is left in it. */
function StateSelect({ all, value, onChange }: StateSelectProps) {
  const choices = STATE_FILTERS.flatMap((state) => {
    const count = all.filter((key) => matchesState(key, state)).length;
    const word = state === "working" ? KEYS_TEXTS.working : KEY_STATE_TEXTS[state].word;
    return count === 0 && state !== value ? [] : [{ value: state, label: `${word} (${count})` }];
  });
  return (
    <FilterSelect
      label={KEYS_TEXTS.stateFilter}
      isLabelHidden
      any={KEYS_TEXTS.anyState}
      choices={choices}
      value={value}
      onChange={(state) => onChange(STATE_FILTERS.find((each) => each === state))}
      w={190}
    />
  );
}
