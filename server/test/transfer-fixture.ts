/** What the tests of import and export stand on: a real store in a folder of its own, organizations and files. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { createOrganization } from "../src/access/organizations.ts";
import { openSqliteStore, STORE_FILE } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { exportFrom } from "../src/transfer/export.ts";
import { type ImportOptions, importInto } from "../src/transfer/import.ts";
import { ImportFaults } from "../src/transfer/import-faults.ts";
import type { ImportTables } from "../src/transfer/import-source.ts";
import type { ImportSummary } from "../src/transfer/import-summary.ts";

export const NOW = Date.UTC(2026, 4, 20, 12);

type Files = Readonly<Record<string, string | Buffer>>;
type Row = Readonly<Record<string, unknown>>;
/** With a clock that stands still. */
type Options = Omit<Partial<ImportOptions>, "now"> & { readonly now?: number };

/** Statements whose every row contradicts what a store promises. */
const CONTRADICTIONS: Readonly<Record<string, string>> = {
  "players whose open assignments are not their team and role": `
    SELECT players.id FROM players
    LEFT JOIN assignments ON assignments.org_id = players.org_id AND assignments.player_id = players.id AND left_at IS NULL
    GROUP BY players.org_id, players.id
    HAVING count(assignments.id) <> (players.team_id IS NOT NULL)
      OR (players.team_id IS NOT NULL AND (max(assignments.team_id) <> players.team_id OR max(assignments.role) <> players.role))`,
  "teams that count other than their open assignments": `
    SELECT teams.id FROM teams WHERE player_count <> (SELECT count(*) FROM assignments
      WHERE assignments.org_id = teams.org_id AND assignments.team_id = teams.id AND left_at IS NULL)`,
  "external ids that no record shows": `
    SELECT record_id FROM external_ids WHERE NOT EXISTS (
      SELECT 1 FROM (${["players", "teams", "prospects", "contracts", "schedule_entries"]
        .map((table) => `SELECT org_id, id, external_ids AS shown FROM ${table}`)
        .join(" UNION ALL ")}) AS records
      WHERE records.org_id = external_ids.org_id AND records.id = external_ids.record_id
        AND records.shown ->> ('$."' || external_ids.system || '"') = external_ids.external_id)`,
  "shown external ids that are not kept": ["players", "teams", "prospects", "contracts", "schedule_entries"]
    .map(
      (table) => `SELECT ${table}.id FROM ${table}, json_each(${table}.external_ids) AS shown WHERE NOT EXISTS (
        SELECT 1 FROM external_ids WHERE external_ids.org_id = ${table}.org_id AND record_id = ${table}.id
          AND system = shown.key AND external_id = shown.value)`,
    )
    .join(" UNION ALL "),
};

export class TransferFixture {
  readonly store: Store;
  readonly folder: string;
  #made = 0;

  private constructor(store: Store, folder: string) {
    this.store = store;
    this.folder = folder;
  }

  static async open(): Promise<TransferFixture> {
    const folder = mkdtempSync(join(tmpdir(), "lineup-transfer-"));
    const { store } = await openSqliteStore(join(folder, "data"));
    return new TransferFixture(store, folder);
  }

  async close(): Promise<void> {
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async makeOrg(): Promise<string> {
    this.#made += 1;
    return (await createOrganization(this.store, { name: `Org ${this.#made}` }, NOW)).id;
  }

  /** A path nobody uses yet. */
  path(suffix = ""): string {
    this.#made += 1;
    return join(this.folder, `files-${this.#made}${suffix}`);
  }

  writeFolder(files: Files): string {
    const path = this.path();
    mkdirSync(path);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    return path;
  }

  async importFiles(orgId: string, files: Files, options: Options = {}): Promise<ImportSummary> {
    return this.importPath(orgId, this.writeFolder(files), options);
  }

  async importPath(orgId: string, path: string, options: Options = {}): Promise<ImportSummary> {
    return importInto(this.store, orgId, { path }, { actor: "test", ...options, now: () => options.now ?? NOW });
  }

  async importTables(orgId: string, tables: ImportTables, options: Options = {}) {
    return importInto(this.store, orgId, { tables }, { actor: "test", ...options, now: () => options.now ?? NOW });
  }

  /** The faults for which an import is refused. */
  async refuse(orgId: string, source: Files | string): Promise<ImportFaults> {
    const path = typeof source === "string" ? source : this.writeFolder(source);
    try {
      await this.importPath(orgId, path);
    } catch (error) {
      if (error instanceof ImportFaults) return error;
      throw error;
    }
    throw new Error("The import was taken.");
  }

  async exportFolder(orgId: string): Promise<Record<string, string>> {
    const path = this.path();
    await exportFrom(this.store, orgId, path);
    return Object.fromEntries(
      readdirSync(path)
        .sort()
        .map((name) => [name, readFileSync(join(path, name), "utf8")]),
    );
  }

  async exportJson(orgId: string): Promise<string> {
    const path = this.path(".json");
    await exportFrom(this.store, orgId, path);
    return readFileSync(path, "utf8");
  }

  /** Rows as they are stored, in order of creation. */
  rows(orgId: string, table: string): Record<string, unknown>[] {
    const order = table === "changes" || table === "external_ids" ? "record_id" : "id";
    return this.query(`SELECT * FROM ${table} WHERE org_id = ? ORDER BY ${order}`, orgId);
  }

  row(orgId: string, table: string, column: string, value: unknown): Record<string, unknown> {
    const found = this.rows(orgId, table).find((row) => row[column] === value);
    if (found === undefined) throw new Error(`No row of ${table} has ${column} ${value}.`);
    return found;
  }

  /** Everything an organization has, to compare. */
  snapshot(orgId: string): Record<string, readonly Row[]> {
    const tables = ["teams", "players", "assignments", "contracts", "schedule_entries", "prospects", "changes"];
    return Object.fromEntries([...tables, "external_ids"].map((table) => [table, this.rows(orgId, table)]));
  }

  findContradictions(): string[] {
    return Object.entries(CONTRADICTIONS).flatMap(([what, statement]) =>
      this.query(statement).map((row) => `${what}: ${row.id ?? row.record_id}`),
    );
  }

  query(statement: string, ...parameters: unknown[]): Record<string, unknown>[] {
    const file = join(this.folder, "data", STORE_FILE);
    if (!existsSync(file)) return [];
    const database = new Sqlite(file, { readonly: true });
    try {
      return database.prepare(statement).all(...parameters) as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }
}

/** Lines of a file, each ended. */
export function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
