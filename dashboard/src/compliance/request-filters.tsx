/** The filters of Compliance › Requests. Each lives in the address. */
import { ERROR_CODES, ERROR_STATUS } from "@lineup/api/errors";
import { useOrganization } from "../client/session.ts";
import { useAction } from "../client/use-action.ts";
import { REQUESTS_TEXTS as TEXTS } from "../texts/request-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
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

export const CLEAR_REQUESTS: RequestsChange = {
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

export function RequestFilters({ search, onChange }: RequestFiltersProps) {
  return (
    <FilterPanel count={countFilters(search)} onClear={() => onChange(CLEAR_REQUESTS)}>
      <KeySelect value={search.keyId} onChange={(keyId) => onChange({ keyId })} />
      <FilterSelect
        label={TEXTS.status}
        any={TEXTS.any}
        choices={STATUS_CHOICES}
        value={search.status}
        onChange={(status) => onChange({ status })}
        w={widthOf(140)}
      />
      <FilterSelect
        label={TEXTS.code}
        any={TEXTS.any}
        choices={ERROR_CODES.map((code) => ({ value: code, label: code }))}
        value={search.code}
        onChange={(code) => onChange({ code: ERROR_CODES.find((each) => each === code) })}
        w={widthOf(170)}
      />
      <FilterSelect
        label={TEXTS.method}
        any={TEXTS.any}
        choices={REQUEST_METHODS.map((method) => ({ value: method, label: method }))}
        value={search.method}
        onChange={(method) => onChange({ method: REQUEST_METHODS.find((each) => each === method) })}
        w={widthOf(100)}
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

/** Classes first, then every status that a request with a key can get. */
const STATUS_CHOICES = [
  ...Object.entries(TEXTS.classes).map(([value, label]) => ({ value, label })),
  ...["200", "201", ...new Set(Object.values(ERROR_STATUS).map(String))]
    .sort()
    .map((value) => ({ value, label: value })),
];

interface KeySelectProps {
  readonly value: string | undefined;
  readonly onChange: (keyId: string | undefined) => void;
}

function KeySelect({ value, onChange }: KeySelectProps) {
  const { id: orgId } = useOrganization();
  const keys = useAction("listKeys", { path: { orgId } });
  const choices = (keys.data?.keys ?? []).map((key) => ({ value: key.id, label: `${key.name} (${key.shownPrefix}…)` }));
  return (
    <FilterSelect
      label={TEXTS.key}
      any={TEXTS.any}
      choices={choices}
      value={value}
      onChange={onChange}
      w={widthOf(190)}
    />
  );
}
