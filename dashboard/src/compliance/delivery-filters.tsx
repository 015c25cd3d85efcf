import { KIND_NAMES } from "../texts/create-webhook-texts.ts";
import { DELIVERY_STATE_TEXTS, PING, DELIVERY_TEXTS as TEXTS } from "../texts/webhook-texts.ts";
import { FilterSelect } from "../ui/filter-select.tsx";
import { DELIVERY_STATE_FILTERS, type DeliveriesSearch, MESSAGE_TYPES } from "./deliveries-search.ts";
import { FilterPanel, widthOf } from "./filter-panel.tsx";
import { isWithoutRange } from "./time-range.ts";
import { TimeRangeField } from "./time-range-field.tsx";
import { groupTypes } from "./webhook-form.ts";

export type DeliveriesChange = { readonly [K in keyof DeliveriesSearch]?: DeliveriesSearch[K] | undefined };

export const CLEAR_DELIVERIES: DeliveriesChange = {
  state: undefined,
  type: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
};

const STATE_CHOICES = DELIVERY_STATE_FILTERS.map((state) => ({
  value: state,
  label: DELIVERY_STATE_TEXTS[state].word,
}));
const TYPE_CHOICES = [
  { value: PING, label: PING },
  ...[...groupTypes()].map(([kind, types]) => ({
    group: KIND_NAMES[kind] ?? kind,
    items: types.map((type) => ({ value: type, label: type })),
  })),
];

export interface DeliveryFiltersProps {
  readonly search: DeliveriesSearch;
  readonly onChange: (change: DeliveriesChange) => void;
}

export function DeliveryFilters({ search, onChange }: DeliveryFiltersProps) {
  const single = [search.state, search.type].filter((each) => each !== undefined).length;
  return (
    <FilterPanel count={single + (isWithoutRange(search) ? 0 : 1)} onClear={() => onChange(CLEAR_DELIVERIES)}>
      <FilterSelect
        label={TEXTS.state}
        any={TEXTS.any}
        choices={STATE_CHOICES}
        value={search.state}
        onChange={(state) => onChange({ state: DELIVERY_STATE_FILTERS.find((each) => each === state) })}
        w={widthOf(150)}
      />
      <FilterSelect
        label={TEXTS.type}
        any={TEXTS.any}
        choices={TYPE_CHOICES}
        value={search.type}
        onChange={(type) => onChange({ type: MESSAGE_TYPES.find((each) => each === type) })}
        w={widthOf(200)}
      />
      <TimeRangeField value={search} onChange={onChange} />
    </FilterPanel>
  );
}
