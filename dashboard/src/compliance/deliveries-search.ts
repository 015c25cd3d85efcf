/** Which deliveries a webhook's page shows, as it stands in its address, and what it asks the server for. */
import { CHANGE_TYPES, type ChangeType } from "@lineup/api/change-types";
import type { ActionQuery } from "@lineup/api/dashboard/actions";
import type { DeliveryState, PING_TYPE } from "@lineup/api/dashboard/webhooks";
import { PING } from "../texts/webhook-texts.ts";
import { dropUnset, readChoice } from "./search-values.ts";
import { readTimeRange, resolveTimeRange, type TimeRange } from "./time-range.ts";
import { DELIVERY_STATE_LOOKS } from "./webhook-states.ts";

export const DELIVERY_STATE_FILTERS = Object.keys(DELIVERY_STATE_LOOKS) as readonly DeliveryState[];
export type MessageType = ChangeType | typeof PING_TYPE;
export const MESSAGE_TYPES: readonly MessageType[] = [PING, ...CHANGE_TYPES];

export interface DeliveriesSearch extends TimeRange {
  readonly state?: DeliveryState;
  readonly type?: MessageType;
}

export function readDeliveriesSearch(search: Readonly<Record<string, unknown>>): DeliveriesSearch {
  return {
    ...dropUnset({
      state: readChoice(search.state, DELIVERY_STATE_FILTERS),
      type: readChoice(search.type, MESSAGE_TYPES),
    }),
    ...readTimeRange(search),
  };
}

export function makeDeliveriesQuery(search: DeliveriesSearch, now: number): NonNullable<ActionQuery<"listDeliveries">> {
  const { from, to } = resolveTimeRange(search, now);
  return dropUnset({
    state: search.state,
    type: search.type,
    from: from === undefined ? undefined : String(from),
    to: to === undefined ? undefined : String(to),
  });
}
