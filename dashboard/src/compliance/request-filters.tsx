/** The filters of Compliance › Requests. Each lives in the address. */
import { ERROR_CODES, ERROR_STATUS } from "@lineup/api/errors";
import { Select } from "@mantine/core";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { FilterPanel, widthOf } from "./filter-panel.tsx";
import { LazyTextField } from "./lazy-text-field.tsx";
import { REQUEST_METHODS, type RequestsSearch } from "./requests-search.ts";
import { isWithoutRange } from "./time-range.ts";
import { TimeRangeField } from "./time-range-field.tsx";

export type RequestsChange = { readonly [K in keyof RequestsSearch]?: RequestsSearch[K] | undefined };

export interface RequestFiltersProps {
  readonly search: RequestsSearch;
  readonly onChange: (change: RequestsChange) => void;
}

const NOTHING: RequestsChange = {
  id: undefined,
  keyId: undefined,
  status: undefined,
  code: undefined,
  method: undefined,
  path: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
};

export const CLEAR_REQUESTS: RequestsChange = NOTHING;

export function RequestFilters({ search, onChange }: RequestFiltersProps) {
  return (
    <FilterPanel count={countFilters(search)} onClear={() => onChange(NOTHING)}>
      <KeySelect value={search.keyId} onChange={(keyId) => onChange({ keyId })} />
      <Select
        label={TEXTS.status}
        placeholder={TEXTS.any}
        data={listStatuses(search.status)}
        value={search.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
        clearable
        w={widthOf(130)}
      />
      <Select
        label={TEXTS.code}
        placeholder={TEXTS.any}
        data={[...ERROR_CODES]}
        value={search.code ?? null}
        onChange={(code) => onChange({ code: code ?? undefined })}
        clearable
        w={widthOf(170)}
      />
      <Select
        label={TEXTS.method}
        placeholder={TEXTS.any}
        data={[...REQUEST_METHODS]}
        value={search.method ?? null}
        onChange={(method) => onChange({ method: method ?? undefined })}
        clearable
        w={widthOf(105)}
      />
      <LazyTextField label={TEXTS.path} value={search.path} onChange={(path) => onChange({ path })} w={widthOf(150)} />
      <TimeRangeField value={search} onChange={onChange} />
    </FilterPanel>
  );
}

function countFilters(search: RequestsSearch): number {
  const { id, keyId, status, code, method, path } = search;
  const single = [id, keyId, status, code, method, path].filter((each) => each !== undefined).length;
  return single + (isWithoutRange(search) ? 0 : 1);
}

/** Classes first, then every status that a request with a key can get; and whatever the address asks for. */
function listStatuses(asked: string | undefined) {
  const classes = Object.entries(TEXTS.classes).map(([value, label]) => ({ value, label }));
  const known = ["200", "201", ...new Set(Object.values(ERROR_STATUS).map(String))].sort();
  const all = [...classes, ...known.map((value) => ({ value, label: value }))];
  if (asked === undefined || all.some(({ value }) => value === asked)) return all;
  return [...all, { value: asked, label: asked }];
}

interface KeySelectProps {
  readonly value: string | undefined;
  readonly onChange: (keyId: string | undefined) => void;
}

function KeySelect({ value, onChange }: KeySelectProps) {
  const { id: orgId } = useOrganization();
  const keys = useAction("listKeys", { path: { orgId } });
  const data = (keys.data?.keys ?? []).map((key) => ({ value: key.id, label: `${key.name} (${key.shownPrefix}…)` }));
  const all =
    value === undefined || data.some((each) => each.value === value) ? data : [...data, { value, label: value }];
  return (
    <Select
      label={TEXTS.key}
      placeholder={TEXTS.any}
      data={all}
      value={value ?? null}
      onChange={(keyId) => onChange(keyId ?? undefined)}
      searchable
      clearable
      w={widthOf(190)}
    />
  );
}
