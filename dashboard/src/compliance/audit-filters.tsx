/** The filters of Compliance › Audit. Each lives in the address. */
import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { AUDIT_KINDS, AUDIT_TEXTS as TEXTS } from "../texts/audit-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
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
      <FilterSelect
        label={TEXTS.action}
        any={TEXTS.anything}
        choices={ACTION_CHOICES}
        value={action}
        onChange={(chosen) => onChange({ action: chosen })}
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

const ACTION_CHOICES = AUDIT_KINDS.map(({ kind, label }) => ({
  group: label,
  items: [
    { value: kind, label: TEXTS.allOf(label) },
    ...listActionsOf(kind).map(({ action, label: words }) => ({ value: action, label: words })),
  ],
}));

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
  const others = new Map<string, string>();
  for (const { actor } of entries) if (actor.id !== null && !known.has(actor.id)) others.set(actor.id, actor.name);
  const groups = [
    { group: TEXTS.people, items: people },
    { group: TEXTS.keys, items: machines },
    { group: TEXTS.other, items: [...others].map(([id, name]) => ({ value: id, label: name })) },
  ];
  return (
    <FilterSelect
      label={TEXTS.actor}
      any={TEXTS.anybody}
      choices={groups.filter(({ items }) => items.length > 0)}
      value={value}
      onChange={onChange}
      w={widthOf(210)}
    />
  );
}
