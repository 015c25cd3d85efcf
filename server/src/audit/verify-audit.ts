/**
 * Checks the audit log: every chain by itself (chain-walk.ts), and the chains against the installation's, which knows of every organization
 * how its chain begins and whether it was deleted. So neither an entry nor a whole organization can go without a trace. Nobody is held
 * up meanwhile: what is checked is the log as it was at one moment, and others go on adding to it.
 *
 * What it cannot find: an older state of the database, put back with the seals of that time, by somebody who could also change what this
 * machine has seen of it (audit-marks.ts), or where that is not at hand; for that there are receipts.
 */
import type { Kysely, Selectable } from "kysely";
import { type AuditSealer, type ChainEnd, EMPTY_CHAIN } from "../store/audit-chain.ts";
import { INSTALLATION_CHAIN } from "../store/audit-entry.ts";
import { areOfAnotherStore, MARKS_FILE, type SavedMarks } from "../store/audit-marks.ts";
import type { AuditTable } from "../store/audit-tables.ts";
import type { AuditTables, Store } from "../store/store.ts";
import type { Receipt } from "./audit-receipt.ts";
import { type ChainFinding, type ChainState, type ExpectedHash, type WalkedChain, walkChain } from "./chain-walk.ts";
import { KnownOrganizations } from "./known-organizations.ts";

interface AuditFinding extends ChainFinding {
  readonly chainId: string;
  /** The organization's name; null for the installation's chain, and where nobody knows it any more. */
  readonly name: string | null;
}

interface CheckedChain extends Pick<WalkedChain, "vouchedTo" | "unvouched" | "unvouchedEntries">, ChainEnd {
  readonly chainId: string;
  readonly name: string | null;
  /** Of all secrets that have sealed it. */
  readonly marks: readonly string[];
}

export interface AuditReport {
  /** Whether nothing was found. Entries that this machine's secret cannot vouch for are no finding. */
  readonly isWhole: boolean;
  /** Whether this machine's secret vouches for every entry. */
  readonly isVouched: boolean;
  readonly entries: number;
  readonly chains: readonly CheckedChain[];
  readonly findings: readonly AuditFinding[];
  /** How many more there are than are told. */
  readonly untold: number;
  /** Of this machine's secret; null where it has none. */
  readonly mark: string | null;
  /** The ids of organizations whose deletion is recorded. */
  readonly deleted: readonly string[];
}

export interface VerifyOptions {
  /** This machine's; undefined where it has no secret. */
  readonly sealer: AuditSealer | undefined;
  /** One organization alone, and what the installation's chain says of it. */
  readonly orgId?: string | undefined;
  readonly receipt?: Receipt | undefined;
  /** What this machine has seen, read before this is called. */
  readonly marks?: SavedMarks | undefined;
  onProgress?(done: number, total: number): void;
}

export async function verifyAudit(store: Store, options: VerifyOptions): Promise<AuditReport> {
  const { marks } = options;
  const isForeign = marks !== undefined && (await areOfAnotherStore(marks, store.kind, store.audit));
  const state = await store.readAuditAtOnce(readState);
  return new Verification(store, state, isForeign ? { ...options, marks: undefined } : options).run();
}

interface AuditState {
  /** By id, what they are called. */
  readonly organizations: ReadonlyMap<string, string>;
  readonly chains: ReadonlyMap<string, ChainState>;
}

/** The audit log at one moment: which chains there are, where each ends, and who has sealed it. Every organization has one, be it empty. */
async function readState(db: Kysely<AuditTables>): Promise<AuditState> {
  const organizations = await db.selectFrom("organizations").select(["id", "name"]).execute();
  const heads = await db
    .selectFrom("audit_heads")
    .select((eb) => [
      "org_id",
      "count",
      "hash",
      eb
        .selectFrom("audit")
        .select(({ fn }) => fn.max("audit.seq").as("last"))
        .whereRef("audit.org_id", "=", "audit_heads.org_id")
        .as("last_seq"),
    ])
    .execute();
  const seals = Map.groupBy(await db.selectFrom("audit_seals").selectAll().execute(), (seal) => seal.org_id);
  const chains = new Map<string, ChainState>();
  for (const { org_id, count, hash, last_seq } of heads) {
    const state = { chainId: org_id, head: { count, hash }, lastSeq: last_seq ?? 0, seals: seals.get(org_id) ?? [] };
    chains.set(org_id, state);
  }
  for (const id of new Set([INSTALLATION_CHAIN, ...organizations.map(({ id }) => id), ...seals.keys()])) {
    if (chains.has(id)) continue;
    const last = await db
      .selectFrom("audit")
      .select(({ fn }) => fn.max("seq").as("seq"))
      .where("org_id", "=", id)
      .executeTakeFirst();
    chains.set(id, { chainId: id, head: undefined, lastSeq: last?.seq ?? 0, seals: seals.get(id) ?? [] });
  }
  return { organizations: new Map(organizations.map(({ id, name }) => [id, name])), chains };
}

class Verification {
  readonly #store: Store;
  readonly #state: AuditState;
  readonly #options: VerifyOptions;
  readonly #known = new KnownOrganizations();
  readonly #findings: AuditFinding[] = [];
  readonly #chains: CheckedChain[] = [];
  #untold = 0;
  #done = 0;

  constructor(store: Store, state: AuditState, options: VerifyOptions) {
    this.#store = store;
    this.#state = state;
    this.#options = options;
  }

  async run(): Promise<AuditReport> {
    const { sealer, orgId } = this.#options;
    await this.#check(INSTALLATION_CHAIN, (row) => this.#known.pass(row));
    for (const chainId of [...this.#state.chains.keys()].sort()) {
      if (chainId === INSTALLATION_CHAIN || (orgId !== undefined && chainId !== orgId)) continue;
      await this.#check(chainId);
    }
    this.#findVanished();
    if (orgId === undefined) await this.#findStray();
    if (sealer === undefined && this.#done > 0) {
      this.#tell(
        INSTALLATION_CHAIN,
        null,
        "This machine has no secret, so no seal could be checked. Run this where the server runs, or set LINEUP_SECRET.",
      );
    }
    return {
      isWhole: this.#findings.length === 0,
      isVouched: sealer !== undefined && this.#chains.every(({ unvouchedEntries }) => unvouchedEntries === 0),
      entries: this.#done,
      chains: this.#chains,
      findings: this.#findings,
      untold: this.#untold,
      mark: sealer?.mark ?? null,
      deleted: this.#known.listDeleted(),
    };
  }

  async #check(chainId: string, onEntry?: (row: Selectable<AuditTable>) => void): Promise<void> {
    const state = this.#state.chains.get(chainId) ?? { chainId, head: undefined, lastSeq: 0, seals: [] };
    const walked = await walkChain(this.#store.audit, state, {
      sealer: this.#options.sealer,
      expected: this.#expectedOf(chainId),
      onRows: (rows) => this.#report(rows),
      ...(onEntry === undefined ? {} : { onEntry }),
    });
    const messages = [...walked.findings, ...this.#findOddBeginning(chainId, walked)];
    // Who was deleted meanwhile is no finding; that it was recorded is seen the next time.
    if (messages.length > 0 && (await this.#isGoneSince(chainId))) return;
    for (const { seq, message } of messages) this.#tell(chainId, seq, message);
    this.#untold += walked.untold;
    const { count, hash } = state.head ?? EMPTY_CHAIN;
    const marks = [...walked.begun.keys()];
    const { vouchedTo, unvouched, unvouchedEntries } = walked;
    const name = this.#nameOf(chainId);
    this.#chains.push({ chainId, name, count, hash, vouchedTo, marks, unvouched, unvouchedEntries });
  }

  #findOddBeginning(chainId: string, { first }: WalkedChain) {
    if (chainId === INSTALLATION_CHAIN) {
      const isMissing = this.#state.chains.get(chainId)?.head === undefined && first === undefined;
      return isMissing ? [{ seq: null, message: "All of the installation's log was removed." }] : [];
    }
    if (!this.#state.organizations.has(chainId)) {
      return [{ seq: null, message: "This log belongs to no organization: the organization was removed past Lineup." }];
    }
    const message = this.#known.judgeBeginning(chainId, first);
    return message === undefined ? [] : [{ seq: 1, message }];
  }

  /** What the auditor's receipt says of the chain, and what this machine has seen of it. */
  #expectedOf(chainId: string): readonly ExpectedHash[] {
    const { receipt, marks } = this.#options;
    const expected: ExpectedHash[] = [];
    const kept = receipt?.chains[chainId];
    if (receipt !== undefined && kept !== undefined && kept.count > 0) {
      const day = new Date(receipt.takenAt).toISOString();
      const message =
        `By the receipt of ${day}, entry ${kept.count} of this log had another hash, or is missing now: ` +
        "the log was rewritten, or an older state of the database was put back.";
      expected.push({ seq: kept.count, hash: kept.hash, message });
    }
    const seen = marks?.chains.get(chainId);
    if (seen !== undefined) {
      const message =
        `Entry ${seen.count} of this log, which this machine has seen, is another or is missing now: the log was cut off or rewritten, ` +
        `or an older state of the database was put back. If you did that yourself, remove ${MARKS_FILE} from the data folder.`;
      expected.push({ seq: seen.count, hash: seen.hash, message });
    }
    return expected;
  }

  #findVanished(): void {
    const { orgId, receipt, marks } = this.#options;
    const isAsked = (id: string) => orgId === undefined || id === orgId;
    for (const { id, name, message } of this.#known.listVanished(this.#state.organizations)) {
      if (isAsked(id)) this.#findings.push({ chainId: id, name, seq: null, message });
    }
    const kept = Object.entries(receipt?.chains ?? {}).map(([id, { count }]) => ["The receipt", id, count] as const);
    const seen = [...(marks?.chains ?? [])].map(([id, { count }]) => ["This machine", id, count] as const);
    for (const [who, id, count] of [...kept, ...seen]) {
      if (!isAsked(id) || this.#state.chains.has(id)) continue;
      if ((this.#known.findDeletedCount(id) ?? -1) >= count) continue;
      this.#tell(
        id,
        null,
        `${who} knows this log with ${count} entries, and nothing says that its organization was deleted.`,
      );
    }
  }

  /** Entries of chains that have neither a head nor an organization. */
  async #findStray(): Promise<void> {
    for (let after = ""; ; ) {
      const next = await this.#store.audit
        .selectFrom("audit")
        .select(({ fn }) => fn.min("org_id").as("id"))
        .where("org_id", ">", after)
        .executeTakeFirst();
      if (next?.id == null) return;
      after = next.id;
      if (this.#state.chains.has(after) || (await this.#hasHead(after))) continue;
      this.#tell(after, null, "There are entries of a log that belongs to no organization.");
    }
  }

  async #hasHead(chainId: string): Promise<boolean> {
    const found = await this.#store.audit
      .selectFrom("audit_heads")
      .select("count")
      .where("org_id", "=", chainId)
      .execute();
    return found.length > 0;
  }

  async #isGoneSince(chainId: string): Promise<boolean> {
    if (!this.#state.organizations.has(chainId)) return false;
    const found = await this.#store.audit.selectFrom("organizations").select("id").where("id", "=", chainId).execute();
    return found.length === 0;
  }

  #report(rows: number): void {
    this.#done += rows;
    let total = 0;
    for (const { head } of this.#state.chains.values()) total += head?.count ?? 0;
    this.#options.onProgress?.(this.#done, total);
  }

  #nameOf(chainId: string): string | null {
    return this.#state.organizations.get(chainId) ?? this.#known.findName(chainId);
  }

  #tell(chainId: string, seq: number | null, message: string): void {
    this.#findings.push({ chainId, name: this.#nameOf(chainId), seq, message });
  }
}
