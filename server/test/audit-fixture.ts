/** What the tests of the audit log stand on: a real store, organizations with entries, and somebody who has the database's own tools. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrganization } from "../src/access/organizations.ts";
import type { Receipt } from "../src/audit/audit-receipt.ts";
import { type AuditReport, verifyAudit } from "../src/audit/verify-audit.ts";
import { AuditSealer, noteOfBeginning } from "../src/store/audit-chain.ts";
import { AUDIT_COLUMNS, commitTo, hashRow } from "../src/store/audit-entry.ts";
import { MARKS_FILE, type SavedMarks } from "../src/store/audit-marks.ts";
import type { AuditTable } from "../src/store/audit-tables.ts";
import { openStore, type StoreSettings } from "../src/store/open-store.ts";
import { requireSecret } from "../src/store/secret-file.ts";
import type { Store } from "../src/store/store.ts";
import { TEST_ORIGIN } from "./test-origin.ts";
import { dropTestStore, runSql, type SqlRow, storeSettingsOf } from "./test-store.ts";

export const SECRET = "the secret of a machine in these tests, 1";
export const OTHER_SECRET = "the secret of another machine in these tests";

const COLUMNS = AUDIT_COLUMNS.join(", ");

export class AuditFixture {
  readonly dataDir: string;
  store: Store;
  readonly #opened: Store[] = [];

  readonly #folders: string[] = [];
  readonly #settings: StoreSettings;

  private constructor(settings: StoreSettings, store: Store) {
    this.dataDir = settings.dataDir;
    this.store = store;
    this.#settings = settings;
  }

  /** With a secret of the settings. */
  static async open(): Promise<AuditFixture> {
    return AuditFixture.#openIn(mkdtempSync(join(tmpdir(), "lineup-audit-")), SECRET);
  }

  /** With the secret in the data folder; for the embedded store alone. */
  static async openWithFile(): Promise<AuditFixture> {
    return AuditFixture.#openIn(mkdtempSync(join(tmpdir(), "lineup-audit-")), undefined);
  }

  static async #openIn(dataDir: string, secret: string | undefined): Promise<AuditFixture> {
    const settings = { ...(await storeSettingsOf(dataDir)), secret };
    const { store } = await openStore(settings);
    return new AuditFixture(settings, store);
  }

  /** The same database as another machine has it, with a data folder of its own. */
  async openBeside(): Promise<Store> {
    const dataDir = mkdtempSync(join(tmpdir(), "lineup-audit-"));
    this.#folders.push(dataDir);
    const { store } = await openStore({ ...this.#settings, dataDir });
    this.#opened.push(store);
    return store;
  }

  /** The same store, as a machine with another secret has it. */
  async openWith(secret: string): Promise<Store> {
    const { store } = await openStore({ ...this.#settings, secret });
    this.#opened.push(store);
    return store;
  }

  /** As a process that has seen nothing of the log yet. */
  async reopen(): Promise<void> {
    await this.store.close();
    rmSync(join(this.dataDir, MARKS_FILE), { force: true });
    this.store = (await openStore(this.#settings)).store;
  }

  /** As a process ends. */
  async shut(store: Store): Promise<void> {
    this.#opened.splice(this.#opened.indexOf(store), 1);
    await store.close();
  }

  async close(): Promise<void> {
    for (const store of [this.store, ...this.#opened]) await store.close();
    await dropTestStore(this.dataDir);
    for (const folder of [this.dataDir, ...this.#folders]) rmSync(folder, { recursive: true, force: true });
  }

  /** An organization whose chain has so many entries, its creation among them. */
  async makeOrg(entries = 6, name = "Northwind"): Promise<string> {
    const { id } = await createOrganization(this.store, { name }, TEST_ORIGIN);
    for (let made = 1; made < entries; made++) await this.record(id, `entry ${made + 1}`);
    return id;
  }

  /** A transaction of its own that adds one entry. */
  async record(orgId: string, note: string, store = this.store): Promise<void> {
    const target = { kind: "player", id: `player_${note}`, name: note };
    const changes = { ign: [null, note] } as const;
    await store.writeOrg(orgId, { ...TEST_ORIGIN, id: "user_1", address: "192.0.2.1", requestId: "req_1" }, (org) =>
      org.record([{ at: 1_000, action: "player.updated", target, changes, note }]),
    );
  }

  verify(
    orgId?: string,
    options: { secret?: string | undefined; receipt?: Receipt; marks?: SavedMarks | undefined } = {},
  ): Promise<AuditReport> {
    const secret = "secret" in options ? options.secret : requireSecret(this.#settings);
    return verifyAudit(this.store, {
      sealer: secret === undefined ? undefined : new AuditSealer(secret),
      orgId,
      receipt: options.receipt,
      marks: options.marks,
    });
  }

  async messages(orgId?: string, receipt?: Receipt): Promise<string[]> {
    const { findings } = await this.verify(orgId, receipt === undefined ? {} : { receipt });
    return findings.map(({ message }) => message);
  }

  sql(statement: string, ...parameters: readonly unknown[]): Promise<SqlRow[]> {
    return runSql(this.dataDir, statement, ...parameters);
  }

  async rows(chainId: string): Promise<AuditTable[]> {
    const rows = await this.sql(`SELECT ${COLUMNS} FROM audit WHERE org_id = ? ORDER BY seq`, chainId);
    return rows as unknown as AuditTable[];
  }

  async insert(row: AuditTable): Promise<void> {
    const values = AUDIT_COLUMNS.map((column) => row[column]);
    await this.sql(`INSERT INTO audit (${COLUMNS}) VALUES (${values.map(() => "?").join(", ")})`, ...values);
  }

  /** As somebody who knows how the log is made: all commitments and hashes from an entry on, and the head, are made to fit again. */
  async rehash(chainId: string, from = 1): Promise<void> {
    const rows = await this.rows(chainId);
    let previous = rows.findLast((row) => row.seq < from)?.hash ?? "";
    for (const row of rows.filter(({ seq }) => seq >= from)) {
      const commitment = row.salt === null ? row.commitment : commitTo(row.salt, row);
      previous = hashRow(previous, { ...row, commitment });
      await this.sql(
        "UPDATE audit SET commitment = ?, hash = ? WHERE org_id = ? AND seq = ?",
        commitment,
        previous,
        chainId,
        row.seq,
      );
    }
    await this.mendHead(chainId);
  }

  /** As somebody who has the database alone: entries that fit, a head that names them, and a seal that nobody can tell from another's. */
  async forge(chainId: string, mark = "0123456789abcdef"): Promise<void> {
    const last = (await this.rows(chainId)).at(-1);
    if (last === undefined) throw new Error("There is no entry to imitate.");
    const began = { action: "audit.began", note: noteOfBeginning(mark), changes: null };
    const isNew =
      (await this.sql("SELECT mark FROM audit_seals WHERE org_id = ? AND mark = ?", chainId, mark)).length === 0;
    const first = isNew ? [{ ...last, ...began, seq: last.seq + 1 }] : [];
    const seq = last.seq + first.length + 1;
    const forged = { ...last, seq, actor_name: "Innocent", note: "forged" };
    for (const row of [...first, forged]) await this.insert(row);
    await this.rehash(chainId, last.seq + 1);
    const { hash } = (await this.rows(chainId)).at(-1) ?? last;
    await this.sql("DELETE FROM audit_seals WHERE org_id = ? AND mark = ?", chainId, mark);
    await this.sql(
      "INSERT INTO audit_seals (org_id, mark, count, hash, seal) VALUES (?, ?, ?, ?, 'made up')",
      chainId,
      mark,
      seq,
      hash,
    );
  }

  async mendHead(chainId: string): Promise<void> {
    const last = (await this.rows(chainId)).at(-1);
    const end = [last?.seq ?? 0, last?.hash ?? ""];
    await this.sql("UPDATE audit_heads SET count = ?, hash = ? WHERE org_id = ?", ...end, chainId);
  }
}
