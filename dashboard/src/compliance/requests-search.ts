/** What Compliance › Requests keeps in its address, and what it asks the server for. */
import type { ActionQuery } from "@lineup/api/dashboard/actions";
import { ERROR_CODES, type ErrorCode } from "@lineup/api/errors";
import { dropUnset, readChoice, readText } from "./search-values.ts";
import { readTimeRange, resolveTimeRange, type TimeRange } from "./time-range.ts";

export const REQUEST_METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"] as const;
const STATUS_TEXT = /^([1-5]\d\d|[1-5]xx)$/;

export interface RequestsSearch extends TimeRange {
  /** A request id, whole. */
  readonly id?: string;
  readonly keyId?: string;
  readonly status?: string;
  readonly code?: ErrorCode;
  readonly method?: (typeof REQUEST_METHODS)[number];
  readonly path?: string;
  /** The request that is opened. */
  readonly open?: string;
}

export function readRequestsSearch(search: Readonly<Record<string, unknown>>): RequestsSearch {
  const status = readText(search.status)?.toLowerCase();
  return {
    ...dropUnset({
      id: readText(search.id),
      keyId: readText(search.keyId),
      status: status !== undefined && STATUS_TEXT.test(status) ? status : undefined,
      code: readChoice(search.code, ERROR_CODES),
      method: readChoice(search.method, REQUEST_METHODS),
      path: readText(search.path),
      open: readText(search.open),
    }),
    ...readTimeRange(search),
  };
}

/** Whether anything is filtered; which row is open does not count. */
export function isFiltering({ open: _, ...filters }: RequestsSearch): boolean {
  return Object.keys(filters).length > 0;
}

export function makeRequestsQuery(search: RequestsSearch, now: number): NonNullable<ActionQuery<"listRequests">> {
  const { from, to } = resolveTimeRange(search, now);
  return dropUnset({
    id: search.id,
    keyId: search.keyId,
    status: search.status,
    code: search.code,
    method: search.method,
    path: search.path,
    from: from === undefined ? undefined : String(from),
    to: to === undefined ? undefined : String(to),
  });
}
