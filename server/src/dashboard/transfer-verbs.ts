/** The verbs of Data › Import & export. They make the plan that the command makes, of files that a page has sent. */
import { ActionError } from "@lineup/api/dashboard/action";
import { type ImportPreviewView, type ImportRowView, ROW_OUTCOMES } from "@lineup/api/dashboard/transfer";
import { changesFromNothing } from "../store/audit-entry.ts";
import { ExportTooLarge, exportTexts } from "../transfer/export.ts";
import { importInto } from "../transfer/import.ts";
import { ImportFaults } from "../transfer/import-faults.ts";
import { SENT_LIMITS } from "../transfer/import-files.ts";
import type { ImportSource, SentFile } from "../transfer/import-source.ts";
import { markFaults } from "../transfer/mark-faults.ts";
import { describePlan, type PreviewRow, previewImport } from "../transfer/preview.ts";
import { TABLE_NAMES, TABLES } from "../transfer/tables.ts";
import { makeExampleFiles } from "../transfer/write-export.ts";
import { type ActionVerbs, exportInTurn } from "./context.ts";

/** Of each outcome. */
const ROWS_MAX = 1_000;
/** Of one outcome, where more are asked for: each page costs another look at all files. */
const PAGE_ROWS_MAX = 5_000;
const VALUE_MAX_CHARACTERS = 300;

export const TRANSFER_VERBS = {
  previewImport: async ({ tools, orgId, report }, { body }) => {
    const { outcome, table, from = 0 } = body;
    const preview = await previewImport(tools.store, orgId, sourceOf(body.files), tools.now, report);
    const rowsOf = (one: PreviewRow["outcome"]) =>
      preview.rows.filter((row) => row.outcome === one && (table === undefined || row.table === table));
    const chosen =
      outcome === undefined
        ? ROW_OUTCOMES.flatMap((one) => rowsOf(one).slice(0, ROWS_MAX))
        : rowsOf(outcome).slice(from, from + PAGE_ROWS_MAX);
    return {
      fingerprint: preview.fingerprint ?? null,
      tables: countOutcomes(preview.rows),
      faultTotal: preview.faultTotal,
      rows: chosen.map(showRow),
      momentColumns: MOMENT_COLUMNS,
    };
  },

  markImportFaults: async ({ tools, orgId, report }, { body }) => {
    const source = sourceOf(body.files);
    const preview = await previewImport(tools.store, orgId, source, tools.now, report);
    return { files: await markFaults(source.files, preview.faultsByRow) };
  },

  applyImport: async ({ tools, orgId, origin, report }, { body }) => {
    try {
      const summary = await importInto(tools.store, orgId, sourceOf(body.files), {
        origin,
        now: tools.now,
        onProgress: report,
        review: async (org, plan) => {
          const { fingerprint } = await describePlan(org, plan);
          if (fingerprint !== body.fingerprint) throw anotherPlan();
        },
      });
      return {
        tables: TABLE_NAMES.flatMap((table) => {
          const counts = summary[table];
          if (counts === undefined) return [];
          return [{ table, created: counts.created, changed: counts.updated, unchanged: counts.unchanged }];
        }),
      };
    } catch (error) {
      if (error instanceof ImportFaults) throw refuseFaults(error);
      throw error;
    }
  },

  listExampleFiles: async () => ({ files: makeExampleFiles() }),

  exportData: ({ tools, orgId, origin }, { body }) =>
    exportInTurn(orgId, async () => {
      const tables = body.table === undefined ? TABLE_NAMES : [body.table];
      const jsonFile = body.format === "json" ? "lineup.json" : undefined;
      const { files, rows } = await exportTexts(tools.store, orgId, { jsonFile, tables }).catch((error: unknown) => {
        throw error instanceof ExportTooLarge ? tooLarge() : error;
      });
      const written = tables.reduce((sum, table) => sum + rows[table], 0);
      const changes = changesFromNothing({ ...body, rows: written });
      const target = { kind: "organization", id: orgId, name: null };
      await tools.store.writeOrg(orgId, origin, (org) =>
        org.record([{ at: tools.now(), action: "data.exported", target, changes }]),
      );
      return { files: [...files] };
    }),
} satisfies Partial<ActionVerbs>;

function sourceOf(
  files: readonly { readonly name: string; readonly base64: string }[],
): ImportSource & { readonly files: readonly SentFile[] } {
  const sent = files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, "base64") }));
  return { files: sent, limits: SENT_LIMITS };
}

const MOMENT_COLUMNS = [
  ...new Set(
    Object.values(TABLES).flatMap(({ columns }) =>
      columns.filter(({ form }) => form === "moment").map(({ name }) => name),
    ),
  ),
];

function countOutcomes(rows: readonly PreviewRow[]): ImportPreviewView["tables"] {
  const nothing = { fault: 0, unclear: 0, create: 0, change: 0, follow: 0, leave: 0 };
  const counts = new Map<PreviewRow["table"], Record<PreviewRow["outcome"], number>>();
  for (const { table, outcome } of rows) {
    const ofTable = counts.get(table) ?? { ...nothing };
    ofTable[outcome] += 1;
    counts.set(table, ofTable);
  }
  return TABLE_NAMES.flatMap((table) => {
    const ofTable = counts.get(table);
    return ofTable === undefined ? [] : [{ table, ...ofTable }];
  });
}

function showRow({ changes, faults, ...row }: PreviewRow): ImportRowView {
  return {
    ...row,
    changes: changes.map(({ column, before, after }) => ({ column, before: shorten(before), after: shorten(after) })),
    faults: faults.map(({ column, value, message }) => ({ column, value, message })),
  };
}

function shorten(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= VALUE_MAX_CHARACTERS ? value : `${text.slice(0, VALUE_MAX_CHARACTERS).toWellFormed()}…`;
}

function anotherPlan(): ActionError {
  return new ActionError(
    "CONFLICT",
    "Nothing was imported: the data has changed since the preview, and the files would do something else now. Look at the new preview, and import again.",
  );
}

function refuseFaults({ faults, total }: ImportFaults): ActionError {
  const details = faults.map(({ file, line, column, message }) => ({
    field: [file, line === null ? "" : `line ${line}`, column ?? ""].filter((part) => part !== "").join(", "),
    message,
  }));
  const count = total === 1 ? "one fault" : `${total} faults`;
  return new ActionError(
    "VALIDATION_ERROR",
    `Nothing was imported: the files have ${count}. Preview them, and mend what is marked.`,
    details,
  );
}

function tooLarge(): ActionError {
  return new ActionError(
    "VALIDATION_ERROR",
    "The data is too large for one download. Export one table after the other, or ask the operator of this server for an export.",
  );
}
