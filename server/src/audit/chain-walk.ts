/**
 * Reads one chain of the audit log from its first entry to its last and says what is wrong with it. Every hash is made anew from the entry
 * and the hash before it (chain-links.ts), so an entry that was altered, put in, left out or moved is found where it stands; where the chain ends is held
 * against its head, and against every seal. Which entries the secret of this machine vouches for is told as well: not for those from before
 * it began to seal, and not for those that the chain says were sealed by others.
 */
import { setImmediate as breathe } from "node:timers/promises";
import type { Kysely, Selectable } from "kysely";
import {
  type AuditSealer,
  type ChainEnd,
  describeUnsealed,
  EMPTY_CHAIN,
  findBegunMark,
  findOthersStretch,
  type OthersStretch,
} from "../store/audit-chain.ts";
import type { AuditSealsTable, AuditTable } from "../store/audit-tables.ts";
import type { AuditTables } from "../store/store.ts";
import { ChainLinks } from "./chain-links.ts";

const ROWS_A_PAGE = 2_000;
/** Anyone who altered a log by the thousand is told of the first; the rest is counted. */
const FINDINGS_MAX = 100;
const STRETCHES_MAX = 100;

/** A chain at the moment at which it was begun to be checked. What comes later is not looked at. */
export interface ChainState {
  readonly chainId: string;
  readonly head: ChainEnd | undefined;
  /** The highest number that an entry has; 0 where there is none. */
  readonly lastSeq: number;
  readonly seals: readonly Selectable<AuditSealsTable>[];
}

export interface ChainFinding {
  /** The entry it is about; null where it is about the chain as a whole. */
  readonly seq: number | null;
  readonly message: string;
}

export interface WalkedChain {
  readonly findings: readonly ChainFinding[];
  /** How many more there are than are told. */
  readonly untold: number;
  readonly first: Selectable<AuditTable> | undefined;
  /** How far this machine's secret vouches for the chain; 0 where it never sealed it. */
  readonly vouchedTo: number;
  /** The entry with which each secret began to seal the chain. */
  readonly begun: ReadonlyMap<string, number>;
  /** What this machine's secret cannot vouch for, though nothing says that it was tampered with; the first of it. */
  readonly unvouched: readonly UnvouchedStretch[];
  /** How many entries that is, all in all. */
  readonly unvouchedEntries: number;
}

export interface UnvouchedStretch extends OthersStretch {
  /** Whether they are from before this secret was in use here, or of machines that had secrets of their own (an earlier version). */
  readonly why: "earlier" | "others";
}

/** A hash that an entry must have, with what to say where it has not. */
export interface ExpectedHash {
  readonly seq: number;
  readonly hash: string;
  readonly message: string;
}

export interface WalkOptions {
  /** Undefined where this machine has no secret. */
  readonly sealer: AuditSealer | undefined;
  readonly expected?: readonly ExpectedHash[];
  onEntry?(row: Selectable<AuditTable>): void;
  onRows?(rows: number): void;
}

export async function walkChain(
  db: Kysely<AuditTables>,
  state: ChainState,
  options: WalkOptions,
): Promise<WalkedChain> {
  const walk = new ChainWalk(state, options);
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom("audit")
      .selectAll()
      .where("org_id", "=", state.chainId)
      .where("seq", ">", after)
      .where("seq", "<=", state.lastSeq)
      .orderBy("seq")
      .limit(ROWS_A_PAGE)
      .execute();
    for (const row of rows) walk.pass(row);
    options.onRows?.(rows.length);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < ROWS_A_PAGE) return walk.end();
    await breathe();
  }
}

class ChainWalk {
  readonly #state: ChainState;
  readonly #options: WalkOptions;
  readonly #links = new ChainLinks();
  readonly #findings: ChainFinding[] = [];
  readonly #begun = new Map<string, number>();
  readonly #unvouched: UnvouchedStretch[] = [];
  #unvouchedEntries = 0;
  /** What the entries that somebody has named have for a hash. */
  readonly #hashes = new Map<number, string>();
  readonly #wanted: ReadonlySet<number>;
  #untold = 0;
  #first: Selectable<AuditTable> | undefined;
  #last = EMPTY_CHAIN;

  constructor(state: ChainState, options: WalkOptions) {
    this.#state = state;
    this.#options = options;
    this.#wanted = new Set([
      state.head?.count ?? 0,
      ...state.seals.map(({ count }) => count),
      ...(options.expected ?? []).map(({ seq }) => seq),
    ]);
  }

  pass(row: Selectable<AuditTable>): void {
    this.#first ??= row;
    const follows = row.seq === this.#last.count + 1;
    if (!follows) this.#tellMissing(this.#last.count + 1, row.seq - 1);
    const fault = this.#links.pass(row, follows);
    if (fault !== undefined) this.#tell(row.seq, fault);
    this.#last = { count: row.seq, hash: row.hash };
    if (this.#wanted.has(row.seq)) this.#hashes.set(row.seq, row.hash);
    this.#passBeginning(row);
    if (row.action === "audit.break-found") {
      this.#tell(row.seq, `A break was found on ${new Date(row.at).toISOString()} as the log went on. ${row.note}`);
    }
    if (row.action === "audit.others-sealed") {
      const stretch = findOthersStretch(row.note, this.#options.sealer?.mark ?? "");
      if (stretch !== undefined && stretch.to < row.seq) this.#passUnvouched({ ...stretch, why: "others" });
    }
    this.#options.onEntry?.(row);
  }

  end(): WalkedChain {
    for (const { seq, message } of this.#links.end()) this.#tell(seq, message);
    this.#checkHead();
    for (const { seq, hash, message } of this.#options.expected ?? []) {
      if (!this.#isEnd({ count: seq, hash })) this.#tell(seq, message);
    }
    let vouchedTo = 0;
    for (const seal of this.#state.seals) {
      if (this.#checkSeal(seal) && seal.mark === this.#options.sealer?.mark) vouchedTo = seal.count;
    }
    this.#checkOwnPart(vouchedTo);
    for (const [mark, seq] of this.#begun) {
      if (this.#state.seals.some((seal) => seal.mark === mark)) continue;
      this.#tell(null, `The seal of the secret marked ${mark}, which began with entry ${seq}, was removed.`);
    }
    return {
      findings: this.#findings,
      untold: this.#untold,
      first: this.#first,
      vouchedTo,
      begun: this.#begun,
      unvouched: this.#unvouched,
      unvouchedEntries: this.#unvouchedEntries,
    };
  }

  /** What comes before our beginning is an earlier secret's; what comes after our seal is nobody's. */
  #checkOwnPart(vouchedTo: number): void {
    const { sealer } = this.#options;
    const { count } = this.#last;
    if (sealer === undefined || count === 0) return;
    const begun = this.#begun.get(sealer.mark);
    const by = [...this.#begun.keys()].filter((mark) => mark !== sealer.mark);
    if (begun === undefined) this.#passUnvouched({ from: 1, to: count, by, why: "earlier" });
    else if (begun > 1) this.#passUnvouched({ from: 1, to: begun - 1, by, why: "earlier" });
    if (vouchedTo === 0 || vouchedTo >= count) return;
    this.#tell(vouchedTo + 1, describeUnsealed({ from: vouchedTo + 1, to: count }, sealer.mark));
  }

  #passUnvouched(stretch: UnvouchedStretch): void {
    this.#unvouchedEntries += stretch.to - stretch.from + 1;
    if (this.#unvouched.length < STRETCHES_MAX) this.#unvouched.push(stretch);
  }

  #passBeginning({ action, note, seq }: Selectable<AuditTable>): void {
    if (action !== "audit.began" && action !== "organization.created") return;
    const mark = findBegunMark(note);
    if (mark === undefined) return;
    const before = this.#begun.get(mark);
    if (before === undefined) this.#begun.set(mark, seq);
    else this.#tell(seq, `The secret marked ${mark} began a second time, though it had with entry ${before}.`);
  }

  #checkHead(): void {
    const { head, lastSeq, seals } = this.#state;
    if (head === undefined) {
      if (lastSeq > 0 || seals.length > 0) this.#tell(null, "The record of where this log ends was removed.");
      return;
    }
    const { count, hash } = this.#last;
    if (head.count > count) this.#tellMissing(count + 1, head.count);
    else if (head.count < count) {
      this.#tell(head.count + 1, `The log was recorded to end with entry ${head.count}, and goes on to ${count}.`);
    } else if (head.hash !== hash) {
      this.#tell(count, `Entry ${count} is not the one that was recorded last, or that record was altered.`);
    }
    if (head.count > 0 && !seals.some((seal) => seal.count === head.count && seal.hash === head.hash)) {
      this.#tell(head.count, "What was recorded last is sealed by nobody.");
    }
  }

  /** Whether it says what is so. One under a secret that is not here cannot be told from a forged one. */
  #checkSeal({ mark, count, hash, seal }: Selectable<AuditSealsTable>): boolean {
    const { sealer } = this.#options;
    const named = `the secret marked ${mark}`;
    if (!this.#begun.has(mark)) this.#tell(null, `There is a seal of ${named}, which never began to seal this log.`);
    if (sealer?.mark === mark && !sealer.isOwnSeal(this.#state.chainId, { count, hash }, seal)) {
      this.#tell(null, `The seal of ${named} was altered, or is of another log.`);
      return false;
    }
    if (this.#isEnd({ count, hash })) return true;
    const what = this.#hashes.has(count) ? "is another" : "is missing";
    this.#tell(count, `Entry ${count}, which ${named} has sealed, ${what}.`);
    return false;
  }

  /** Whether the chain once ended like this: the entry with that number has the hash, or had it before values were erased. */
  #isEnd(end: ChainEnd): boolean {
    const found = this.#hashes.get(end.count);
    if (found === undefined) return false;
    return found === end.hash || this.#options.sealer?.isEnd(this.#state.chainId, end, found) === true;
  }

  #tellMissing(from: number, to: number): void {
    const what = from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`;
    this.#tell(from, what);
  }

  #tell(seq: number | null, message: string): void {
    if (this.#findings.length < FINDINGS_MAX) this.#findings.push({ seq, message });
    else this.#untold += 1;
  }
}
