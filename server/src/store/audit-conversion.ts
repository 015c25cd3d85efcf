/**
 * Gives the entries of the version before what erasing needs: a salted commitment to their values (audit-entry.ts), and the names of the
 * fields that they changed. Their hashes stay, so all that names one stays true: seals, receipts, what machines have seen, and nodes
 * of the version before that still run. What the commitments add is proven by one more entry at the end, which goes on not from the hash
 * of the entry before it but from what that hash would be were all entries since the first old one hashed as entries are today.
 *
 * It goes in pieces, each a transaction that holds the chain. One that is interrupted is begun again, and finds what is done already; so
 * do several nodes that do it at once. Only the last piece fills the last entry, so what has one left open is not done. Every link and
 * every value is checked on the way. A chain that is not whole is left as it is: nothing is to be proven that was not so.
 */
import { type Kysely, type Selectable, sql } from "kysely";
import { type ChainEnd, CONVERTED, EMPTY_CHAIN, writeFacts } from "./audit-chain.ts";
import { commitTo, hashOldRow, hashRow, holdsValues, INSTALLATION_CHAIN, makeSalt } from "./audit-entry.ts";
import type { ChainEngine } from "./audit-look.ts";
import type { AuditTable } from "./audit-tables.ts";
import type { AuditWriting } from "./audit-writing.ts";
import type { Database } from "./schema.ts";

const ENTRIES_A_PIECE = 1_000;
/** As the index of these entries says it. */
export const IS_CONVERSION = sql<boolean>`action = ${sql.lit(CONVERTED)}`;

type Row = Selectable<AuditTable>;

/** A chain that cannot be converted, because this entry does not follow from the one before. */
export interface BrokenChain {
  readonly chainId: string;
  readonly seq: number;
}

export interface Converted {
  readonly entries: number;
  readonly broken: readonly BrokenChain[];
}

export async function listUnconverted(db: Kysely<Database>): Promise<readonly string[]> {
  const rows = await db.selectFrom("audit").select("org_id").distinct().where("commitment", "is", null).execute();
  return rows.map(({ org_id }) => org_id);
}

/** How far the conversion of one chain has come. */
export class ChainConversion {
  readonly chainId: string;
  /** How many entries were given commitments. */
  entries = 0;
  #last: ChainEnd | undefined;
  #stretchHash: string | undefined;
  #first = 0;

  constructor(chainId: string) {
    this.chainId = chainId;
  }

  /** One piece, in a transaction of its own. */
  async convertSome(
    db: Kysely<Database>,
    audit: AuditWriting,
    engine: ChainEngine,
    now: number,
  ): Promise<"more" | "done" | BrokenChain> {
    const { chainId } = this;
    const chain = await audit.claim(chainId);
    if (await audit.tellForewords(chainId, now)) return "more";
    this.#last ??= await findLastConversion(db, chainId);
    const rows = await selectPiece(db, chainId, this.#last.count);
    const filled: Row[] = [];
    for (const row of rows.slice(0, ENTRIES_A_PIECE)) {
      const made = this.#pass(row);
      if (made === undefined) return { chainId, seq: row.seq };
      if (made !== row) filled.push(made);
    }
    await engine.fillCommitments(db, filled);
    this.entries += filled.length;
    if (rows.length > ENTRIES_A_PIECE) return "more";
    if (chain.end.count !== this.#last.count) return { chainId, seq: chain.end.count };
    if (this.#stretchHash === undefined) return "done";
    chain.end = { count: chain.end.count, hash: this.#stretchHash };
    const kind = chainId === INSTALLATION_CHAIN ? chainId : "organization";
    const from = this.#first;
    const note = `Entries ${from} to ${chain.end.count} were given commitments to their values.`;
    const target = { kind, id: chainId, name: null };
    audit.record(chainId, [{ at: now, action: CONVERTED, target, note, facts: { from } }]);
    await audit.finish();
    return "done";
  }

  /** The entry as it is from here on; undefined where it is not what was recorded. */
  #pass(row: Row): Row | undefined {
    const last = this.#last ?? EMPTY_CHAIN;
    if (this.#isEnd(row)) {
      this.#stretchHash = undefined;
      this.#last = { count: row.seq, hash: row.hash };
      return row;
    }
    const isOfToday = row.commitment !== null && hashRow(last.hash, row) === row.hash;
    if (row.seq !== last.count + 1 || !(isOfToday || hashOldRow(last.hash, row) === row.hash)) return undefined;
    const made = row.commitment === null ? commit(row) : row;
    if (made === undefined || !isProven(made, isOfToday)) return undefined;
    if (!isOfToday || this.#stretchHash !== undefined) {
      if (this.#stretchHash === undefined) this.#first = row.seq;
      this.#stretchHash = hashRow(this.#stretchHash ?? last.hash, made);
    }
    this.#last = { count: row.seq, hash: row.hash };
    return made;
  }

  /** Whether another process has come to the end before us. */
  #isEnd(row: Row): boolean {
    return row.action === CONVERTED && this.#stretchHash !== undefined && hashRow(this.#stretchHash, row) === row.hash;
  }
}

function commit(row: Row): Row | undefined {
  if (row.salt !== null || row.facts !== null) return undefined;
  const salt = makeSalt();
  return { ...row, facts: factsOf(row), salt, commitment: commitTo(salt, row) };
}

/** Entries that an interrupted conversion has filled are checked like those it has not: nothing has proven them yet. */
function isProven(row: Row, isOfToday: boolean): boolean {
  if (row.salt === null) return isOfToday && !holdsValues(row);
  return commitTo(row.salt, row) === row.commitment && (isOfToday || row.facts === factsOf(row));
}

function factsOf({ changes }: Row): string | null {
  return writeFacts(changes === null ? undefined : Object.keys(JSON.parse(changes)));
}

/** The end of the last conversion, before which all is proven. */
async function findLastConversion(db: Kysely<Database>, chainId: string): Promise<ChainEnd> {
  const found = await db
    .selectFrom("audit")
    .select(["seq as count", "hash"])
    .where("org_id", "=", chainId)
    .where(IS_CONVERSION)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return found ?? EMPTY_CHAIN;
}

/** And one more, where there is one: the last piece has to know that it is. */
function selectPiece(db: Kysely<Database>, chainId: string, after: number): Promise<Row[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("org_id", "=", chainId)
    .where("seq", ">", after)
    .orderBy("seq")
    .limit(ENTRIES_A_PIECE + 1)
    .execute();
}
