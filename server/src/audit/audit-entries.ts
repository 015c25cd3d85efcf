/**
 * Finds entries of an organization's audit log, newest first. However long the log and however rare what is looked for, no query reads
 * more than a stretch of it, and others of the process run in between; after many stretches the page ends short, with where to go on.
 */
import { setImmediate as breathe } from "node:timers/promises";
import { ActionError } from "@lineup/api/dashboard/action";
import type { ActionResult, ParsedQuery } from "@lineup/api/dashboard/actions";
import type { AuditEntryView, auditFilters } from "@lineup/api/dashboard/records";
import type { Selectable } from "kysely";
import type * as z from "zod";
import { changesFromNothing, type Origin } from "../store/audit-entry.ts";
import type { AuditTable } from "../store/audit-tables.ts";
import type { OrgStore } from "../store/org-store.ts";
import type { Store } from "../store/store.ts";
import { formatCsv, writeCell } from "../transfer/cells.ts";

export type AuditFilters = z.output<typeof auditFilters>;

const PAGE_DEFAULT = 50;
const STRETCH_ENTRIES = 5_000;
const STRETCHES_MAX = 100;

export async function listAuditEntries(
  store: Store,
  orgId: string,
  { cursor, limit = PAGE_DEFAULT, ...filters }: ParsedQuery<"listAudit">,
): Promise<ActionResult<"listAudit">> {
  const org = store.org(orgId);
  const [{ count: total }, last] = [await org.readAuditEnd(), await findLastNumber(org)];
  const before = Math.min(cursor === undefined ? last + 1 : parseCursor(cursor), last + 1);
  const found: AuditEntryView[] = [];
  let searchedTo = before;
  for await (const stretch of searchBack(org, filters, before, limit + 1)) {
    found.push(...stretch.entries);
    searchedTo = stretch.searchedTo;
  }
  const entries = found.slice(0, limit);
  const next = found.length > limit ? (entries.at(-1)?.seq ?? 1) : searchedTo;
  return { entries, nextCursor: next > 1 ? String(next) : null, total };
}

/** By the entries themselves; what the head says may be somebody's prank. */
async function findLastNumber(org: OrgStore): Promise<number> {
  const last = await org
    .selectFrom("audit")
    .select("audit.seq")
    .orderBy("audit.seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.seq ?? 0;
}

/**
 * Stretch by stretch, until as many as are wanted are found or the search has been long enough. Everything from `searchedTo` on was looked
 * at.
 */
async function* searchBack(
  org: OrgStore,
  filters: AuditFilters,
  before: number,
  wanted: number,
  stretches = STRETCHES_MAX,
): AsyncGenerator<{ readonly entries: readonly AuditEntryView[]; readonly searchedTo: number }> {
  let left = wanted;
  let to = before;
  for (let stretch = 0; stretch < stretches && to > 1 && left > 0; stretch++) {
    if (stretch > 0) await breathe();
    const from = Math.max(1, to - STRETCH_ENTRIES);
    const rows = await selectStretch(org, filters, from, to, left);
    left -= rows.length;
    // A stretch that has more than was wanted was looked through only so far.
    const searchedTo = left > 0 ? from : (rows.at(-1)?.seq ?? from);
    yield { entries: rows.map(viewOf), searchedTo };
    to = from;
  }
}

async function selectStretch(
  org: OrgStore,
  { actor, action, target, from: fromMoment, to: toMoment }: AuditFilters,
  from: number,
  to: number,
  limit: number,
): Promise<Selectable<AuditTable>[]> {
  let query = org.selectFrom("audit").selectAll().where("audit.seq", ">=", from).where("audit.seq", "<", to);
  if (actor !== undefined) query = query.where("audit.actor_id", "=", actor);
  if (target !== undefined) query = query.where("audit.target_id", "=", target);
  if (action?.includes(".")) query = query.where("audit.action", "=", action);
  // All that begins with the kind and a dot: "/" is the character after it.
  else if (action !== undefined)
    query = query.where("audit.action", ">", `${action}.`).where("audit.action", "<", `${action}/`);
  if (fromMoment !== undefined) query = query.where("audit.at", ">=", fromMoment);
  if (toMoment !== undefined) query = query.where("audit.at", "<=", toMoment);
  return query.orderBy("audit.seq", "desc").limit(limit).execute();
}

function parseCursor(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  const message = "is not where a page ended. Begin again without it";
  throw new ActionError("VALIDATION_ERROR", `The cursor ${message}.`, [{ field: "cursor", message }]);
}

function viewOf(row: Selectable<AuditTable>): AuditEntryView {
  return {
    seq: row.seq,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    requestId: row.request_id,
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
    changes: row.changes === null ? null : parseChanges(row.changes),
    note: row.note,
  };
}

/** Also of an entry that somebody has altered: it is shown as it is, and the page with it. */
function parseChanges(text: string): Record<string, [unknown, unknown]> {
  const pairs = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    pairs.map(([field, change]) => [field, Array.isArray(change) ? [change[0], change[1]] : [null, change]]),
  );
}

/** A file holds the newest of them; for what is older, ask for an earlier time. */
const EXPORT_MAX_ENTRIES = 100_000;
/** Made in memory and sent in one piece, so it has to be small enough to disturb nobody. */
const EXPORT_MAX_CHARACTERS = 8 * 1024 * 1024;

const COLUMNS: readonly (readonly [title: string, value: (entry: AuditEntryView) => unknown])[] = [
  ["number", ({ seq }) => seq],
  ["time", ({ at }) => new Date(at).toISOString()],
  ["action", ({ action }) => action],
  ["actor kind", ({ actor }) => actor.kind],
  ["actor id", ({ actor }) => actor.id],
  ["actor", ({ actor }) => actor.name],
  ["address", ({ address }) => address],
  ["request id", ({ requestId }) => requestId],
  ["target kind", ({ target }) => target.kind],
  ["target id", ({ target }) => target.id],
  ["target", ({ target }) => target.name],
  ["changes", ({ changes }) => changes],
  ["note", ({ note }) => note],
];

/** As a CSV file, newest first. That it was taken away is itself an entry. */
export async function exportAuditCsv(
  store: Store,
  orgId: string,
  filters: AuditFilters,
  origin: Origin,
  now = Date.now(),
): Promise<ActionResult<"exportAudit">> {
  const org = store.org(orgId);
  const last = await findLastNumber(org);
  const pieces = [formatCsv([COLUMNS.map(([title]) => title)])];
  let characters = 0;
  let entries = 0;
  let isWhole = true;
  for await (const stretch of searchBack(org, filters, last + 1, EXPORT_MAX_ENTRIES, Number.POSITIVE_INFINITY)) {
    const piece = formatCsv(stretch.entries.map((entry) => COLUMNS.map(([, value]) => writeCell(value(entry)))));
    characters += piece.length;
    entries += stretch.entries.length;
    pieces.push(piece);
    isWhole = stretch.searchedTo <= 1;
    if (characters > EXPORT_MAX_CHARACTERS) break;
  }
  const note = isWhole ? undefined : `The newest ${entries} entries; older ones did not fit into one file.`;
  await store.writeOrg(orgId, origin, (inside) =>
    inside.record([
      {
        at: now,
        action: "audit.exported",
        target: { kind: "organization", id: orgId, name: null },
        changes: changesFromNothing({ ...filters, entries }),
        ...(note === undefined ? {} : { note }),
      },
    ]),
  );
  const day = new Date(now).toISOString().slice(0, 10);
  return { fileName: `audit-${day}${isWhole ? "" : `-newest-${entries}`}.csv`, csv: pieces.join("") };
}
