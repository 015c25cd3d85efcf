/** Somebody who imports and exports by the dashboard's actions, and holds what they were shown against what came of it. */
import type { ImportPreviewView, ImportRowView } from "@lineup/api/dashboard/transfer";
import { expect } from "vitest";
import { TABLE_NAMES, TABLES, type TableName } from "../../src/transfer/tables.ts";
import { type SentFile, sendText } from "./random-season.ts";
import type { Visitor } from "./visitor.ts";

type ExportedRow = Readonly<Record<string, unknown>>;
type Exported = Readonly<Record<TableName, readonly ExportedRow[]>>;
type Outcome = ImportRowView["outcome"];

/** As the preview tells it. */
interface Told {
  readonly table: string;
  readonly externalId: string | null;
  readonly changes: ImportRowView["changes"];
}

const WRITES: readonly Outcome[] = ["create", "change", "follow"];

export class Importer {
  readonly visitor: Visitor;
  readonly orgId: string;

  constructor(visitor: Visitor, orgId: string) {
    this.visitor = visitor;
    this.orgId = orgId;
  }

  preview(files: readonly SentFile[], more: object = {}): Promise<ImportPreviewView> {
    return this.visitor.do("previewImport", { path: { orgId: this.orgId }, body: { files, ...more } });
  }

  apply(files: readonly SentFile[], fingerprint: string | null) {
    return this.visitor.try("applyImport", {
      path: { orgId: this.orgId },
      body: { files, fingerprint: fingerprint ?? "-" },
    });
  }

  async exportFiles(format: "csv" | "json"): Promise<readonly { readonly name: string; readonly text: string }[]> {
    return (await this.visitor.do("exportData", { path: { orgId: this.orgId }, body: { format } })).files;
  }

  async exportSent(format: "csv" | "json"): Promise<SentFile[]> {
    return (await this.exportFiles(format)).map(({ name, text }) => sendText(name, text));
  }

  async exported(): Promise<Exported> {
    return JSON.parse((await this.exportFiles("json"))[0]?.text ?? "{}");
  }

  /** Every row of an outcome, page after page. */
  async rowsOf(files: readonly SentFile[], preview: ImportPreviewView, outcome: Outcome): Promise<ImportRowView[]> {
    const rows = preview.rows.filter((row) => row.outcome === outcome);
    const total = preview.tables.reduce((sum, counts) => sum + counts[outcome], 0);
    while (rows.length < total) {
      const page = (await this.preview(files, { outcome, from: rows.length })).rows;
      expect(page).not.toEqual([]);
      rows.push(...page);
    }
    return rows;
  }

  /** Imports what has no faults: everything that happens was shown before, and nothing else happens. */
  async importAsShown(files: readonly SentFile[]): Promise<ImportPreviewView> {
    const began = Date.now();
    const before = await this.exported();
    const preview = await this.preview(files);
    expect(preview.faultTotal).toBe(0);
    const shown: Told[] = [];
    for (const outcome of WRITES) {
      for (const { table, externalId, changes } of await this.rowsOf(files, preview, outcome)) {
        shown.push({ table: table ?? "", externalId, changes });
      }
    }
    const reply = await this.apply(files, preview.fingerprint);
    expect([reply.status, reply.body.error]).toEqual([200, undefined]);
    const counted = preview.tables
      .filter(({ table }) => files.some(({ name }) => name === `${table}.csv` || name.endsWith(".json")))
      .map(({ table, create, change, leave }) => ({ table, created: create, changed: change, unchanged: leave }));
    expect(reply.body.tables.filter(hasRows)).toEqual(counted.filter(hasRows));
    const known = new Set(shown.map(({ table, externalId }) => `${table} ${externalId}`));
    const happened = listDifferences(before, await this.exported(), known, [began, Date.now()]);
    expect(happened.map(sayTold).toSorted()).toEqual(shown.map(sayTold).toSorted());
    return preview;
  }
}

function hasRows({ created, changed, unchanged }: { created: number; changed: number; unchanged: number }): boolean {
  return created + changed + unchanged > 0;
}

function sayTold({ table, externalId, changes }: Told): string {
  return JSON.stringify([table, externalId, changes]);
}

/** What an import did, from what exports show before and after. `known` are the records that rows are about. */
function listDifferences(
  before: Exported,
  after: Exported,
  known: ReadonlySet<string>,
  [from, to]: readonly [number, number],
): Told[] {
  const told: Told[] = [];
  for (const table of TABLE_NAMES) {
    const old = new Map(before[table].map((row) => [row.externalId, row]));
    for (const row of after[table]) {
      const was = old.get(row.externalId);
      const changes = TABLES[table].columns.flatMap(({ name, form }) => {
        if (name === "externalId") return [];
        const [one, other] = [was?.[name] ?? null, row[name] ?? null];
        if (JSON.stringify(one) === JSON.stringify(other)) return [];
        const isNow = form === "moment" && typeof other === "number" && other >= from && other <= to;
        return [{ column: name, before: one, after: isNow ? "now" : other }];
      });
      const externalId = known.has(`${table} ${row.externalId}`) ? String(row.externalId) : null;
      if (changes.length > 0) told.push({ table, externalId, changes });
    }
  }
  return told;
}
