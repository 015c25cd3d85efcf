/** The filters of Compliance › Audit. Each lives in the address. */
import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { Select } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { AUDIT_KINDS, AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import type { AuditSearch } from "./audit-search.ts";
import { listActionsOf } from "./audit-sentences.ts";
import { FilterPanel, widthOf } from "./filter-panel.tsx";
import { LazyTextField } from "./lazy-text-field.tsx";
import { isWithoutRange } from "./time-range.ts";
import { TimeRangeField } from "./time-range-field.tsx";

export type AuditChange = { readonly [K in keyof AuditSearch]?: AuditSearch[K] | undefined };

export const CLEAR_AUDIT: AuditChange = {
  actor: undefined,
  action: undefined,
  target: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
};

export interface AuditFiltersProps {
  readonly search: AuditSearch;
  /** What is shown: names for actors that are members no more. */
  readonly entries: readonly AuditEntryView[];
  readonly onChange: (change: AuditChange) => void;
}

export function AuditFilters({ search, entries, onChange }: AuditFiltersProps) {
  const { actor, action, target } = search;
  const single = [actor, action, target].filter((each) => each !== undefined).length;
  return (
    <FilterPanel count={single + (isWithoutRange(search) ? 0 : 1)} onClear={() => onChange(CLEAR_AUDIT)}>
      <ActorSelect value={actor} entries={entries} onChange={(chosen) => onChange({ actor: chosen })} />
      <Select
        label={TEXTS.action}
        placeholder={TEXTS.anything}
        data={listActionChoices(action)}
        value={action ?? null}
        onChange={(chosen) => onChange({ action: chosen ?? undefined })}
        searchable
        clearable
        w={widthOf(230)}
      />
      <LazyTextField
        label={TEXTS.target}
        value={target}
        onChange={(chosen) => onChange({ target: chosen })}
        w={widthOf(230)}
      />
      <TimeRangeField value={search} onChange={onChange} />
    </FilterPanel>
  );
}

function listActionChoices(asked: string | undefined) {
  const groups = AUDIT_KINDS.map(({ kind, label }) => ({
    group: label,
    items: [
      { value: kind, label: TEXTS.allOf(label) },
      ...listActionsOf(kind).map(({ action, label: words }) => ({ value: action, label: words })),
    ],
  }));
  const isKnown = asked === undefined || groups.some(({ items }) => items.some(({ value }) => value === asked));
  return isKnown ? groups : [...groups, { group: TEXTS.other, items: [{ value: asked, label: asked }] }];
}

interface ActorSelectProps {
  readonly value: string | undefined;
  readonly entries: readonly AuditEntryView[];
  readonly onChange: (actor: string | undefined) => void;
}

function ActorSelect({ value, entries, onChange }: ActorSelectProps) {
  const { id: orgId } = useOrganization();
  const members = useAction("listMembers", { path: { orgId } });
  const keys = useAction("listKeys", { path: { orgId } });
  const people = (members.data?.members ?? []).map(({ userId, name }) => ({ value: userId, label: name }));
  const machines = (keys.data?.keys ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const known = new Set([...people, ...machines].map((each) => each.value));
  const others = new Map(value === undefined || known.has(value) ? [] : [[value, value]]);
  for (const { actor } of entries) if (actor.id !== null && !known.has(actor.id)) others.set(actor.id, actor.name);
  const groups = [
    { group: TEXTS.people, items: people },
    { group: TEXTS.keys, items: machines },
    { group: TEXTS.other, items: [...others].map(([id, name]) => ({ value: id, label: name })) },
  ];
  return (
    <Select
      label={TEXTS.actor}
      placeholder={TEXTS.anybody}
      data={groups.filter(({ items }) => items.length > 0)}
      value={value ?? null}
      onChange={(actor) => onChange(actor ?? undefined)}
      searchable
      clearable
      w={widthOf(210)}
    />
  );
}
