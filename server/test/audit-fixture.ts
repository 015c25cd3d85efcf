/** What the tests of the audit log stand on: a real store, organizations with entries, and somebody who has the database's own tools. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOrganization } from "../src/access/organizations.ts";
import type { Receipt } from "../src/audit/audit-receipt.ts";
import { type AuditReport, verifyAudit } from "../src/audit/verify-audit.ts";
import { hashRow } from "../src/store/audit-chain.ts";
import { AuditSealer } from "../src/store/audit-seal.ts";
import { openStore } from "../src/store/open-store.ts";
import type { AuditTable } from "../src/store/people-schema.ts";
import type { Store } from "../src/store/store.ts";
import { TEST_ORIGIN } from "./test-origin.ts";
import { dropTestStore, runSql, type SqlRow, storeSettingsOf } from "./test-store.ts";

export const SECRET = "the secret of a machine in these tests, 1";
export const OTHER_SECRET = "the secret of another machine in these tests";

const COLUMNS =
  "org_id, seq, at, actor_kind, actor_id, actor_name, address, request_id, action, target_kind, target_id, target_name, changes, note, hash";

export class AuditFixture {
  readonly dataDir: string;
  readonly store: Store;
  readonly #opened: Store[] = [];

  private constructor(dataDir: string, store: Store) {
    this.dataDir = dataDir;
    this.store = store;
  }

  static async open(): Promise<AuditFixture> {
    const dataDir = mkdtempSync(join(tmpdir(), "lineup-audit-"));
    const { store } = await openStore({ ...(await storeSettingsOf(dataDir)), secret: SECRET });
    return new AuditFixture(dataDir, store);
  }

  /** The same store, as a machine with another secret has it. */
  async openWith(secret: string): Promise<Store> {
    const { store } = await openStore({ ...(await storeSettingsOf(this.dataDir)), secret });
    this.#opened.push(store);
    return store;
  }

  async close(): Promise<void> {
    for (const store of [this.store, ...this.#opened]) await store.close();
    await dropTestStore(this.dataDir);
    rmSync(this.dataDir, { recursive: true, force: true });
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

  verify(orgId?: string, options: { secret?: string | undefined; receipt?: Receipt } = {}): Promise<AuditReport> {
    const secret = "secret" in options ? options.secret : SECRET;
    return verifyAudit(this.store, {
      sealer: secret === undefined ? undefined : new AuditSealer(secret),
      orgId,
      receipt: options.receipt,
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
    const values = COLUMNS.split(", ").map((column) => row[column as keyof AuditTable]);
    await this.sql(`INSERT INTO audit (${COLUMNS}) VALUES (${values.map(() => "?").join(", ")})`, ...values);
  }

  /** As somebody who knows how the log is made: all hashes from an entry on, and the head, are made to fit again. */
  async rehash(chainId: string, from = 1): Promise<void> {
    const rows = await this.rows(chainId);
    let previous = rows.findLast((row) => row.seq < from)?.hash ?? "";
    for (const row of rows.filter(({ seq }) => seq >= from)) {
      previous = hashRow(previous, row);
      await this.sql("UPDATE audit SET hash = ? WHERE org_id = ? AND seq = ?", previous, chainId, row.seq);
    }
    await this.mendHead(chainId);
  }

  async mendHead(chainId: string): Promise<void> {
    const last = (await this.rows(chainId)).at(-1);
    const end = [last?.seq ?? 0, last?.hash ?? ""];
    await this.sql("UPDATE audit_heads SET count = ?, hash = ? WHERE org_id = ?", ...end, chainId);
  }
}
