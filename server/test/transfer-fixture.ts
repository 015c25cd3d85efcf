/** What the tests of import and export stand on: a real store in a folder of its own, organizations and files. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrganization } from "../src/access/organizations.ts";
import { RECORD_TABLES } from "../src/store/schema.ts";
import type { Store } from "../src/store/store.ts";
import { exportFrom } from "../src/transfer/export.ts";
import { type ImportOptions, importInto } from "../src/transfer/import.ts";
import { ImportFaults } from "../src/transfer/import-faults.ts";
import type { ImportTables } from "../src/transfer/import-source.ts";
import type { ImportSummary } from "../src/transfer/tables.ts";
import { CONTRADICTIONS } from "./store-contradictions.ts";
import { TEST_ORIGIN } from "./test-origin.ts";
import { dropTestStore, openTestStore, runSql, type SqlRow } from "./test-store.ts";

export const NOW = Date.UTC(2026, 4, 20, 12);

type Files = Readonly<Record<string, string | Buffer>>;
/** With a clock that stands still. */
type Options = Omit<Partial<ImportOptions>, "now"> & { readonly now?: number };

export class TransferFixture {
  readonly store: Store;
  readonly folder: string;
  #made = 0;

  private constructor(store: Store, folder: string) {
    this.store = store;
    this.folder = folder;
  }

  get dataDir(): string {
    return join(this.folder, "data");
  }

  static async open(): Promise<TransferFixture> {
    const folder = mkdtempSync(join(tmpdir(), "lineup-transfer-"));
    return new TransferFixture(await openTestStore(join(folder, "data")), folder);
  }

  async close(): Promise<void> {
    await this.store.close();
    await dropTestStore(this.dataDir);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async makeOrg(): Promise<string> {
    this.#made += 1;
    return (await createOrganization(this.store, { name: `Org ${this.#made}` }, TEST_ORIGIN, NOW)).id;
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
    return importInto(this.store, orgId, { path }, { origin: TEST_ORIGIN, ...options, now: () => options.now ?? NOW });
  }

  async importTables(orgId: string, tables: ImportTables, options: Options = {}) {
    return importInto(
      this.store,
      orgId,
      { tables },
      { origin: TEST_ORIGIN, ...options, now: () => options.now ?? NOW },
    );
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
  async rows(orgId: string, table: string): Promise<SqlRow[]> {
    const order = { audit: "seq", external_ids: "record_id" }[table] ?? "id";
    return this.query(`SELECT * FROM ${table} WHERE org_id = ? ORDER BY ${order}`, orgId);
  }

  async row(orgId: string, table: string, column: string, value: unknown): Promise<SqlRow> {
    const found = (await this.rows(orgId, table)).find((row) => row[column] === value);
    if (found === undefined) throw new Error(`No row of ${table} has ${column} ${value}.`);
    return found;
  }

  /** Everything an organization has, to compare. */
  async snapshot(orgId: string): Promise<Record<string, readonly SqlRow[]>> {
    const taken: Record<string, readonly SqlRow[]> = {};
    for (const table of [...RECORD_TABLES, "audit", "external_ids"]) taken[table] = await this.rows(orgId, table);
    taken.audit = taken.audit?.filter((row) => row.action !== "organization.created") ?? [];
    return taken;
  }

  async findContradictions(): Promise<string[]> {
    const found: string[] = [];
    for (const [what, statement] of Object.entries(CONTRADICTIONS)) {
      for (const row of await this.query(statement)) found.push(`${what}: ${row.id ?? row.record_id}`);
    }
    return found;
  }

  async query(statement: string, ...parameters: readonly unknown[]): Promise<SqlRow[]> {
    return runSql(this.dataDir, statement, ...parameters);
  }
}

/** Lines of a file, each ended. */
export function lines(...all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
