/** What Compliance › Audit keeps in its address, and what it asks the server for. */
import type { ActionBody, ActionQuery } from "@lineup/api/dashboard/actions";
import { dropUnset, readText } from "./search-values.ts";
import { readTimeRange, resolveTimeRange, type TimeRange } from "./time-range.ts";

export interface AuditSearch extends TimeRange {
  /** An actor's id. */
  readonly actor?: string;
  /** Whole, such as `key.revoked`, or all of a kind, such as `key`. */
  readonly action?: string;
  /** A target's id. */
  readonly target?: string;
}

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  return {
    ...dropUnset({
      actor: readText(search.actor),
      action: readText(search.action),
      target: readText(search.target),
    }),
    ...readTimeRange(search),
  };
}

export function makeAuditQuery(search: AuditSearch, now: number): NonNullable<ActionQuery<"listAudit">> {
  const { from, to } = resolveTimeRange(search, now);
  return dropUnset({
    actor: search.actor,
    action: search.action,
    target: search.target,
    from: from === undefined ? undefined : String(from),
    to: to === undefined ? undefined : String(to),
  });
}

export function makeAuditExport(search: AuditSearch, now: number): ActionBody<"exportAudit"> {
  return dropUnset({
    actor: search.actor,
    action: search.action,
    target: search.target,
    ...resolveTimeRange(search, now),
  });
}
