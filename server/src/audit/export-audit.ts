/** An organization's audit log as a CSV file, newest first. That it was taken away is itself an entry. */

import type { AuditEntryView } from "@lineup/api/dashboard/records";
import { stringify } from "csv-stringify/sync";
import { changesFromNothing } from "../store/audit-entry.ts";
import type { Origin } from "../store/origin.ts";
import type { Store } from "../store/store.ts";
import { writeCell } from "../transfer/cells.ts";
import { type AuditFilters, findLastNumber, searchBack } from "./audit-entries.ts";

/** A file holds the newest of them; for what is older, ask for an earlier time. */
export const EXPORT_MAX_ENTRIES = 100_000;
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

export interface AuditExport {
  readonly fileName: string;
  readonly csv: string;
}

export async function exportAuditCsv(
  store: Store,
  orgId: string,
  filters: AuditFilters,
  origin: Origin,
  now = Date.now(),
): Promise<AuditExport> {
  const org = store.org(orgId);
  const last = await findLastNumber(org);
  const pieces = [toCsv([COLUMNS.map(([title]) => title)])];
  let characters = 0;
  let entries = 0;
  let isWhole = true;
  for await (const stretch of searchBack(org, filters, last + 1, EXPORT_MAX_ENTRIES, Number.POSITIVE_INFINITY)) {
    const piece = toCsv(stretch.entries.map((entry) => COLUMNS.map(([, value]) => writeCell(value(entry)))));
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

function toCsv(rows: readonly (readonly string[])[]): string {
  return stringify(rows as string[][], { quoted_match: /[;\t\r\n]/, record_delimiter: "\r\n" });
}
